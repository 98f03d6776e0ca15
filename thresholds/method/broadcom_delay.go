package method

import (
	"errors"
	"fmt"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/exact"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

const (
	broadcomDelaySource = "OpenBCM SDK 6.5.27 src/soc/esw/mmu_config.c"

	// broadcomMaxPacket is the longest packet that the SDK expects (bytes;
	// include/soc/tomahawk.h); with 64 bytes of header it is 46 cells of 208.
	broadcomMaxPacket unit.Bytes = 9416

	// broadcomWorst is the packet that wastes most of a 208-byte cell with a
	// 64-byte header: one byte more than fits into one cell.
	broadcomWorst      unit.Bytes = 145
	broadcomWorstCells int64      = 2
)

// BroadcomDelay sizes headroom as Broadcom's SDK does on every XGS chip when a
// priority group has a user delay and a switch delay:
//
//	cells = cells(largest packet) + Mb/s * ns * 2 / (8 * (12 + 8 + 145) * 1000)
//
// The second part is the packets of 145 bytes that arrive during both delays. With gap and preamble each takes 165
// bytes on the link, and two cells in the memory. The factor 2 is these two cells and not the two directions of the
// link, so the delays are totals. The division is of integers and rounds down, as in the SDK.
//
// 145 bytes and 2 cells are the worst case for cells of 208 bytes with 64 bytes of header. The SDK uses them on other
// chips too, and so does this method, with a warning. The link's MTUs do not matter.
//
// Source: OpenBCM SDK 6.5.27 src/soc/esw/mmu_config.c.
type BroadcomDelay struct {
	// UserDelay is all delay outside the switch, for both directions together. The SDK counts whole nanoseconds; fractions
	// are rounded up. Absent: both directions of the link's cable, or of its measured delay. The link's extra delay is
	// added in either case, for each direction. Refused: negative, above twice MaxDelay.
	UserDelay unit.Optional[unit.Time]
	// SwitchDelay is the time that the switch needs to notice and to pause, in total. Absent: none, which causes a
	// warning. Refused: negative, above MaxDelay.
	SwitchDelay unit.Optional[unit.Time]
	// MaxPacket is the longest packet of any class, in bytes. Absent: 9416, the SDK's. Refused: lengths that no frame has.
	MaxPacket unit.Optional[unit.Bytes]
}

// Method returns "broadcom-delay".
func (BroadcomDelay) Method() string { return "broadcom-delay" }

// Validate refuses values out of range, with all complaints in one error.
func (m BroadcomDelay) Validate() error {
	var bad fielderr.List
	fielderr.Between(&bad, "user delay", m.UserDelay.Or(0), 0, 2*thresholds.MaxDelay)
	fielderr.Between(&bad, "switch delay", m.SwitchDelay.Or(0), 0, thresholds.MaxDelay)
	fielderr.Between(&bad, "largest packet", m.packet(), thresholds.MinFrame, thresholds.MaxFrameSize)
	return refusal(m.Method(), bad)
}

// Size returns the SDK's cells. It allocates only if it returns an error.
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

// packet returns the largest packet.
func (m BroadcomDelay) packet() unit.Bytes { return m.MaxPacket.Or(broadcomMaxPacket) }

// parts returns the largest packet, and the two delays in whole nanoseconds.
func (m BroadcomDelay) parts(l thresholds.Link) (packet unit.Bytes, user, inside int64) {
	outside := l.OneWay().Times(2, 1).Plus(exact.Whole(l.Response.Or(0)))
	if user, ok := m.UserDelay.Get(); ok {
		outside = exact.Whole(user + 2*l.Added())
	}
	return m.packet(), outside.Times(1, int64(unit.Nanosecond)).Ceil(),
		exact.Whole(m.SwitchDelay.Or(0)).Times(1, int64(unit.Nanosecond)).Ceil()
}

// broadcomBits returns the number of bits that arrive in ns nanoseconds.
func broadcomBits(l thresholds.Link, ns int64) int64 {
	return l.Rate.BitsIn(unit.Time(ns) * unit.Nanosecond)
}

// Explain itemises what arrives. The reading is the SDK's way of storing it.
func (m BroadcomDelay) Explain(l thresholds.Link, mem thresholds.Memory) (thresholds.Explanation, error) {
	h, err := m.Size(l, mem)
	if err != nil {
		return thresholds.Explanation{}, err
	}
	packet, user, inside := m.parts(l)
	userKind, userSource := cableSource(l, "both ways")
	if t, given := l.Response.Get(); given {
		userSource += fmt.Sprintf(" + response time %v, given for the sender of this link", t)
	}
	if m.UserDelay.IsGiven() {
		userKind, userSource = thresholds.Operator,
			fmt.Sprintf("user delay %v, in place of the cable; %s is added each way", m.UserDelay, addedText(l))
	}
	inKind, inSource := thresholds.Operator, "as configured; the SDK has no default"
	if !m.SwitchDelay.IsGiven() {
		inKind, inSource = thresholds.Driver, "not given, and the SDK has no default: none is counted"
	}
	e := thresholds.Explanation{Headroom: h, Terms: []thresholds.Term{
		{Name: "longest packet", BitTimes: int64(packet) * 8, Kind: thresholds.Driver,
			Source: fmt.Sprintf("%d cells (%s)", mem.Cell.Packet(packet, mem.Overhead), broadcomDelaySource)},
		{Name: "user delay", BitTimes: broadcomBits(l, user), Kind: userKind, Source: userSource},
		{Name: "switch delay", BitTimes: broadcomBits(l, inside), Kind: inKind, Source: inSource},
	}}
	for i := range e.Terms {
		e.Terms[i].Bytes = unit.InBytes(e.Terms[i].BitTimes)
	}
	e.Readings = []thresholds.Reading{{Name: "worst packets", Cells: h.Cells, Bytes: h.XOFF, Used: true,
		How: fmt.Sprintf("%d cells for each %v on the wire, rounded down, and the longest packet", broadcomWorstCells,
			broadcomWorst+thresholds.WireBytes)}}
	e.Warnings = m.warnings(l, mem)
	if m.UserDelay.IsGiven() {
		warnResponse(&e, l, "the user delay is all the delay outside the switch")
	}
	return e, nil
}

// warnings lists where the formula does not suit the chip or the link.
func (m BroadcomDelay) warnings(l thresholds.Link, mem thresholds.Memory) (out []string) {
	if mem.Cell != 208 || mem.Overhead != 64 {
		out = append(out, fmt.Sprintf("the SDK counts two cells for each packet of %v, the worst case of 208-byte "+
			"cells with 64 bytes of header and not of %d-byte cells with %d",
			broadcomWorst, mem.Cell, mem.Overhead))
	}
	if !m.SwitchDelay.IsGiven() {
		missing := "the response times of both ends"
		if l.Response.IsGiven() && !m.UserDelay.IsGiven() {
			missing = "the response time of this end"
		}
		out = append(out, "no switch delay is given: the sum does not contain "+missing)
	}
	user, given := m.UserDelay.Get()
	if measured, ok := l.Delay.Get(); ok && given {
		out = append(out, fmt.Sprintf("the user delay %v is used, the measured delay %v is not", user, measured))
	}
	return out
}
