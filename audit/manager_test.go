package audit_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/audit"
)

// group3 returns the profile and the headroom of group 3 of the first port; -1: there is no profile.
func group3(t *testing.T, d db, lookup string) (profile string, xoff int64, r *audit.Result) {
	t.Helper()
	r = audit.Run(d.source(t, lookup))
	for _, w := range r.What().Lossless {
		if slices.Contains(w.Groups, 3) && w.XOFF != nil {
			return w.Profile, *w.XOFF, r
		}
	}
	return "", -1, r
}

// hand is a profile that people wrote.
func hand(name, xoff string) []string {
	at := "BUFFER_PROFILE|" + name + "|"
	return []string{at + "pool=ingress_lossless_pool", at + "xoff=" + xoff, at + "size=1248", at + "xon=2288",
		at + "dynamic_th=0"}
}

const made = "pg_lossless_100000_300m_profile"

// TestDoesAsTheBufferManagerDoes compares with doSpeedUpdateTask of sonic-swss cfgmgr/buffermgr.cpp, on configurations
// that people edited.
func TestDoesAsTheBufferManagerDoes(t *testing.T) {
	all := func(d db) db { // one port: its groups are the only ones
		for _, port := range []string{"Ethernet4", "Ethernet8", "Ethernet12"} {
			d.set(t, "PORT_QOS_MAP|"+port+"|pfc_enable=")
		}
		return d
	}
	for name, c := range map[string]struct {
		edits   []string
		lookup  string
		profile string
		xoff    int64
	}{
		"it makes a profile of the row":           {nil, lookup, made, 268736},
		"a profile of that name is used as it is": {hand(made, "200000"), lookup, made, 200000},
		"also if BUFFER_PG names it": {append(hand(made, "200000"), "BUFFER_PG|Ethernet0|3-4|profile="+made), lookup, made,
			200000},
		"it is not used without a row": {hand(made, "200000"), "100000 5m 1248 2288 165568 0 2288\n", "", -1},
		"an entry with another profile is overwritten": {append(hand("mine", "200000"),
			"BUFFER_PG|Ethernet0|3-4|profile=mine"), lookup, made, 268736},
		"not without a row": {append(hand("mine", "200000"), "BUFFER_PG|Ethernet0|3-4|profile=mine"),
			"100000 5m 1248 2288 165568 0 2288\n", "mine", 200000},
		"and not with a cable of 0m": {append(hand("mine", "200000"), "BUFFER_PG|Ethernet0|3-4|profile=mine",
			"CABLE_LENGTH|AZURE|Ethernet0=0m"), lookup, "mine", 200000},
		"the name has the length as the configuration writes it": {append(hand("pg_lossless_100000_2000m_profile", "200000"),
			"CABLE_LENGTH|AZURE|Ethernet0=2000m"), "100000 2000m 1248 2288 900000 0 2288\n",
			"pg_lossless_100000_2000m_profile", 200000},
		"a port that is down keeps them on most switches": {[]string{"PORT|Ethernet0|admin_status=down"}, lookup, made,
			268736},
		"and has none on some": {[]string{"PORT|Ethernet0|admin_status=down",
			"DEVICE_METADATA|localhost|platform=x86_64-mlnx_msn2700-r0"}, lookup, "", -1},
	} {
		d := all(base())
		d.set(t, c.edits...)
		profile, xoff, _ := group3(t, d, c.lookup)
		require.Equal(t, c.profile, profile, name)
		require.Equal(t, c.xoff, xoff, name)
	}
}

// TestTwoEntriesForAGroup: the manager writes an entry for groups 3 and 4 together. Beside one for group 3 alone it is
// not known which of the two the switch takes.
func TestTwoEntriesForAGroup(t *testing.T) {
	d := base()
	d.set(t, append(hand("mine", "200000"), "BUFFER_PG|Ethernet0|3|profile=mine")...)
	_, _, r := group3(t, d, lookup)
	require.Contains(t, r.Unknown, "which profile the lossless groups of ports Ethernet0 have: BUFFER_PG names one "+
		"for some of them, and the buffer manager adds an entry for them together")
	require.Empty(t, of(r.Findings, "pg-overwritten"))
}
