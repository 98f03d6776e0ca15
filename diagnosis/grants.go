package diagnosis

import (
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/unit"
)

// Grants returns what a plan gives the lossless groups of an intent, in the order of the plan. A group that is charged
// in several slices has the same headroom in each, because a packet is in one of them: it is one Grant.
func Grants(plan *buffer.Plan, in buffer.Intent) []Grant {
	rates := map[string]unit.BitRate{}
	for _, p := range in.Ports {
		rates[p.Name] = p.Rate
	}
	type key struct {
		port  string
		group int
	}
	var out []Grant
	at := map[key]int{}
	for _, g := range plan.Groups {
		if !g.Lossless {
			continue
		}
		k := key{g.Port, g.Group}
		if i, known := at[k]; known {
			out[i].Headroom = max(out[i].Headroom, g.HeadroomGranted)
			continue
		}
		at[k] = len(out)
		out = append(out, Grant{Port: g.Port, Group: g.Group, Class: g.Class, Rate: rates[g.Port],
			Headroom: g.HeadroomGranted})
	}
	return out
}
