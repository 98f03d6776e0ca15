package nos

import (
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/ets"
)

// Shares is what a switch makes of the groups of ports (ETS): a number for each queue.
type Shares struct {
	buffer.PortSchedule
	ets.Flat
}

// OneLevelShares returns the shares of the ports of an intent, in weights of 1 to 100: those of the registers
// [buffer.QueueWeight]. Empty: the intent has no groups.
func OneLevelShares(in *buffer.Intent) []Shares {
	return SharesBy(in, func(s buffer.PortSchedule) ets.Flat { return s.Flatten(ets.Weights) })
}

// SharesBy returns the shares of the ports of an intent in the numbers of a switch.
func SharesBy(in *buffer.Intent, numbers func(buffer.PortSchedule) ets.Flat) (out []Shares) {
	for _, s := range in.Schedules() {
		out = append(out, Shares{s, numbers(s)})
	}
	return out
}
