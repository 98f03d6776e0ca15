package replay

import (
	"fmt"

	"github.com/cellwarden/cellwarden/cbfc"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// Spacing of the ordered sets that acknowledge frames. The default is SAI's
// (CTLOS_TARGET_SPACING), the bounds are those of SONiC (doc/llr, LLR_PROFILE).
const (
	defaultAckSpacing unit.Bytes = 2048
	LeastAckSpacing   unit.Bytes = 400
	MostAckSpacing    unit.Bytes = 16384
)

// Port is a port whose link has LLR.
type Port struct {
	Link    thresholds.Link   // frames of all classes have LLR, so its MTU counts
	Spacing unit.Bytes        // of acknowledgements; 0: DefaultSpacing
	Delays  thresholds.Delays // of both ends; zero: as for a pause frame, see thresholds.IEEE
	// Reverse is the longest frame of the other direction, whose end an
	// acknowledgement waits for. Absent: the link's MTU. 0: the direction is idle.
	Reverse unit.Optional[unit.Bytes]
}

// Buffer is the smallest replay buffer that keeps a link full.
type Buffer struct {
	Frames int64      // outstanding, if all frames have 64 bytes
	Bytes  unit.Bytes // outstanding, with the frame length that needs most; at most the MTU
	Frame  unit.Bytes // that length
	// Timer is the longest time from the first bit of a frame to its acknowledgement.
	// A shorter replay timer repeats frames that have arrived.
	Timer unit.Time
	// Terms are the way of a frame of that length and of its acknowledgement.
	Terms []thresholds.Term
}

// Size returns the smallest replay buffer with which the sender never waits on a link without errors.
func Size(p Port) (Buffer, error) {
	spacing := p.Spacing
	if spacing == 0 {
		spacing = defaultAckSpacing
	}
	var bad fielderr.List
	bad.Within("spacing of acknowledgements in bytes", int64(spacing), int64(LeastAckSpacing), int64(MostAckSpacing))
	if err := bad.Err(); err != nil {
		return Buffer{}, err
	}
	small, err := p.way(thresholds.MinFrame, spacing)
	if err != nil {
		return Buffer{}, err
	}
	out := Buffer{Frames: small.Frames}
	// Bytes grow with the length of the frames, but for one step: frames that are longer than the spacing do not wait for
	// it. So the longest frame needs most, or the longest that still waits.
	lengths := []unit.Bytes{p.Link.MTU}
	if waits := spacing + p.Reverse.Or(p.Link.MTU); waits > thresholds.MinFrame && waits < p.Link.MTU {
		lengths = append(lengths, waits)
	}
	for _, length := range lengths {
		s, err := p.way(length, spacing)
		if err != nil {
			return Buffer{}, err
		}
		if b := unit.Bytes(s.Frames) * length; b > out.Bytes {
			out.Bytes, out.Frame, out.Terms = b, length, s.Terms
		}
		out.Timer = max(out.Timer, p.Link.Rate.TimeFor(s.BitTimes))
	}
	return out, nil
}

// Limits says which of the values SONiC cannot express.
func (r *Buffer) Limits() []string {
	var out []string
	for _, v := range []struct {
		column Column
		value  int64
	}{{Frames, r.Frames}, {Bytes, int64(r.Bytes)}, {Timer, int64(r.Timer/unit.Nanosecond) + 1}} {
		if _, most := v.column.Bounds(); v.value > most {
			out = append(out, fmt.Sprintf("%v of %d: accepted by SONiC: at most %d", v.column, v.value, most))
		}
	}
	return out
}

// way returns the way of frames of one length: that of credits, with
// acknowledgements in place of CF_Updates. A frame is acknowledged as it arrives.
func (p Port) way(length, spacing unit.Bytes) (cbfc.RoundTrip, error) {
	return cbfc.RoundTripOf(cbfc.Answered{Link: p.Link, Frame: length, Spacing: spacing, Delays: p.Delays,
		Reverse: p.Reverse, AtArrival: true, Name: "LLR_ACK", Source: "SAI doc/LLR"})
}
