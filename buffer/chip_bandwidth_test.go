package buffer_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/asic"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/unit"
)

// withPorts is an intent of so many ports of a speed on a chip of the catalogue.
func withPorts(t *testing.T, chip string, n int, rate unit.BitRate) buffer.Intent {
	t.Helper()
	c, err := asic.Load(chip)
	require.NoError(t, err)
	in := buffer.Intent{Chip: c, Sizing: asTheTexts,
		Classes: []buffer.Class{{Name: "rest", Priorities: []int{0}}}}
	for i := range n {
		in.Ports = append(in.Ports, buffer.Port{Name: fmt.Sprint("e", i), Rate: rate, MTU: 1500})
	}
	return in
}

// A plan of ports that the chip does not have is refused: it would say that they fit.
func TestPortsThatTheChipDoesNotHave(t *testing.T) {
	for _, c := range []struct {
		chip string
		n    int
		rate unit.BitRate
		want []string
	}{
		{"tomahawk4", 4096, 800 * unit.Gbps, []string{"ports: 4096 ports: want at most 272: tomahawk4 has no more",
			"ports[0].speed: 800G: want at most 400G, the fastest port of tomahawk4",
			"want at most 25.6T, which is what tomahawk4 carries"}},
		{"tomahawk", 40, 400 * unit.Gbps, []string{"ports[39].speed: 400G: want at most 100G",
			"ports: 16T in all: want at most 3.2T, which is what tomahawk carries"}},
		{"tomahawk5", 400, 100 * unit.Gbps, []string{"ports: 400 ports: want at most 341: tomahawk5 has no more"}},
		{"tomahawk", 33, 100 * unit.Gbps, []string{"ports: 3.3T in all: want at most 3.2T"}},
		{"silicon-one-q200", 64, 800 * unit.Gbps, []string{"ports[0].speed: 800G: want at most 400G, the fastest port of " +
			"silicon-one-q200 (inferred: the 8101-32FH", "ports: 51.2T in all: want at most 12.8T"}},
		{"tomahawk-ultra", 128, 1600 * unit.Gbps, []string{"ports[0].speed: 1.6T: want at most 800G, the fastest port of " +
			"tomahawk-ultra (trade press: servethehome.com, Hot Chips 2025 (51.2 Tb/s, 512 lanes of 100G); FBOSS " +
			"TomahawkUltra1Asic.h", "ports: 204.8T in all: want at most 51.2T"}},
		{"silicon-one-g200", 64, 1600 * unit.Gbps, []string{"want at most 800G, the fastest port of silicon-one-g200 "}},
		{"silicon-one-p200", 65, 800 * unit.Gbps, []string{"ports: 52T in all: want at most 51.2T"}},
		{"silicon-one-g202x", 32, 1600 * unit.Gbps, []string{"want at most 800G, the fastest port of silicon-one-g202x "}},
		{"spectrum-5", 64, 1600 * unit.Gbps, []string{"want at most 800G, the fastest port of spectrum-5 "}},
		{"spectrum-6", 129, 800 * unit.Gbps, []string{"ports: 103.2T in all: want at most 102.4T"}},
		{"tomahawkplus", 64, 100 * unit.Gbps, []string{"ports: 6.4T in all: want at most 3.2T"}},
		{"tomahawk3", 161, 10 * unit.Gbps, []string{"ports: 161 ports: want at most 160: tomahawk3 has no more (FBOSS "}},
		{"tomahawk6", 517, 10 * unit.Gbps, []string{"ports: 517 ports: want at most 516: tomahawk6 has no more (inferred: " +
			"512 ports of 200G"}},
		{"tomahawk6", 512, 200 * unit.Gbps, nil},
		{"tomahawk-ultra", 64, 800 * unit.Gbps, nil},
		{"silicon-one-q200", 32, 400 * unit.Gbps, nil},
		{"silicon-one-g200", 64, 800 * unit.Gbps, nil},
		{"silicon-one-p200", 64, 800 * unit.Gbps, nil},
		{"spectrum-5", 64, 800 * unit.Gbps, nil},
		{"spectrum-6", 128, 800 * unit.Gbps, nil},
		{"tomahawk", 32, 100 * unit.Gbps, nil},
		{"tomahawk5", 64, 800 * unit.Gbps, nil},
		{"tomahawk6", 64, 1600 * unit.Gbps, nil},
		{"spectrum-1", 32, 100 * unit.Gbps, nil},
	} {
		in := withPorts(t, c.chip, c.n, c.rate)
		err := in.Validate()
		for _, want := range c.want { // the text of the error has the first complaints alone
			var all *buffer.InvalidError
			require.ErrorAs(t, err, &all)
			require.True(t, slices.ContainsFunc(all.Complaints, func(x buffer.Complaint) bool {
				return strings.Contains(x.String(), want)
			}), "%s: %v", want, err)
		}
		if c.want == nil {
			require.NoError(t, err)
		}
	}
	in := withPorts(t, "tomahawk", 32, 100*unit.Gbps)
	for i := range 2 { // management ports
		in.Ports = append(in.Ports, buffer.Port{Name: fmt.Sprint("m", i), Rate: 10 * unit.Gbps, MTU: 1500})
	}
	require.NoError(t, in.Validate())
}

// What is not sourced is not checked, and the plan says so.
func TestPlanSaysWhatOfThePortsWasNotChecked(t *testing.T) {
	in := withPorts(t, "tomahawk", 32, 100*unit.Gbps)
	p, err := buffer.New(in)
	require.NoError(t, err)
	require.NotContains(t, fmt.Sprint(p.Notes), "not checked against it")
	in.Chip.Ports, in.Chip.Bandwidth, in.Chip.PortSpeed = 0, 0, 0
	p, err = buffer.New(in)
	require.NoError(t, err)
	require.Contains(t, p.Notes, "not sourced, and the ports not checked against it: how many ports it has, "+
		"how fast a port can be, how much it carries in all")
}

// Every chip that can be planned with, but those that are parts of a switch, has a fastest port: a plan of ports that
// no chip has would fit.
func TestPlannableChipsKnowTheirFastestPort(t *testing.T) {
	for _, c := range asic.All() {
		// What chips with memory beside them carry in all has no public source.
		if len(c.Slices) == 0 || c.Name == "nexus-93180yc-fx" || c.Name == "cloudscale-fx2" || c.Deep() {
			continue
		}
		require.NotZero(t, c.PortSpeed, c.Name)
		require.NotZero(t, c.Bandwidth, c.Name)
		require.NotZero(t, c.Ports, c.Name)
	}
}
