package thresholds

import (
	"fmt"
	"strings"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/unit"
)

// Bit times that Ethernet adds to a frame on the wire (IEEE 802.3 clause 4).
const (
	preambleBits = 64 // preamble and start delimiter, 8 bytes
	gapBits      = 96 // interpacket gap, 12 bytes
	wireBytes    = unit.Bytes(preambleBits+gapBits) / 8

	quantumBits = 512 // one pause quantum (IEEE 802.3 annex 31B)

	// fibreDelay is how long light takes for a millimetre of fibre: 5 ns/m,
	// 200,000 km/s.
	fibreDelay = 5 * unit.Picosecond
)

// IEEE sizes headroom by the sum of IEEE 802.1Qbb's delays: the longest frame
// that the pause frame waits for, the pause frame, an interface delay at each
// end, the cable twice, the sender's response time, and the frame that the
// sender has begun.
//
// The interface delay is counted twice, not four times: each figure holds
// transmit and receive. It is conservative all the same, because the response
// time of 31B.3.7 is measured at the medium and already holds the sender's PHY
// once.
//
// Not modelled: copper, MACsec, FEC beyond what the interface delays hold,
// retimers, and whatever the MMU itself needs to notice and to react.
type IEEE struct {
	// Frame is the size of the frames assumed to fill the headroom; 0 means
	// 64 bytes, the worst case for cells.
	Frame unit.Bytes
}

// Method is "ieee802.1qbb".
func (IEEE) Method() string { return "ieee802.1qbb" }

// Size returns the itemised sum for the link. A speed for which no response
// time is known is refused.
func (m IEEE) Size(l Link, mem Memory) (Headroom, error) {
	if m.Frame == 0 {
		m.Frame = MinFrame
	}
	if err := m.validate(l, mem); err != nil {
		return Headroom{}, err
	}
	response, err := responseDelay(l.Rate)
	if err != nil {
		return Headroom{}, err
	}
	intf := interfaceDelay(l.Rate)
	cable := Term{BitTimes: l.Rate.BitsIn(unit.Time(l.Cable) * fibreDelay),
		Source: "fibre at 5 ns/m (200,000 km/s)"}
	h := Headroom{Method: m.Method(), Frame: m.Frame, Terms: []Term{
		{Name: "longest frame", BitTimes: frameBits(l.MTU), Source: "MTU + 96 gap + 64 preamble bits (IEEE 802.3 clause 4): the pause frame waits for it"},
		{Name: "pause frame", BitTimes: frameBits(MinFrame), Source: "64-byte MAC control frame + gap + preamble (IEEE 802.3 annex 31D)"},
		named("interface, receiver", intf),
		named("cable, pause frame", cable),
		named("interface, sender", intf),
		named("sender response", response),
		{Name: "frame in transmission", BitTimes: frameBits(l.LosslessMTU), Source: "lossless MTU + gap + preamble: a frame begun is finished"},
		named("cable, last data", cable),
	}}
	h.sum(mem)
	return h, nil
}

func named(name string, t Term) Term { t.Name = name; return t }

func frameBits(b unit.Bytes) int64 { return int64(b)*8 + gapBits + preambleBits }

func (m IEEE) validate(l Link, mem Memory) error {
	if err := l.Validate(); err != nil {
		return err
	}
	if mem.Cell <= 0 || mem.Overhead < 0 {
		return fmt.Errorf("cell of %d bytes with %d bytes of overhead: a cell needs at least one byte", mem.Cell, mem.Overhead)
	}
	if m.Frame < MinFrame || m.Frame > MaxFrameSize {
		return fmt.Errorf("frame %v is not between %v and %v", m.Frame, MinFrame, MaxFrameSize)
	}
	return nil
}

// sum adds up the terms and turns the result into cells.
func (h *Headroom) sum(mem Memory) {
	for i := range h.Terms {
		t := &h.Terms[i]
		t.Bytes = unit.InBytes(t.BitTimes)
		h.BitTimes += t.BitTimes
		if t.Inferred {
			h.Warnings = append(h.Warnings, fmt.Sprintf("%s: %s", t.Name, t.Source))
		}
	}
	h.Wire = unit.InBytes(h.BitTimes)
	h.Readings = readings(h.BitTimes, h.Frame, mem)
	for _, r := range h.Readings {
		if r.Used {
			h.Cells, h.XOFF = r.Cells, mem.Cell.Bytes(r.Cells)
		}
	}
}

// readings lists the three ways to store what arrives in n bit times when it
// consists of frames of one size. The second is the largest and the one used.
func readings(n int64, frame unit.Bytes, mem Memory) []Reading {
	perFrame := mem.Cell.Packet(frame, mem.Overhead)
	wire := unit.InBytes(n)
	inFrames := func(size unit.Bytes, total int64) cells.Count {
		bits := int64(size) * 8
		return cells.Count((total+bits-1)/bits) * perFrame
	}
	expanded := unit.Bytes((int64(wire)*int64(mem.Cell.Bytes(perFrame)) + int64(frame) - 1) / int64(frame))
	whole, spaced := inFrames(frame, int64(wire)*8), inFrames(frame+wireBytes, n)
	return []Reading{
		{Name: "expansion", How: fmt.Sprintf("bytes x %d/%d", mem.Cell.Bytes(perFrame), frame), Cells: mem.Cell.Holding(expanded), Bytes: expanded},
		{Name: "whole frames", How: fmt.Sprintf("frames of %v, cells for each: %d", frame, perFrame), Cells: whole, Bytes: mem.Cell.Bytes(whole), Used: true},
		{Name: "frames with gap", How: fmt.Sprintf("frames of %v + %v gap and preamble, which are not stored", frame, wireBytes), Cells: spaced, Bytes: mem.Cell.Bytes(spaced)},
	}
}

// rated is one speed's delay.
type rated struct {
	rate   unit.BitRate
	bits   int64
	source string
}

// interfaceDelays are the interface delays in bit times, transmit and receive
// together, of the worked example in the Cisco Press book on congestion
// management in Ethernet storage networks. They are rows of single sublayers
// (MAC/RS at 10G, FEC at the others), not sums of a whole PHY.
var interfaceDelays = []rated{
	{10 * unit.Gbps, 8192, ""}, {25 * unit.Gbps, 6144, ""}, {40 * unit.Gbps, 24576, ""}, {100 * unit.Gbps, 122880, ""},
}

// interfaceDelay returns the sourced delay of a speed, or the nearest sourced
// one scaled to the same time, marked inferred.
func interfaceDelay(rate unit.BitRate) Term {
	best := interfaceDelays[0]
	for _, d := range interfaceDelays[1:] {
		if nearer(rate, d.rate, best.rate) {
			best = d
		}
	}
	if best.rate == rate {
		return Term{BitTimes: best.bits, Source: "interface delay at " + rate.String() + ", transmit and receive (Cisco Press, congestion management in Ethernet storage networks)"}
	}
	time := unit.Time(best.bits * int64(unit.Second) / int64(best.rate))
	return Term{BitTimes: rate.BitsIn(time), Inferred: true,
		Source: fmt.Sprintf("no source gives the interface delay of %v; inferred from %v: %d bit times there, the same %v here", rate, best.rate, best.bits, time)}
}

// nearer tells whether a is closer to rate than b is, as a ratio.
func nearer(rate, a, b unit.BitRate) bool {
	r, a, b := rate/unit.Mbps, a/unit.Mbps, b/unit.Mbps
	return max(a, r)*min(b, r) < max(b, r)*min(a, r)
}

// responseDelays are the pause response times in quanta of 512 bit times: how
// long a sender may go on after it has received a pause frame.
var responseDelays = []rated{
	{10 * unit.Gbps, 60, "IEEE 802.3 31B.3.7 (802.3ba-2010; not 10GBASE-T, which has 74)"},
	{25 * unit.Gbps, 80, "pause response of 25G (SONiC, dynamic headroom calculation; Cisco Press)"},
	{40 * unit.Gbps, 118, "IEEE 802.3 31B.3.7 (802.3ba-2010)"},
	{50 * unit.Gbps, 147, "pause response of 50G (SONiC, dynamic headroom calculation)"},
	{100 * unit.Gbps, 394, "IEEE 802.3 31B.3.7 (802.3ba-2010)"},
	{200 * unit.Gbps, 453, "pause response of 200G (SONiC, dynamic headroom calculation)"},
	{400 * unit.Gbps, 905, "pause response of 400G (SONiC, dynamic headroom calculation; Cisco Press)"},
	{800 * unit.Gbps, 905, "pause response of 800G as SONiC has it, the value of 400G; not checked against 802.3df"},
}

func responseDelay(rate unit.BitRate) (Term, error) {
	var known []string
	for _, d := range responseDelays {
		if d.rate == rate {
			return Term{BitTimes: d.bits * quantumBits, Source: fmt.Sprintf("%d quanta of 512: %s", d.bits, d.source),
				Inferred: rate == 800*unit.Gbps}, nil
		}
		known = append(known, d.rate.String())
	}
	return Term{}, fmt.Errorf("no source gives the pause response time of %v (accepted: %s)", rate, strings.Join(known, ", "))
}
