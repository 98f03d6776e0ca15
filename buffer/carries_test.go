package buffer_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/asic"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// withPorts is an intent of so many ports of a speed on a chip of the catalogue.
func withPorts(t *testing.T, chip string, n int, rate unit.BitRate) buffer.Intent {
	t.Helper()
	c, err := asic.Load(chip)
	require.NoError(t, err)
	in := buffer.Intent{Chip: c, Sizing: thresholds.IEEE{},
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
