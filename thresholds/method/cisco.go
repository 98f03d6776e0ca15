package method

import (
	"errors"
	"fmt"

	"github.com/cellwarden/cellwarden/internal/exact"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// What NX-OS gives a no-drop class at 10G over 100 m, by the book.
const (
	ciscoFrom              = 100 * unit.Metre
	ciscoBuffer unit.Bytes = 104000
	ciscoPause  unit.Bytes = 20800
	ciscoResume unit.Bytes = 19136
	ciscoRate              = 10 * unit.Gbps
	ciscoTicks             = 9900 // to the picosecond: in them every medium's delay of a millimetre is whole
)

// CiscoPractical sizes headroom from one configuration that is known to work, as NX-OS practitioners do. The headroom
// at one length of cable is buffer-size minus pause-threshold. Another length changes it by the cable's delay alone, in
// both directions at the link's rate (5 ns/m for fibre). Nothing else is computed, so the result is as good as the
// known configuration.
//
// In the Headroom, XOFF is the headroom in bytes, and Cells rounds it up. XON is the pause-threshold, XONOffset the
// hysteresis, and Size the buffer-size. NX-OS expects whole cells; a warning gives the rounded values.
//
// A shorter cable gets less. A cable so short that nothing remains is refused. A measured Link.Delay replaces the
// cable's delay, and Link.Extra is added for each direction. The MTUs do not matter, because the known configuration
// covers them.
//
// The method does not reproduce the vendor's second value: from 100 m, 10 km need 206,950 bytes, and the vendor gives
// 145,600. The vendor's value agrees with the itemised sum (see [CoveredLength]); the default for 100 m is the generous
// one. Start from the longest known length.
//
// Source: Cisco Press, congestion management in Ethernet storage networks.
// Cisco's public documentation does not have these values.
type CiscoPractical struct {
	// From is the length of the cable for which the other values are known.
	// Absent: 100 m. Refused: negative, above MaxCable.
	From unit.Optional[unit.Length]
	// BufferSize is buffer-size, the bytes that the class may hold. Absent: 104,000. The book has 166,400 for 10 km.
	// Refused: not above PauseThreshold.
	BufferSize unit.Optional[unit.Bytes]
	// PauseThreshold is pause-threshold in bytes, where pausing begins. Absent: 20,800. Refused: below ResumeThreshold.
	PauseThreshold unit.Optional[unit.Bytes]
	// ResumeThreshold is resume-threshold in bytes, where pausing ends. Absent: 19,136. Refused: negative.
	ResumeThreshold unit.Optional[unit.Bytes]
}

// Method returns "cisco-practical".
func (CiscoPractical) Method() string { return "cisco-practical" }

// ciscoValues are the values of the known configuration, the book's where none is given.
type ciscoValues struct {
	from                  unit.Length
	buffer, pause, resume unit.Bytes
}

func (m CiscoPractical) values() ciscoValues {
	return ciscoValues{m.From.Or(ciscoFrom), m.BufferSize.Or(ciscoBuffer), m.PauseThreshold.Or(ciscoPause),
		m.ResumeThreshold.Or(ciscoResume)}
}

// Footroom returns what the class still holds when the sender may resume: the resume-threshold. With too little of it
// the egress runs empty before new frames arrive.
func (m CiscoPractical) Footroom() unit.Bytes { return m.values().resume }

// Hysteresis returns how far below the pause-threshold the class resumes, in
// bytes: 1,664 by default, which is 4 cells of 416.
func (m CiscoPractical) Hysteresis() unit.Bytes {
	v := m.values()
	return v.pause - v.resume
}

// Known returns the headroom of the known configuration: buffer-size minus
// pause-threshold, in bytes; 83,200 by default.
func (m CiscoPractical) Known() unit.Bytes {
	v := m.values()
	return v.buffer - v.pause
}

// Validate refuses values out of order, with all complaints in one error.
func (m CiscoPractical) Validate() error {
	const most = 1 << 40
	var bad fielderr.List
	v := m.values()
	fielderr.Between(&bad, "known length", v.from, 0, thresholds.MaxCable)
	if v.resume < 0 {
		bad.Addf("resume-threshold %v is negative", v.resume)
	}
	if v.pause < v.resume {
		bad.Addf("pause-threshold %v is under the resume-threshold %v", v.pause, v.resume)
	}
	if v.buffer <= v.pause || v.buffer > most {
		bad.Addf("buffer-size %v is not above the pause-threshold %v and at most %v",
			v.buffer, v.pause, unit.Bytes(most))
	}
	return refusal(m.Method(), bad)
}

// Size returns the known configuration for the link's length. It allocates only if it returns an error.
func (m CiscoPractical) Size(l thresholds.Link, mem thresholds.Memory) (thresholds.Headroom, error) {
	if err := errors.Join(m.Validate(), l.Validate(), mem.Validate()); err != nil {
		return thresholds.Headroom{}, err
	}
	v := m.values()
	beyond := m.beyond(l)
	h := thresholds.Headroom{Method: m.Method(), XOFF: m.Known() + beyond, XON: v.pause,
		XONOffset: unit.Given(m.Hysteresis())}
	if h.XOFF <= 0 {
		return thresholds.Headroom{}, fmt.Errorf(
			"%s: %v are known at %v, and the link is shorter by %v of cable at %v: no headroom remains", m.Method(),
			m.Known(), v.from, -beyond, l.Rate)
	}
	h.Cells = mem.Cell.Holding(h.XOFF)
	h.Size = h.XON + h.XOFF
	return h, nil
}

// beyond returns the bytes in both directions of the cable beyond the known
// length, rounded up; negative for a shorter cable.
func (m CiscoPractical) beyond(l thresholds.Link) unit.Bytes {
	ticks := l.OneWay().Times(ciscoTicks, 1).Ceil() - l.Medium.Delay(m.values().from).Times(ciscoTicks, 1).Ceil()
	bytes := func(n int64) exact.Ratio {
		return exact.Of(n, ciscoTicks).Times(2*int64(l.Rate), 8*int64(unit.Second))
	}
	if ticks < 0 {
		return -unit.Bytes(bytes(-ticks).Floor())
	}
	return unit.Bytes(bytes(ticks).Ceil())
}

// Explain itemises the buffer. The terms add up to Size.
func (m CiscoPractical) Explain(l thresholds.Link, mem thresholds.Memory) (thresholds.Explanation, error) {
	h, err := m.Size(l, mem)
	if err != nil {
		return thresholds.Explanation{}, err
	}
	kind, known := thresholds.Operator, "given"
	if m == (CiscoPractical{}) {
		kind, known = thresholds.VendorTable, "default of a no-drop class at 10G ("+thresholds.CiscoPress+")"
	}
	v := m.values()
	cableKind, source := cableSource(l, fmt.Sprintf("both ways beyond %v", v.from))
	e := thresholds.Explanation{Headroom: h, Terms: []thresholds.Term{
		{Name: "footroom", Bytes: m.Footroom(), Kind: kind, Source: "resume-threshold, " + known},
		{Name: "hysteresis", Bytes: m.Hysteresis(), Kind: kind, Source: fmt.Sprintf(
			"pause-threshold %v less resume-threshold, %s", v.pause, known)},
		{Name: fmt.Sprintf("headroom at %v", v.from), Bytes: m.Known(), Kind: kind,
			Source: fmt.Sprintf("buffer-size %v less pause-threshold, %s", v.buffer, known)},
		{Name: "cable beyond", Bytes: m.beyond(l), BitTimes: int64(m.beyond(l)) * 8, Kind: cableKind, Source: source},
	}}
	e.Readings = []thresholds.Reading{{Name: "as given", How: "bytes, rounded up to cells", Cells: h.Cells,
		Bytes: h.XOFF, Used: true}}
	for _, n := range []struct {
		name  string
		bytes unit.Bytes
	}{{"buffer-size", h.Size}, {"pause-threshold", v.pause}, {"resume-threshold", v.resume}} {
		if up := mem.Cell.Holding(n.bytes); mem.Cell.Bytes(up) != n.bytes {
			e.Warnings = append(e.Warnings, fmt.Sprintf(
				"%s %v is not a multiple of the %d-byte cell: it must become %v (%d cells)", n.name, n.bytes,
				mem.Cell, mem.Cell.Bytes(up), up))
		}
	}
	if kind == thresholds.VendorTable && l.Rate != ciscoRate {
		e.Warnings = append(e.Warnings, fmt.Sprintf(
			"the book's numbers are for %v; only the cable is computed for %v", ciscoRate, l.Rate))
	}
	warnResponse(&e, l, "the thresholds are known with whatever sender they were made for")
	if sum, err := (thresholds.IEEE{}).Size(l, mem); err == nil && sum.Wire > h.XOFF {
		e.Warnings = append(e.Warnings, fmt.Sprintf(
			"the headroom of %v is less than the itemised sum of %s: %v on the wire", h.XOFF, sum.Method, sum.Wire))
	}
	return e, nil
}

// CoveredLength returns the length of cable that a headroom of n bytes covers by the itemised sum of [thresholds.IEEE]
// with the delays of both ends as sum says, rounded down to a millimetre and at most MaxCable. The link's rate, medium,
// extra delay and MTUs count; its own cable and measured delay are ignored. The bytes are those on the link, without
// the waste of cells. A headroom that is too small for a link without cable is refused, and so are speeds that IEEE
// refuses.
//
// By the texts' delays the 83,200 bytes for 100 m cover 5.25 km, and the 145,600 for 10 km cover
// 10.25 km. The second value is the sum with a margin of 245 m; the first is
// four times the sum.
func CoveredLength(headroom unit.Bytes, l thresholds.Link, sum thresholds.DelaySum) (unit.Length, error) {
	l.Cable, l.Delay, l.Measured = 0, unit.Optional[unit.Time]{}, thresholds.Measurement{}
	m := thresholds.IEEE{Delays: thresholds.Delays{Sum: sum}}
	bare, err := m.Size(l, thresholds.Memory{Cell: 1})
	if err != nil {
		return 0, err
	}
	if headroom < bare.Wire || headroom > 1<<40 {
		return 0, fmt.Errorf("headroom of %v is not between the %v that %v needs without cable and %v", headroom,
			bare.Wire, l.Rate, unit.Bytes(1<<40))
	}
	bits := (int64(headroom)*8 - bare.BitTimes) / 2
	ps, millimetres := l.Medium.Pace()
	length := exact.Whole(bits).Times(int64(unit.Second), int64(l.Rate)).Times(millimetres, ps).Floor()
	return min(unit.Length(length), thresholds.MaxCable), nil
}
