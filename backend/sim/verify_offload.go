package sim

import (
	"fmt"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/unit"
)

// offload says under which condition the memory on a chip with memory beside it holds what the pool has room for; "" if
// packets are known to move fast enough, and on every other chip. The simulated memory is the pool, which counts the
// bytes in both memories. If packets are known to move too slowly, it says so, and loses is true. If it is known how
// fast they move, the condition is how much of the memory on the chip they find free.
func (v *verifier) offload() (says string, loses bool) {
	chip := &v.in.Chip
	pause := "all groups pause at once"
	lost, enough, waiting := chip.OffloadNeeds(v.filling)
	if v.o.Alone {
		pause, lost, enough, waiting = "the groups of one port pause", 0, 0, 0
		for rate, headroom := range v.filling {
			l, e, w := chip.OffloadNeeds(func(yield func(unit.BitRate, cells.Count) bool) { yield(rate, headroom) })
			lost, enough, waiting = max(lost, l), max(enough, e), max(waiting, w)
		}
	}
	moves := unit.BitRate(chip.Offload) * unit.Gbps
	switch {
	case moves >= enough:
		return "", false
	case moves == 0:
		return fmt.Sprintf("packets move to the memory beside the chip at %v", enough), false
	case moves < lost:
		return fmt.Sprintf("packets move to the memory beside the chip at %v, and with less than %v frames are lost if %s",
			moves, lost, pause), true
	case chip.MemoryBytes > 0 && waiting > chip.MemoryBytes:
		return fmt.Sprintf("packets move to the memory beside the chip at %v, and if %s, %s bytes wait on the chip, whose "+
			"memory has %s", moves, pause, unit.Thousands(waiting), unit.Thousands(chip.MemoryBytes)), true
	}
	return fmt.Sprintf("%s bytes of the memory on the chip, which packets leave at %v, are free when %s",
		unit.Thousands(waiting), moves, pause), false
}

// filling yields the headroom of the groups of each port that are lossless together, and the rate of the port.
func (v *verifier) filling(yield func(unit.BitRate, cells.Count) bool) {
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
