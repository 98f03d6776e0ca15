package scenario

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/backend/sim/fabric"
	"github.com/cellwarden/cellwarden/report/page"
	"github.com/cellwarden/cellwarden/unit"
)

// A flow and a port of constant rate are so to the end, also where the run ends within a window.
func TestLastWindowIsWhole(t *testing.T) {
	for _, steps := range []int{4, 20, 25, 31} {
		s := &Scenario{}
		s.Network.Hosts = []fabric.Host{{Name: "h1"}}
		var delivered series
		var sent sending
		for range steps {
			delivered.values = append(delivered.values, 12_500) // bytes in 1 us: 100 Gb/s
			sent.values = append(sent.values, int64(unit.Microsecond/2))
		}
		sent.peak = int64(unit.Microsecond / 2)
		r := &recorder{Scenario: s, step: unit.Microsecond, flows: map[string]*series{"in": &delivered},
			sending: map[portNumber]*sending{{at: fabric.AtHost(0)}: &sent}}
		for _, c := range []struct {
			panel page.Panel
			value int64
		}{{r.ratePanel(), 100_000}, {r.linkPanel(), 50}} {
			points := c.panel.Lines[0].Points
			require.Len(t, points, (steps+rateSteps-1)/rateSteps)
			last := unit.Time(0)
			for _, p := range points {
				require.Equal(t, c.value, p.Value, "%s, %d steps, at %v", c.panel.Title, steps, p.At)
				require.Greater(t, p.At, last)
				last = p.At
			}
			require.Equal(t, unit.Time(steps)*r.step-unit.Time(min(steps, rateSteps))*r.step/2, last)
		}
	}
}
