//go:build linux

package interop

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/dcbx"
	"github.com/cellwarden/cellwarden/pfc"
)

// lldpadVariable names an lldpad that speaks CEE.
const lldpadVariable = "CELLWARDEN_LLDPAD_CEE"

// A negotiation with lldpad by CEE ends with one PFC at both ends where one end is willing or both have the same, and
// with PFC off at both where they differ and none is willing, or both are.
//
// lldpad up to 1.1.1 cannot send CEE: before it makes the TLV, dcbx_gettlv sets all that it knows of the port to zero.
// That is mended since 2023-08-02 (commit 03cb011 of intel/openlldp). The commands are those of any version.
func TestNegotiationWithLLDPADByCEE(t *testing.T) {
	program := os.Getenv(lldpadVariable)
	if program == "" {
		t.Skipf("set %s to an lldpad that is newer than 1.1.1: older ones do not send CEE", lldpadVariable)
	}
	need(t, "lldpad gcc libc6-dev", program, "dcbtool", "lldptool", "cc")
	for _, c := range []struct {
		name         string
		ours, theirs bool // willing
		enabled      []int
		end          pfc.Priorities // with PFC at both ends; none: it is off
		reason       dcbx.Reason
	}{
		{"we are willing", true, false, []int{5}, pfc.Of(3, 4), "the port is willing and the neighbour is not"},
		{"lldpad is willing", false, true, []int{5}, pfc.Of(5), "the neighbour is willing and the port is not"},
		{"none is willing, the same", false, false, []int{3, 4}, pfc.Of(3, 4), "both ends have the same"},
		{"none is willing, different", false, false, []int{5}, 0,
			"the ends differ, and willing is the same at both: CEE turns it off"},
		{"both are willing, different", true, true, []int{5}, 0,
			"the ends differ, and willing is the same at both: CEE turns it off"},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := connect(t, 0x51)
			startLLDPAD(l, program, "CEE_CARD=1")
			l.there(nil, "lldptool", "set-lldp", "-i", "eth0", "adminStatus=rxtx")
			require.Contains(t, l.there(nil, "dcbtool", "gc", "dcbx"), "CEE")
			l.there(nil, "dcbtool", "sc", "eth0", "dcb", "on")
			l.there(nil, "dcbtool", "sc", "eth0", "pfc", "e:1", "a:1", map[bool]string{true: "w:1", false: "w:0"}[c.theirs],
				"pfcup:00011000")
			s := settings(l, c.ours, c.enabled...)
			s.Mode = dcbx.OnlyCEE
			a := agent(t, s)
			l.run(a, func(in dcbx.Operational, theirs *dcbx.Advertisement) bool {
				x := theirs.CEE
				return in.Version == dcbx.CEEVersion && in.PFC.Reason == c.reason && in.Enabled == c.end && x != nil &&
					x.Control.Acknowledged > 0 && x.PFC.Willing == c.theirs &&
					x.PFC.Priorities == pfc.Of(3, 4) && x.PFC.Error == (c.end == 0)
			})
			f, err := a.Send(l.now()) // with the acknowledgement of its last frame
			require.NoError(t, err)
			l.send(&f)
			// What is in force at lldpad: the priorities, and whether PFC is on.
			want := []string{"Oper Mode: \tfalse", ""}
			if c.end != 0 {
				want = []string{"Oper Mode: \ttrue", "pfcup:     \t" + bits(c.end)}
			}
			l.there(func(out string) bool {
				return strings.Contains(out, want[0]) && strings.Contains(out, want[1])
			}, "dcbtool", "go", "eth0", "pfc")
		})
	}
}

// bits prints priorities as dcbtool does.
func bits(p pfc.Priorities) string {
	var out []string
	for i := range pfc.PerLink {
		out = append(out, map[bool]string{true: "1", false: "0"}[p.Has(i)])
	}
	return strings.Join(out, "\t")
}
