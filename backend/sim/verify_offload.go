package sim

import (
	"fmt"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/unit"
)

// offload says under which condition the memory on a chip with memory beside it holds what the pool has room for; "" if
// packets are known to move fast enough, and on every other chip. The simulated memory is the pool, which counts the
// bytes in both memories. If packets are known to move too slowly, it says so, and loses is true.
func (v *verifier) offload() (says string, loses bool) {
	chip := &v.in.Chip
	lost, enough := chip.OffloadNeeds(func(yield func(unit.BitRate, cells.Count) bool) {
		rates := map[string]unit.BitRate{}
		for i := range v.in.Ports {
			rates[v.in.Ports[i].Name] = v.in.Ports[i].Rate
		}
		for i, groups := 0, v.out.Groups; i < len(groups); {
			var headroom cells.Count
			port := groups[i].Port
			for ; i < len(groups) && groups[i].Port == port; i++ {
				headroom = min(headroom+groups[i].FirstDropBelow, buffer.MaxCells)
			}
			if !yield(rates[port], headroom) {
				return
			}
		}
	})
	moves := unit.BitRate(chip.Offload) * unit.Gbps
	switch {
	case moves >= enough:
		return "", false
	case moves > 0 && moves < lost && !v.o.Alone:
		return fmt.Sprintf("packets move to the memory beside the chip at %v, and with less than %v frames are lost if all "+
			"groups pause at once", moves, lost), true
	}
	return fmt.Sprintf("packets move to the memory beside the chip at %v", enough), false
}

// queueDepth says under which condition the virtual output queues of the chip hold the headroom of every group: the
// simulated egress accepts every packet; "" where no headroom is more than one queue holds.
func (v *verifier) queueDepth() string {
	chip := &v.in.Chip
	for i := range v.out.Groups {
		if chip.TooDeep(v.out.Groups[i].FirstDropBelow) {
			return fmt.Sprintf("the packets of a group wait in several virtual output queues, one of which holds %s bytes",
				unit.Thousands(chip.MaxQueue))
		}
	}
	return ""
}
