package many

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/fabric"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/unit"
)

// Limits plans the switches of a fabric that have a topology, and returns where each pauses and marks: see
// [fabric.File.Pauses]. note says it in words. The function has the zero limit for a switch without a topology, and for
// a priority that is not lossless. The name that it is asked for has to be one of the fabric's switches. An error is
// that of a topology that cannot be read or of a plan that does not fit.
func Limits(cmd *cobra.Command, f *fabric.File) (limits func(string, int) fabric.Limit, note string, err error) {
	a, err := askedOf(cmd, f, nil, "")
	if err != nil {
		return nil, "", err
	}
	// Kinds are planned once, whatever number of switches they have. A switch without a topology has the kind -1, which
	// is never in the map.
	kinds, planned := map[int]map[int]fabric.Limit{}, 0
	for _, s := range a.switches {
		if s.Topology == "" {
			continue
		}
		if planned++; kinds[s.Kind] == nil {
			plan, err := a.planOf(s)
			if err != nil {
				return nil, "", err
			}
			kinds[s.Kind] = limitsOf(plan)
		}
	}
	note = "where switches pause and mark is that of their plans"
	switch {
	// Nothing is known of any switch then. That a group pauses with its first frame is the safe side: it spreads
	// furthest.
	case planned == 0:
		note = "a group can pause with its first frame: no switch has a topology, and --pause-at is not given"
	case planned < len(a.switches):
		note += fmt.Sprintf(", on %d of %s; a group of the others can pause with its first frame", planned,
			cli.Plural(len(a.switches), "switch", "switches"))
	}
	return func(name string, priority int) fabric.Limit { return kinds[a.at[name].Kind][priority] }, note, nil
}

// limitsOf are the limits of a plan by priority: the lowest of its ports. A group has what is reserved for it, and its
// static limit; a dynamic limit can be 0, when the pool is full. What is lowest is the safe side: a pause that can come
// earlier spreads further.
func limitsOf(p *nos.Plan) map[int]fabric.Limit {
	out := map[int]fabric.Limit{}
	for k := range p.Intent.Classes {
		c := &p.Intent.Classes[k]
		if !c.Lossless {
			continue
		}
		for _, q := range c.Priorities {
			// A group has what is reserved for it and its static limit, if it has one, at each port. Layouts name a group by
			// its priority, so q is its index.
			cells := map[string]int64{} // by port
			for _, s := range p.Layout {
				if s.Index == q && (s.Kind == buffer.GroupReserved || s.Kind == buffer.GroupStatic) {
					cells[s.Port] += s.Value
				}
			}
			// No port has the group: its limit is unknown, and 0 says that it can pause at once.
			lowest := int64(0)
			if len(cells) > 0 {
				lowest = slices.Min(slices.Collect(maps.Values(cells)))
			}
			// A dynamic limit adds nothing, since a full pool leaves a group what is reserved for it.
			l := fabric.Limit{XOFF: unit.Bytes(lowest * int64(p.Intent.Chip.Cell)), Wire: fewest(&p.Intent.Chip, lowest)}
			// Without a kmax the class does not mark. Marking begins at kmin (RED on the queue's length); kmax alone says
			// whether it is on.
			if c.ECN.KMax > 0 {
				l.Mark = unit.Given(c.ECN.KMin)
			}
			out[q] = l
		}
	}
	return out
}

// fewest is the fewest bytes on a wire that fill some cells: frames with preamble and gap (20 bytes, IEEE 802.3 clause
// 4.4), each of the length that takes most cells for what it is. Only the shortest, and those of a byte in their last
// cell, can be it. n is the number of cells of a frame, from that of the shortest to that of 16,384 bytes.
func fewest(c *buffer.Chip, cells int64) unit.Bytes {
	// over is what the chip stores with each packet, in bytes.
	cell, over := int64(c.Cell), int64(c.Overhead)
	least := unit.Bytes(math.MaxInt64)
	// A frame of n cells is shortest with one byte in its last cell, so each n has one length to look at. The division
	// rounds down, towards a pause that comes earlier.
	for n := (64 + over + cell - 1) / cell; n <= (16384+over)/cell; n++ {
		frame := max(64, (n-1)*cell+1-over)
		least = min(least, unit.Bytes(cells*(frame+20)/n))
	}
	return least
}
