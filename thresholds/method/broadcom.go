package method

import (
	"errors"
	"fmt"
	"strings"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/complain"
	"github.com/cellwarden/cellwarden/internal/exact"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

const (
	broadcomDelaySource = "OpenBCM SDK 6.5.27 src/soc/esw/mmu_config.c"
	broadcomTH3Source   = "OpenBCM SDK 6.5.27 src/soc/esw/tomahawk3/traffic_manager/traffic_manager_thresholds.c"

	// broadcomMaxPacket is the longest packet that the SDK expects (bytes;
	// include/soc/tomahawk.h); with 64 bytes of header it is 46 cells of 208.
	broadcomMaxPacket unit.Bytes = 9416

	// broadcomWorst is the packet that wastes most of a 208-byte cell with a
	// 64-byte header: one byte more than fits into one cell.
	broadcomWorst      unit.Bytes = 145
	broadcomWorstCells int64      = 2
)

// BroadcomDelay sizes headroom as Broadcom's SDK does on every XGS chip when a
// priority group has a user delay and a switch delay configured:
//
//	cells = cells(largest packet) + Mb/s * ns * 2 / (8 * (12 + 8 + 145) * 1000)
//
// The second part is the packets of 145 bytes, each with gap and preamble 165
// on the wire, that arrive during both delays, two cells for each; the factor
// 2 is those cells, not a way there and back. So the delays are totals. The
// division is of integers, rounding down, as the SDK does it.
//
// The pair 145 bytes and 2 cells is the worst case of 208-byte cells with 64
// bytes of header. The SDK uses it on other chips too, and so does this; a
// warning says so. The link's MTUs do not matter.
//
// Source: OpenBCM SDK 6.5.27 src/soc/esw/mmu_config.c.
type BroadcomDelay struct {
	// UserDelay is all the delay outside the switch, both ways together; the
	// SDK counts whole nanoseconds, parts are rounded up. Zero: both ways of the
	// link's cable, or of its measured delay. The link's extra delay is added to
	// either, each way. Refused: negative, above twice MaxDelay.
	UserDelay unit.Time
	// SwitchDelay is what the switch itself needs to notice and to pause, in
	// total. Zero: nothing, which a warning mentions. Refused: negative, above
	// MaxDelay.
	SwitchDelay unit.Time
	// MaxPacket is the longest packet of any class, in bytes. Zero: 9416, the
	// SDK's. Refused: what is no frame.
	MaxPacket unit.Bytes
}

// Method is "broadcom-delay".
func (BroadcomDelay) Method() string { return "broadcom-delay" }

// Validate refuses delays and packets that are none, with all complaints in
// one error.
func (m BroadcomDelay) Validate() error {
	var bad complain.List
	if m.UserDelay < 0 || m.UserDelay > 2*thresholds.MaxDelay {
		bad.Addf("user delay %v is not between 0ps and %v", m.UserDelay, 2*thresholds.MaxDelay)
	}
	if m.SwitchDelay < 0 || m.SwitchDelay > thresholds.MaxDelay {
		bad.Addf("switch delay %v is not between 0ps and %v", m.SwitchDelay, thresholds.MaxDelay)
	}
	if m.MaxPacket != 0 && (m.MaxPacket < thresholds.MinFrame || m.MaxPacket > thresholds.MaxFrameSize) {
		bad.Addf("largest packet %v is not between %v and %v", m.MaxPacket, thresholds.MinFrame, thresholds.MaxFrameSize)
	}
	return refusal(m.Method(), bad)
}

// Size returns the SDK's cells. It allocates nothing unless it refuses.
func (m BroadcomDelay) Size(l thresholds.Link, mem thresholds.Memory) (thresholds.Headroom, error) {
	if err := errors.Join(m.Validate(), l.Validate(), mem.Validate()); err != nil {
		return thresholds.Headroom{}, err
	}
	packet, user, inside := m.parts(l)
	mbps := int64((l.Rate + unit.Mbps - 1) / unit.Mbps)
	perPacket := 8 * int64(thresholds.WireBytes+broadcomWorst) * 1000
	arriving := mbps * (user + inside) * broadcomWorstCells / perPacket
	h := thresholds.Headroom{Method: m.Method(), Mix: thresholds.Frames(broadcomWorst)}
	h.BitTimes = int64(packet)*8 + broadcomBits(l, user) + broadcomBits(l, inside)
	h.Wire = unit.InBytes(h.BitTimes)
	h.Cells = mem.Cell.Packet(packet, mem.Overhead) + cells.Count(arriving)
	h.XOFF = mem.Cell.Bytes(h.Cells)
	return h, nil
}

// parts returns the largest packet and the two delays in whole nanoseconds.
func (m BroadcomDelay) parts(l thresholds.Link) (packet unit.Bytes, user, inside int64) {
	packet = m.MaxPacket
	if packet == 0 {
		packet = broadcomMaxPacket
	}
	outside := exact.Whole(m.UserDelay + 2*l.Extra)
	if m.UserDelay == 0 {
		outside = l.OneWay().Times(2, 1)
	}
	return packet, outside.Times(1, int64(unit.Nanosecond)).Ceil(),
		exact.Whole(m.SwitchDelay).Times(1, int64(unit.Nanosecond)).Ceil()
}

// broadcomBits returns the bits that arrive in ns nanoseconds.
func broadcomBits(l thresholds.Link, ns int64) int64 {
	return l.Rate.BitsIn(unit.Time(ns) * unit.Nanosecond)
}

// Explain itemises what arrives; the one reading is the SDK's way to store it.
func (m BroadcomDelay) Explain(l thresholds.Link, mem thresholds.Memory) (thresholds.Explanation, error) {
	h, err := m.Size(l, mem)
	if err != nil {
		return thresholds.Explanation{}, err
	}
	packet, user, inside := m.parts(l)
	userKind, userSource := cableSource(l, "both ways")
	if m.UserDelay > 0 {
		userKind, userSource = thresholds.Operator,
			fmt.Sprintf("user delay %v, in place of the cable; Link.Extra %v is added each way", m.UserDelay, l.Extra)
	}
	e := thresholds.Explanation{Headroom: h, Terms: []thresholds.Term{
		{Name: "longest packet", BitTimes: int64(packet) * 8, Kind: thresholds.Driver,
			Source: fmt.Sprintf("%d cells (%s)", mem.Cell.Packet(packet, mem.Overhead), broadcomDelaySource)},
		{Name: "user delay", BitTimes: broadcomBits(l, user), Kind: userKind, Source: userSource},
		{Name: "switch delay", BitTimes: broadcomBits(l, inside), Kind: thresholds.Operator,
			Source: "as configured; the SDK has no default"},
	}}
	for i := range e.Terms {
		e.Terms[i].Bytes = unit.InBytes(e.Terms[i].BitTimes)
	}
	e.Readings = []thresholds.Reading{{Name: "worst packets", Cells: h.Cells, Bytes: h.XOFF, Used: true,
		How: fmt.Sprintf("%d cells for each %v on the wire, rounded down, and the longest packet", broadcomWorstCells,
			broadcomWorst+thresholds.WireBytes)}}
	e.Warnings = m.warnings(l, mem)
	return e, nil
}

func (m BroadcomDelay) warnings(l thresholds.Link, mem thresholds.Memory) (out []string) {
	if mem.Cell != 208 || mem.Overhead != 64 {
		out = append(out, fmt.Sprintf("the SDK counts two cells for each packet of %v, the worst case of 208-byte "+
			"cells with 64 bytes of header and not of %d-byte cells with %d",
			broadcomWorst, mem.Cell, mem.Overhead))
	}
	if m.SwitchDelay == 0 {
		out = append(out, "no switch delay is given: what both ends need to react is not in the sum")
	}
	if m.UserDelay > 0 && l.Delay > 0 {
		out = append(out, fmt.Sprintf("the user delay %v is used, the measured delay %v is not", m.UserDelay, l.Delay))
	}
	return out
}

// broadcomSpeed is what the SDK assumes of Tomahawk 3 at one speed.
type broadcomSpeed struct {
	rate     unit.BitRate
	quanta   int64 // pause response, of 512 bits
	delay    int64 // transmit and receive, ns
	addition int64 // bytes
}

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
// with the pause response in quanta, the transmit and receive delay in ns, and
// the added buffer by speed, from the SDK's table of 10G to 400G. The factor
// is the bytes that the mix of packets takes in whole cells for each byte of
// its packets, less the 20 bytes of gap and preamble, which are not stored.
// The last packet is the largest of the mix, in whole cells: with it, rounding
// down never gives less than rounding the rest up.
//
// Every division is of integers, as in the SDK. One of them matters: the cable
// is 1250 * m * (Mb/s / 10000) / 100 bytes, 10 ns for each metre, in which 25G
// counts as 20G. A warning says so and a reading gives the undivided result,
// which at 100 m is the 337 cells that the SDK itself has as a constant.
//
// The memory's cell and overhead are used; Tomahawk 3 has 254 and 40 bytes.
// The medium and the lossless MTU do not matter. Speeds outside the table are
// refused.
//
// Source: OpenBCM SDK 6.5.27, traffic_manager_thresholds.c of tomahawk3.
type BroadcomTH3 struct {
	// Mix is the packets that fill the headroom. Zero: 64 bytes, which in the cells
	// of Tomahawk 3 waste most.
	Mix thresholds.Mix
}

// Method is "broadcom-th3".
func (BroadcomTH3) Method() string { return "broadcom-th3" }

// Validate refuses a mix that is none.
func (m BroadcomTH3) Validate() error {
	if m.Mix == (thresholds.Mix{}) || m.Mix.Valid() {
		return nil
	}
	return fmt.Errorf("%s: %w", m.Method(), m.Mix.Validate())
}

// broadcomSum is the SDK's sum, in bytes.
type broadcomSum struct {
	broadcomSpeed
	cable, response, inside int64 // on the wire
	wire                    int64 // all of them, with the frames
	stored                  int64 // the same in whole cells of the mix
	last                    int64 // the largest packet in whole cells
}

// Size returns the SDK's cells. It allocates nothing unless it refuses.
func (m BroadcomTH3) Size(l thresholds.Link, mem thresholds.Memory) (thresholds.Headroom, error) {
	h, _, err := m.size(l, mem)
	return h, err
}

func (m BroadcomTH3) size(l thresholds.Link, mem thresholds.Memory) (h thresholds.Headroom, s broadcomSum, err error) {
	if err := errors.Join(m.Validate(), l.Validate(), mem.Validate()); err != nil {
		return h, s, err
	}
	if m.Mix == (thresholds.Mix{}) {
		m.Mix = thresholds.Frames(thresholds.MinFrame)
	}
	m.Mix = m.Mix.On(l, mem)
	if s.broadcomSpeed, err = broadcomAt(l.Rate); err != nil {
		return h, s, err
	}
	s.cable, s.response = broadcomCable(l), s.quanta*pfc.QuantumBits/8
	s.inside = s.delay * int64(l.Rate/unit.Gbps) / 8
	s.wire = int64(l.MTU+thresholds.MinFrame+thresholds.WireBytes) + s.cable + s.response + s.inside
	num, den := int64(0), int64(0)
	for _, f := range m.Mix {
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

// broadcomStored returns the bytes of the cells that one packet takes.
func broadcomStored(b unit.Bytes, mem thresholds.Memory) int64 {
	return int64(mem.Cell.Bytes(mem.Cell.Packet(b, mem.Overhead)))
}

// broadcomCable returns both ways in bytes: the SDK's integers for a cable, of
// which a part of a metre counts as one, exactly and rounded up for a delay.
func broadcomCable(l thresholds.Link) int64 {
	if l.Delay > 0 {
		return bothWays(l).Ceil()
	}
	metres := int64((l.Cable + unit.Metre - 1) / unit.Metre)
	cable := 1250 * metres * int64(l.Rate/(10*unit.Gbps)) / 100
	return cable + bothWays(thresholds.Link{Rate: l.Rate, Extra: l.Extra}).Ceil()
}

// broadcomAt returns the SDK's row of a speed.
func broadcomAt(rate unit.BitRate) (broadcomSpeed, error) {
	for i := range broadcomSpeeds {
		if broadcomSpeeds[i].rate == rate {
			return broadcomSpeeds[i], nil
		}
	}
	var known []string
	for _, s := range broadcomSpeeds {
		known = append(known, s.rate.String())
	}
	return broadcomSpeed{}, fmt.Errorf("broadcom-th3: the SDK has no row for %v (accepted: %s)", rate,
		strings.Join(known, ", "))
}

// exact returns the cells of the same formula with fractions instead of the
// SDK's integers.
func (s broadcomSum) exact(m thresholds.Mix, l thresholds.Link, mem thresholds.Memory) cells.Count {
	wire := exact.Whole(int64(l.MTU+thresholds.MinFrame+thresholds.WireBytes) + s.response).Plus(
		exact.Whole(s.delay).Times(int64(l.Rate), 8*int64(unit.Gbps)))
	l.Medium = thresholds.Fibre // 10 ns for each metre both ways, as in the SDK
	wire = wire.Plus(bothWays(l))
	sum, den := exact.Whole(0), int64(0)
	for _, f := range m {
		if f.Percent > 0 {
			bytes := int64(f.Size) * f.Percent
			sum = sum.Plus(wire.Times(broadcomStored(f.Size, mem)*bytes, int64(f.Size+thresholds.WireBytes)))
			den += bytes
		}
	}
	// Rounding down first does not change a quotient of integers rounded down.
	return cells.Count(sum.Plus(exact.Whole(s.addition+s.last).Times(den, 1)).Floor() / (den * int64(mem.Cell)))
}

// Explain itemises the sum; the terms add up to what is divided into cells.
func (m BroadcomTH3) Explain(l thresholds.Link, mem thresholds.Memory) (thresholds.Explanation, error) {
	h, s, err := m.size(l, mem)
	if err != nil {
		return thresholds.Explanation{}, err
	}
	kind, source := cableSource(l, "both ways")
	if l.Delay == 0 {
		kind = thresholds.Driver
		source = fmt.Sprintf(
			"10 ns for each metre both ways, whole metres, any medium (the SDK); Link.Extra %v is added each way",
			l.Extra)
	}
	e := thresholds.Explanation{Headroom: h, Terms: []thresholds.Term{
		{Name: "longest frame", Bytes: l.MTU, Kind: thresholds.Driver,
			Source: "MTU: the pause frame waits for it; the SDK's default is 9216"},
		{Name: "cable, both ways", Bytes: unit.Bytes(s.cable), Kind: kind, Source: source},
		{Name: "pause frame", Bytes: thresholds.MinFrame + thresholds.WireBytes, Kind: thresholds.Driver,
			Source: "64 bytes, gap and preamble"},
		{Name: "sender response", Bytes: unit.Bytes(s.response), Kind: thresholds.Driver,
			Source: fmt.Sprintf("%d quanta of 512 at %v", s.quanta, l.Rate)},
		{Name: "transmit and receive", Bytes: unit.Bytes(s.inside), Kind: thresholds.Driver,
			Source: fmt.Sprintf("%d ns at %v", s.delay, l.Rate)},
		{Name: "whole cells", Bytes: unit.Bytes(s.stored - s.wire), Kind: thresholds.Driver,
			Source: fmt.Sprintf("what frames of %v take in cells beyond their bytes on the wire", h.Mix)},
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

func broadcomTH3Warnings(l thresholds.Link, mem thresholds.Memory, sdk, exact cells.Count) (out []string) {
	if l.Rate%(10*unit.Gbps) != 0 && l.Delay == 0 {
		out = append(out, fmt.Sprintf("the SDK divides the speed by 10G in integers, so the cable of %v counts as "+
			"that of %v: %d cells, in fractions %d",
			l.Rate, l.Rate/(10*unit.Gbps)*(10*unit.Gbps), sdk, exact))
	}
	if mem.Cell != 254 || mem.Overhead != 40 {
		out = append(out, fmt.Sprintf("response, delays and added buffer are those of Tomahawk 3 (254-byte cells, "+
			"40 bytes of overhead), not of a chip with %d and %d", mem.Cell, mem.Overhead))
	}
	if l.Medium != thresholds.Fibre && l.Delay == 0 {
		out = append(out, fmt.Sprintf(
			"the SDK counts 10 ns for each metre both ways whatever the medium is; %v is not counted", l.Medium))
	}
	return out
}

// refusal joins the complaints about a method's own parameters.
func refusal(method string, bad complain.List) error {
	if len(bad) == 0 {
		return nil
	}
	return fmt.Errorf("%s refused: %s", method, strings.Join(bad.Texts(), "; "))
}

// bothWays returns what is on the wire both ways, cable or measured
// delay with the extra delay, exactly: bytes.
func bothWays(l thresholds.Link) exact.Ratio {
	return l.OneWay().Times(2*int64(l.Rate), 8*int64(unit.Second))
}

// cableSource says where the delay of the cable comes from and what may take
// its place.
func cableSource(l thresholds.Link, how string) (thresholds.SourceKind, string) {
	kind, source := l.Source()
	return kind, how + ", " + source + " (a measured Link.Delay replaces the cable, Link.Extra adds to it each way)"
}
