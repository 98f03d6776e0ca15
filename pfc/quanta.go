package pfc

import (
	"sort"

	"github.com/cellwarden/cellwarden/unit"
)

// QuantumBits is the unit of pause times: 512 bit times of the link, whatever
// its speed (IEEE 802.3 annex 31B; annex 31D uses the same). It
// is bits: texts that say 512 bytes are wrong.
const QuantumBits = 512

// MaxQuanta is the longest pause that one frame can ask for.
const MaxQuanta = 0xffff

// What a frame of flow control takes of the link that carries it, which is the
// link against the stopped traffic.
const (
	FrameBytes = 64 // the shortest Ethernet frame, FCS included (IEEE 802.3 clause 3)
	FrameBits  = 8 * FrameBytes
	WireBits   = FrameBits + 64 + 96 // and preamble with delimiter, and gap between packets (IEEE 802.3 clause 4)
)

// Duration returns how long a pause of so many quanta lasts on a link of the
// given rate. It is exact wherever a picosecond divides it, which is at every
// Ethernet rate from 10 Mb/s to 1.6 Tb/s, and else rounded up to a picosecond,
// so that a pause is never taken for shorter than it is. Zero quanta last 0, and
// so does everything at a rate that is not positive. Beyond int64 it saturates.
func Duration(quanta uint16, rate unit.BitRate) unit.Time {
	return rate.TimeFor(int64(quanta) * QuantumBits)
}

// QuantaFor returns the fewest quanta whose [Duration] is at least t, and
// whether one frame can ask for that long; if not, MaxQuanta. A time that is
// not positive needs 0 quanta, which in a frame means resume. A rate that is
// not positive fits only that.
func QuantaFor(t unit.Time, rate unit.BitRate) (quanta uint16, fits bool) {
	if t <= 0 {
		return 0, true
	}
	if Duration(MaxQuanta, rate) < t {
		return MaxQuanta, false
	}
	return uint16(sort.Search(MaxQuanta, func(q int) bool { return Duration(uint16(q), rate) >= t })), true
}

// RefreshAfter returns how long after a frame that asks for so many quanta its
// sender has to repeat it if it still wants the pause: half of it, so that one
// lost frame does no harm. The half is this project's choice; the standard asks
// only that the pause does not run out. Zero quanta mean resume and give 0, and
// so does a rate that is not positive.
func RefreshAfter(quanta uint16, rate unit.BitRate) unit.Time { return Duration(quanta, rate) / 2 }

// after returns now + d, at most the last moment that unit.Time can name.
func after(now, d unit.Time) unit.Time {
	if sum := now + d; sum >= now {
		return sum
	}
	return forever
}

const forever unit.Time = 1<<63 - 1
