package report_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/unit"
)

// What is explained is what the plan has, and its terms sum to it.
func TestExplanationsAreThePlans(t *testing.T) {
	in := intent(3, 300*unit.Metre)
	a, err := buffer.NewAdmission(in)
	require.NoError(t, err)
	at := func(path string) (string, int, bool) { return "leaf.yaml", len(path), path == "ports[0].cable" }
	d := report.Explain(&in, a, 1, "ports[0]", at)
	plan := planned(t, in)
	seen := map[string]int{}
	for _, x := range d.Items {
		seen[x.Item]++
		for _, g := range plan.Groups {
			if g.Port != "Ethernet1/2" || x.Group == nil || g.Group != *x.Group {
				continue
			}
			switch x.Item {
			case "headroom":
				require.Equal(t, g.Headroom, *x.Cells)
				var bits int64
				for _, term := range x.Terms {
					bits += term.BitTimes
				}
				require.Equal(t, plan.Sizing.Kinds[0].BitTimes, bits)
				require.Contains(t, x.Asked, report.Asked{Path: "ports[0].cable", Value: "300m", Stated: true,
					File: "leaf.yaml", Line: len("ports[0].cable")})
			case "reserved":
				require.Equal(t, g.Reserved, *x.Cells)
			case "xon":
				require.Equal(t, g.XONOffset, *x.Cells)
			}
		}
	}
	require.Equal(t, map[string]int{"headroom": 1, "xon": 1, "alpha": 2, "reserved": 2, "shared": 1, "slice": 1}, seen)
	require.Empty(t, d.Refused)
	text, err := json.Marshal(d)
	require.NoError(t, err)
	require.NotContains(t, string(text), "null")
	// Eight groups with alpha 1/8 share the pool: each has S/8 / (1 + 8/8), the rest stays free.
	shared := plan.Slices[0].Shared
	require.Contains(t, string(text), "each "+json.Number(itoa(shared/8/2)).String())
}

func itoa(n cells.Count) string {
	text, _ := json.Marshal(n)
	return string(text)
}

// A port that is refused is explained too, and it is said.
func TestExplanationOfARefusedPort(t *testing.T) {
	in := intent(6, 2*unit.Kilometre)
	a, err := buffer.NewAdmission(in)
	require.NoError(t, err)
	at := func(string) (string, int, bool) { return "leaf.yaml", 1, true }
	d := report.Explain(&in, a, 5, "ports[0]", at, "headroom")
	require.Contains(t, d.Refused, "short")
	require.Len(t, d.Items, 1)
	require.Positive(t, *d.Items[0].Cells)
}
