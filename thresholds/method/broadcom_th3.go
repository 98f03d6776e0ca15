package method

import (
	"errors"
	"fmt"
	"strings"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/exact"
	"github.com/cellwarden/cellwarden/internal/grouped"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

const broadcomTH3Source = "OpenBCM SDK 6.5.27 src/soc/esw/tomahawk3/traffic_manager/traffic_manager_thresholds.c"

// broadcomSpeed is what the SDK assumes for Tomahawk 3 at one speed.
type broadcomSpeed struct {
	rate     unit.BitRate
	quanta   int64 // pause response in quanta of 512 bits
	delay    int64 // transmit and receive, in ns
	addition int64 // added buffer in bytes
}

// broadcomSpeeds is the SDK's table.
var broadcomSpeeds = [...]broadcomSpeed{
	{10 * unit.Gbps, 36, 454, 22342},
	{25 * unit.Gbps, 110, 454, 22342},
	{40 * unit.Gbps, 175, 454, 22342},
	{50 * unit.Gbps, 175, 454, 22342},
	{100 * unit.Gbps, 339, 364, 51166},
	{200 * unit.Gbps, 693, 359, 101854},
	{400 * unit.Gbps, 1385, 280, 203708},
}

// BroadcomTH3 sizes headroom as Broadcom's SDK does for Tomahawk 3:
//
//	wire  = MTU + cable both ways + 84 + quanta * 64 + ns * Gb/s / 8
//	cells = (wire * factor + added + last packet) / cell, rounded down
//
// The pause response in quanta, the transmit and receive delay in ns, and the added buffer depend on the speed; they
// are in the SDK's table for 10G to 400G. The factor is the size of the mix of packets in whole cells, divided by its
// size on the link, which includes 20 bytes of gap and preamble that are not stored. The last packet is the largest of
// the mix, in whole cells: with it, rounding down never gives less than rounding up the rest.
//
// Every division is of integers, as in the SDK. One of them matters: the cable is 1250 * m * (Mb/s / 10000) / 100
// bytes, 10 ns per metre, so 25G counts as 20G. A warning says so, and a reading gives the result without this
// rounding. At 100 m it is 337 cells, which the SDK itself has as a constant.
//
// The memory's cell and overhead are used; Tomahawk 3 has 254 and 40 bytes. Medium and lossless MTU do not matter.
// Speeds that are not in the table are refused.
//
// Source: OpenBCM SDK 6.5.27, traffic_manager_thresholds.c of tomahawk3.
type BroadcomTH3 struct {
	// Mix is the packets that fill the headroom. Zero: 64 bytes.
	Mix thresholds.Mix
}

// Method returns "broadcom-th3".
func (BroadcomTH3) Method() string { return "broadcom-th3" }

// Validate refuses a mix that is not valid.
func (m BroadcomTH3) Validate() error {
	if m.Mix == (thresholds.Mix{}) || m.Mix.Valid() {
		return nil
	}
	return fmt.Errorf("%s: %w", m.Method(), m.Mix.Validate())
}

// LongestFrame returns the longest frame of the mix.
func (m BroadcomTH3) LongestFrame() unit.Bytes { return m.Mix.Longest() }

// broadcomSum is the SDK's sum, in bytes.
type broadcomSum struct {
	broadcomSpeed
	cable, response, inside int64 // bytes on the link
	wire                    int64 // all of them, and the frames
	stored                  int64 // wire in whole cells of the mix
	last                    int64 // largest packet in whole cells
}

// Size returns the SDK's cells. It allocates only if it returns an error.
func (m BroadcomTH3) Size(l thresholds.Link, mem thresholds.Memory) (thresholds.Headroom, error) {
	h, _, err := m.size(l, mem)
	return h, err
}

// size returns the headroom and its terms.
func (m BroadcomTH3) size(l thresholds.Link, mem thresholds.Memory) (h thresholds.Headroom, s broadcomSum, err error) {
	if err := errors.Join(m.Validate(), l.Validate(), mem.Validate(), m.Mix.CheckLink(l)); err != nil {
		return h, s, err
	}
	if m.Mix == (thresholds.Mix{}) {
		m.Mix = thresholds.Frames(thresholds.MinFrame)
	}
	if m.Mix.From > 0 { // the formula takes sizes; it counts preamble and gap
		m.Mix = thresholds.Frames(thresholds.WorstFrame(mem, thresholds.WireBytes, m.Mix.From, l.LosslessMTU))
	}
	if s.broadcomSpeed, err = broadcomAt(l.Rate); err != nil {
		return h, s, err
	}
	s.cable, s.response = broadcomCable(l), s.quanta*pfc.QuantumBits/8
	if t, given := l.Response.Get(); given {
		s.response = int64(unit.InBytes(l.Rate.BitsIn(t)))
	}
	s.inside = s.delay * int64(l.Rate/unit.Gbps) / 8
	s.wire = int64(l.MTU+thresholds.MinFrame+thresholds.WireBytes) + s.cable + s.response + s.inside
	num, den := int64(0), int64(0)
	for _, f := range m.Mix.Shares {
		if f.Percent == 0 {
			continue
		}
		packet, bytes := broadcomStored(f.Size, mem), int64(f.Size)*f.Percent
		num += packet * bytes / int64(f.Size+thresholds.WireBytes)
		den += bytes
		s.last = max(s.last, packet)
	}
	s.stored = exact.Whole(s.wire).Times(num, den).Floor()
	h = thresholds.Headroom{Method: m.Method(), Mix: m.Mix, BitTimes: s.wire * 8, Wire: unit.Bytes(s.wire)}
	h.Cells = mem.Cell.Within(unit.Bytes(s.stored + s.addition + s.last))
	h.XOFF = mem.Cell.Bytes(h.Cells)
	return h, s, nil
}

// broadcomStored returns the size of the cells that a packet takes.
func broadcomStored(b unit.Bytes, mem thresholds.Memory) int64 {
	return int64(mem.Cell.Bytes(mem.Cell.Packet(b, mem.Overhead)))
}

// broadcomCable returns the bytes in both directions: in the SDK's integers for a cable, where a fraction of a metre
// counts as one metre, and rounded up once for a measured delay.
func broadcomCable(l thresholds.Link) int64 {
	if l.Delay.IsGiven() {
		return bothWays(l).Ceil()
	}
	metres := int64((l.Cable + unit.Metre - 1) / unit.Metre)
	cable := 1250 * metres * int64(l.Rate/(10*unit.Gbps)) / 100
	return cable + bothWays(thresholds.Link{Rate: l.Rate, Extra: l.Added()}).Ceil()
}

// broadcomAt returns the SDK's values for a speed.
func broadcomAt(rate unit.BitRate) (broadcomSpeed, error) {
	for i := range broadcomSpeeds {
		if broadcomSpeeds[i].rate == rate {
			return broadcomSpeeds[i], nil
		}
	}
	known := grouped.Each(broadcomSpeeds[:], func(s broadcomSpeed) string { return s.rate.String() })
	return broadcomSpeed{}, fmt.Errorf("broadcom-th3: the SDK has no row for %v (want %s)", rate,
		strings.Join(known, ", "))
}

// exact returns the cells of the same formula without the SDK's integer divisions.
func (s broadcomSum) exact(m thresholds.Mix, l thresholds.Link, mem thresholds.Memory) cells.Count {
	wire := exact.Whole(int64(l.MTU+thresholds.MinFrame+thresholds.WireBytes) + s.response).Plus(
		exact.Whole(s.delay).Times(int64(l.Rate), 8*int64(unit.Gbps)))
	l.Medium = thresholds.Fibre // 10 ns for each metre both ways, as in the SDK
	wire = wire.Plus(bothWays(l))
	sum, den := exact.Whole(0), int64(0)
	for _, f := range m.Shares {
		if f.Percent > 0 {
			bytes := int64(f.Size) * f.Percent
			sum = sum.Plus(wire.Times(broadcomStored(f.Size, mem)*bytes, int64(f.Size+thresholds.WireBytes)))
			den += bytes
		}
	}
	// Rounding down first does not change a quotient of integers rounded down.
	return cells.Count(sum.Plus(exact.Whole(s.addition+s.last).Times(den, 1)).Floor() / (den * int64(mem.Cell)))
}

// Explain itemises the sum. The terms add up to the number of bytes that is divided into cells.
func (m BroadcomTH3) Explain(l thresholds.Link, mem thresholds.Memory) (thresholds.Explanation, error) {
	h, s, err := m.size(l, mem)
	if err != nil {
		return thresholds.Explanation{}, err
	}
	kind, source := cableSource(l, "both ways")
	if !l.Delay.IsGiven() {
		kind = thresholds.Driver
		source = fmt.Sprintf(
			"10 ns for each metre both ways, whole metres, any medium (the SDK); %s is added each way",
			addedText(l))
	}
	responseKind, response := thresholds.Driver, fmt.Sprintf("%d quanta of 512 at %v", s.quanta, l.Rate)
	if t, given := l.Response.Get(); given {
		responseKind, response = thresholds.Operator, fmt.Sprintf("%v, given for the sender of this link", t)
	}
	e := thresholds.Explanation{Headroom: h, Terms: []thresholds.Term{
		{Name: "longest frame", Bytes: l.MTU, Kind: thresholds.Driver,
			Source: "MTU: the pause frame waits for it; the SDK's default is 9216"},
		{Name: "cable, both ways", Bytes: unit.Bytes(s.cable), Kind: kind, Source: source},
		{Name: "pause frame", Bytes: thresholds.MinFrame + thresholds.WireBytes, Kind: thresholds.Driver,
			Source: "64 bytes, gap and preamble"},
		{Name: "sender response", Bytes: unit.Bytes(s.response), Kind: responseKind, Source: response},
		{Name: "transmit and receive", Bytes: unit.Bytes(s.inside), Kind: thresholds.Driver,
			Source: fmt.Sprintf("%d ns at %v", s.delay, l.Rate)},
		{Name: "whole cells", Bytes: unit.Bytes(s.stored - s.wire), Kind: thresholds.Driver,
			Source: fmt.Sprintf("bytes that frames of %v take in cells beyond their bytes on the wire", h.Mix)},
		{Name: "added buffer", Bytes: unit.Bytes(s.addition), Kind: thresholds.Driver,
			Source: fmt.Sprintf("of the chip, at %v", l.Rate)},
		{Name: "last packet", Bytes: unit.Bytes(s.last), Kind: thresholds.Driver,
			Source: "largest of the mix, in whole cells"},
	}}
	for i := range e.Terms {
		if i < 5 {
			e.Terms[i].BitTimes = int64(e.Terms[i].Bytes) * 8
		}
		if e.Terms[i].Kind == thresholds.Driver {
			e.Terms[i].Source += " (" + broadcomTH3Source + ")"
		}
	}
	e.Readings = []thresholds.Reading{
		{Name: "as the SDK divides", How: "integers, rounded down at every step", Cells: h.Cells,
			Bytes: unit.Bytes(s.stored + s.addition + s.last), Used: true},
	}
	exact := s.exact(h.Mix, l, mem)
	e.Readings = append(e.Readings,
		thresholds.Reading{Name: "undivided", How: "the same in fractions, rounded down once", Cells: exact,
			Bytes: mem.Cell.Bytes(exact)})
	e.Warnings = broadcomTH3Warnings(l, mem, h.Cells, exact)
	return e, nil
}

// broadcomTH3Warnings lists where the formula does not suit the chip or the link.
func broadcomTH3Warnings(l thresholds.Link, mem thresholds.Memory, sdk, exact cells.Count) (out []string) {
	if l.Rate%(10*unit.Gbps) != 0 && !l.Delay.IsGiven() {
		out = append(out, fmt.Sprintf("the SDK divides the speed by 10G in integers, so the cable of %v counts as "+
			"that of %v: %d cells, in fractions %d",
			l.Rate, l.Rate/(10*unit.Gbps)*(10*unit.Gbps), sdk, exact))
	}
	if mem.Cell != 254 || mem.Overhead != 40 {
		out = append(out, fmt.Sprintf("response, delays and added buffer are those of Tomahawk 3 (254-byte cells, "+
			"40 bytes of overhead), not of a chip with %d and %d", mem.Cell, mem.Overhead))
	}
	if l.Medium != thresholds.Fibre && !l.Delay.IsGiven() {
		out = append(out, fmt.Sprintf(
			"the SDK counts 10 ns for each metre both ways whatever the medium is; %v is not counted", l.Medium))
	}
	return out
}
