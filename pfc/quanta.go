package pfc

import (
	"github.com/cellwarden/cellwarden/unit"
)

// QuantumBits is the unit of pause times: 512 bit times of the link at any speed (IEEE 802.3 annex 31B, also used by
// annex 31D). The unit is bits; some texts say 512 bytes, which is wrong.
const QuantumBits = 512

// MaxQuanta is the longest pause of one frame.
const MaxQuanta = 0xffff

// FrameBytes is what a frame of flow control takes of the link that carries it, which is the link against the stopped
// traffic: the shortest Ethernet frame, FCS included (IEEE 802.3 clause 3).
const FrameBytes = 64

// Duration returns how long a pause of n quanta lasts on a link with this rate. It is exact at every Ethernet rate from
// 10 Mb/s to 1.6 Tb/s. At other rates it is rounded up to a picosecond, so that a pause is never shorter than it should
// be. Zero quanta give 0, and so does a rate that is not positive. A result beyond int64 saturates.
func Duration(quanta uint16, rate unit.BitRate) unit.Time {
	return rate.TimeFor(int64(quanta) * QuantumBits)
}

// RefreshAfter returns how long after a frame with n quanta the sender repeats it if it still needs the pause: half of
// the pause, so that the loss of one frame does no harm. The half is this project's choice; the standard requires only
// that the pause does not expire. Zero quanta mean resume and give 0, and so does a rate that is not positive.
func RefreshAfter(quanta uint16, rate unit.BitRate) unit.Time { return Duration(quanta, rate) / 2 }

// after returns now + d, limited to the last moment of unit.Time.
func after(now, d unit.Time) unit.Time {
	if sum := now + d; sum >= now {
		return sum
	}
	return forever
}

// forever is the last moment of unit.Time.
const forever unit.Time = 1<<63 - 1
