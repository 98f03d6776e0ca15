package internal_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/asic"
	"github.com/cellwarden/cellwarden/asic/behaviour"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/rules"
)

// ofChip returns the rule of a chip of the catalogue. What is not known of it is as the reference of package behaviour
// has it: the first value, and XOFF with the first packet that is refused. known is false if nothing is known.
func ofChip(c *buffer.Chip) (r rules.Rule, known bool) {
	r[rules.XOFF] = rules.XOFFRefused
	for choice, word := range map[rules.Choice]string{rules.Limit: string(c.LimitRule), rules.XOFF: string(c.XOFFRule),
		rules.XON: string(c.XONRule), rules.Owner: c.HeadroomRule} {
		for v := range choice.Values() {
			if choice.Value(v) == word {
				r[choice] = v
			}
		}
	}
	return r, c.LimitRule != "" || c.HeadroomRule != ""
}

// Every chip of the catalogue is a point of the space: its rule is one of those that are enumerated, and the MMU that
// the point makes compares as package behaviour says of the chip.
func TestRulesChipsArePoints(t *testing.T) {
	all := rules.All()
	known := 0
	for _, name := range asic.Names() {
		c, err := asic.Load(name)
		require.NoError(t, err)
		r, is := ofChip(&c)
		require.Contains(t, all, r, name)
		p := rules.Point{Rule: r}
		x := &p.Numbers
		x[rules.Shared], x[rules.Headroom], x[rules.Offset] = 1000, 40, 5
		x[rules.Cell] = max(int64(c.Cell), rules.Shortest)
		require.NoError(t, p.Valid(), name)
		m, f := p.Config(), behaviour.OfChip(&c)
		require.Equal(t, f.Rule, m.Rule, name)
		require.Equal(t, f.Latched, m.Groups[0].XON.Latched, name)
		require.Equal(t, c.HeadroomRule == "port", len(m.HeadroomPools) == rules.Ports, name)
		if is {
			known++
		}
	}
	require.GreaterOrEqual(t, known, 25)
	require.False(t, slices.Contains(all, rules.Rule{rules.XOFF: rules.XOFFHeadroom, rules.XON: rules.XONLatched}))
}
