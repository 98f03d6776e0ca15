package diagnosis

import (
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/grouped"
	"github.com/cellwarden/cellwarden/unit"
)

// Grants returns what a plan gives the lossless groups of an intent, in the order of the plan. A group that is charged
// in several slices has the same headroom in each, because a packet is in one of them: it is one Grant.
func Grants(plan *buffer.Plan, in buffer.Intent) []Grant {
	rates := map[string]unit.BitRate{}
	for _, p := range in.Ports {
		rates[p.Name] = p.Rate
	}
	var grants grouped.By[groupKey, Grant]
	for _, g := range plan.Groups {
		if g.Lossless {
			to := grants.Of(groupKey{g.Port, g.Group})
			*to = Grant{g.Port, g.Group, g.Class, rates[g.Port], max(to.Headroom, g.HeadroomGranted)}
		}
	}
	return grants.Values()
}
