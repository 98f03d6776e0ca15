package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/internal/effort"
	"github.com/cellwarden/cellwarden/report"
)

// A SONiC switch is compared as CONFIG_DB: what apply would send, and what waits for a reload.
func TestDriftOfSONiC(t *testing.T) {
	effort.SkipFew(t, "it pushes to a fake of SONiC")
	s, address := sonicSwitch(t)
	file := leaf(t, "40m")
	drift := []string{"drift", file, "--target", address, "--insecure"}
	code, out, bad := cellwarden(t, drift...)
	require.Equal(t, cli.ExitDrift, code, bad)
	require.Contains(t, out, ": 13 differences\n")
	require.Contains(t, out, "version SONiC.20251110.17")
	require.Regexp(t, `/CONFIG_DB/localhost/CABLE_LENGTH/AZURE/Ethernet0 +"5m" +"40m" +-\n`, out)
	require.Contains(t, out, "registers compared; ")

	code, _, bad = cellwarden(t, "apply", file, "--target", address, "--insecure", "--allow-disruption", "port")
	require.Zero(t, code, bad)
	code, out, bad = cellwarden(t, drift...)
	require.Zero(t, code, bad)
	require.Contains(t, out, ": 0 differences\n")

	db := s.Config()
	db["PORT_QOS_MAP"]["Ethernet4"]["pfc_enable"] = "3"
	db["BUFFER_POOL"]["ingress_lossless_pool"]["xoff"] = "5"
	delete(db["BUFFER_PG"], "Ethernet0|3-4")
	s.Load(db)
	code, out, bad = cellwarden(t, drift...)
	require.Equal(t, cli.ExitDrift, code, bad)
	require.Contains(t, out, ": 3 differences\n")
	require.Regexp(t, `/PORT_QOS_MAP/Ethernet4/pfc_enable +"3" +"3,4" +-\n`, out)
	require.Regexp(t, `/BUFFER_PG/Ethernet0\|3-4 +- +{"profile":"pg_lossless_100000_40m_profile"} +-\n`, out)
	require.Regexp(t, `/BUFFER_POOL/ingress_lossless_pool/xoff +"5" +"4194112" +the updater accepts no change of a pool\n`,
		out)
	code, out, bad = cellwarden(t, append(drift, "-o", "json")...)
	require.Equal(t, cli.ExitDrift, code, bad)
	var doc report.DriftDocument
	require.NoError(t, json.Unmarshal([]byte(out), &doc))
	require.Len(t, doc.Differences, 3)
	require.Contains(t, out, `"path": "/CONFIG_DB/localhost/PORT_QOS_MAP/Ethernet4/pfc_enable",
      "holds": "\"3\"",
      "planned": "\"3,4\""`)
	require.NotZero(t, doc.Compared)

	sets := s.Sets()
	code, out, bad = cellwarden(t, append(drift, "--watch")...)
	require.Equal(t, cli.ExitDrift, code, bad)
	require.Contains(t, out, ": 3 differences\n", "it differs already")
	delete(db["PORT"], "Ethernet4")
	s.Load(db)
	code, _, bad = cellwarden(t, drift...)
	require.Equal(t, cli.ExitUsage, code)
	require.Contains(t, bad, "nothing was compared: the plan is not for this switch: the switch has no ports Ethernet4")
	delete(db, "PORT")
	s.Load(db)
	code, _, bad = cellwarden(t, drift...)
	require.Equal(t, cli.ExitFailure, code)
	require.Contains(t, bad, "has nothing at /CONFIG_DB/localhost/PORT")
	require.Equal(t, sets, s.Sets(), "nothing was ever sent")
}

// A SONiC switch is watched: it reports tables that change, and what is altered meanwhile ends the watching.
func TestDriftWatchOfSONiC(t *testing.T) {
	effort.SkipFew(t, "it pushes to a fake of SONiC")
	s, address := sonicSwitch(t)
	file := leaf(t, "40m")
	code, _, bad := cellwarden(t, "apply", file, "--target", address, "--insecure", "--allow-disruption", "port")
	require.Zero(t, code, bad)
	args := []string{"drift", file, "--target", address, "--insecure", "--watch", "--retries", "0"}
	w := startWatching(t, args...)
	w.says(t, "as planned; watching for changes")
	db := s.Config()
	db["CABLE_LENGTH"]["AZURE"]["Ethernet0"] = "300m"
	s.Load(db)
	out := w.ends(t, cli.ExitDrift)
	require.Contains(t, out, ": 1 difference\n")
	require.Regexp(t, `/CABLE_LENGTH/AZURE/Ethernet0 +"300m" +"40m"`, out)
	db["CABLE_LENGTH"]["AZURE"]["Ethernet0"] = "40m"
	s.Load(db)
	w = startWatching(t, args...)
	w.says(t, "as planned; watching for changes")
	w.interrupt()
	w.says(t, "interrupted")
	require.Contains(t, w.ends(t, cli.ExitFine), ": 0 differences\n")
}

// EOS is watched in its native configuration, too.
func TestDriftWatchNative(t *testing.T) {
	address := serve(t, "--chip", "tomahawk")
	_, file := state(t)
	out := startWatching(t, "drift", file, "--target", address, "--insecure", "--watch", "--native", "--profile",
		"arista").ends(t, cli.ExitDrift)
	require.Contains(t, out, "priorities-no-drop")
}

// Many switches, of which one is SONiC.
func TestDriftOfManyOfWhichOneIsSONiC(t *testing.T) {
	effort.SkipFew(t, "it pushes to a fake of SONiC")
	_, address := sonicSwitch(t)
	file := leaf(t, "40m")
	other := serve(t, "--chip", "tomahawk")
	list := filepath.Join(t.TempDir(), "switches")
	require.NoError(t, os.WriteFile(list, []byte(address+"\n"+other+"\n"), 0o600))
	code, _, bad := cellwarden(t, "apply", file, "--target", other, "--insecure")
	require.Zero(t, code, bad)
	code, out, bad := cellwarden(t, "drift", file, "--targets", list, "--insecure")
	require.Equal(t, cli.ExitDrift, code, bad)
	require.Contains(t, out, "2 switches: 1 as planned, 1 differs")
	require.Regexp(t, address+` +- +"5m" +"40m" +/CONFIG_DB/localhost/CABLE_LENGTH/AZURE/Ethernet0\n`, out)
}

// --native compares EOS and SR Linux in their own words, and refuses kinds that
// have none or are not spoken to.
func TestDriftNative(t *testing.T) {
	address := serve(t, "--chip", "tomahawk")
	_, file := state(t)
	for _, test := range []struct {
		profile   string
		code      int
		out, says string
	}{
		{"arista", cli.ExitDrift, `/qos/interfaces/interface\[interface-id=Ethernet1/1\]/output/pfc/config/priorities-no-drop +- +`, ""},
		{"srlinux", cli.ExitDrift, `/qos/interfaces/interface\[interface-id=Ethernet1/1\]/pfc/pfc-enable +- +true +-\n`, ""},
		{"cisco", cli.ExitUsage, "", "--native: profile cisco has no native configuration: want arista, srlinux, sonic"},
		{"juniper", cli.ExitGaps, "", "nothing was compared: it is not sent: Junos is rendered only"},
	} {
		code, out, bad := cellwarden(t, "drift", file, "--target", address, "--insecure", "--native", "--profile",
			test.profile)
		require.Equal(t, test.code, code, bad)
		require.Regexp(t, test.out, out)
		require.Contains(t, bad, test.says)
	}
	code, _, bad := cellwarden(t, "drift", file, "--target", address, "--insecure", "--profile", "sonic",
		"--sonic-release", "soon")
	require.Equal(t, cli.ExitUsage, code)
	require.Contains(t, bad, "--sonic-release")
}
