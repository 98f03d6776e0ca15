package method

import (
	"fmt"
	"strings"

	"github.com/cellwarden/cellwarden/internal/exact"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// Explain itemises the sum in bytes. A term that is a fraction is rounded up. The sum is exact and rounded once, so the
// terms together can exceed it by less than a byte each.
func (m SONiC) Explain(l thresholds.Link, mem thresholds.Memory) (thresholds.Explanation, error) {
	h, s, err := m.size(l, mem)
	if err != nil {
		return thresholds.Explanation{}, err
	}
	assumed := l.Lanes == 0 && m.Lanes == 0
	m.Lanes, m.SharedHeadroom = m.LanesOf(l), m.SharedHeadroom || mem.SharedHeadroom
	e := thresholds.Explanation{Headroom: h, Readings: m.readings(l, mem, h, s), Terms: []thresholds.Term{
		m.propagation(l, s), m.occupancy(l, s),
		{Name: "lossless MTU", Bytes: l.LosslessMTU, Kind: thresholds.Driver,
			Source: "the lossless packet that the sender has begun, in full (" + m.plugin() + ")"},
		{Name: "rounding", Bytes: s.rounded - unit.Bytes(s.exact.Floor()), Kind: thresholds.Driver,
			Source: "up to a whole KiB; the terms above are each rounded up to a byte, their sum is exact (" +
				m.plugin() + ")"},
	}}
	if extra := m.extra(); extra > 0 {
		e.Terms = append(e.Terms, thresholds.Term{Name: "extra of the chip", Bytes: extra, Kind: thresholds.Driver,
			Source: "accounting of the packet buffer of " + m.Chip.Name + " (" + m.plugin() + ")"})
	}
	if s.compensation > 0 {
		e.Terms = append(e.Terms, thresholds.Term{Name: "compensation", Bytes: s.compensation, Kind: thresholds.Driver,
			Source: "still more than 2 KiB below what small packets alone need, and no shared headroom pool (" +
				m.plugin() + ")"})
	}
	if assumed && m.Lanes == 8 && m.Variant != SONiCBarefoot {
		e.Warnings = append(e.Warnings, fmt.Sprintf("assumed: 8 lanes, which double XON to %v: switches with %s have "+
			"ports of %v with 8 lanes alone (%s)", h.XON, m.Chip.Name, l.Rate, sonicEightLanes))
	}
	m.warn(&e, l, mem, s)
	return e, nil
}

// plugin returns the source of the formula.
func (m SONiC) plugin() string {
	switch m.Variant {
	case SONiCBarefoot:
		return "sonic-swss, cfgmgr/buffer_headroom_barefoot.lua"
	case SONiCOlder:
		return "SONiC, doc/qos/dynamically-headroom-calculation.md, and the tables of NVIDIA's switches"
	default:
		return "sonic-swss, cfgmgr/buffer_headroom_mellanox.lua"
	}
}

// propagation is what arrives until the sender stops.
func (m SONiC) propagation(l thresholds.Link, s sonicSum) thresholds.Term {
	t := thresholds.Term{Name: "propagation", Bytes: unit.Bytes(s.prop.Ceil()), Kind: thresholds.Driver,
		Source: "the sum of these terms (" + m.plugin() + ")"}
	add := func(name string, f exact.Ratio, kind thresholds.SourceKind, source string) {
		if !f.IsSet() || f.Ceil() == 0 { // never set, or nothing
			return
		}
		t.Terms = append(t.Terms, thresholds.Term{Name: name, Bytes: unit.Bytes(f.Ceil()), Kind: kind, Source: source})
	}
	kind, source := m.cableSource(l, s)
	peer, why := s.peer.source(m, l.Rate)
	add("port MTU", exact.Whole(l.MTU), thresholds.Driver, "the packet behind which the pause frame waits ("+
		m.plugin()+")")
	add("cable", s.cable, kind, source)
	add("extra delay", s.extra, thresholds.Operator, fmt.Sprintf(
		"both ways, %s each: an option that SONiC does not have", addedText(l)))
	add("gearbox", s.gearbox, thresholds.Driver, m.gearboxSource(s))
	add("MAC and PHY", m.Chip.MACPHY.bytes(), thresholds.Driver,
		fmt.Sprintf("mac_phy_delay %v of %s (%s)", m.Chip.MACPHY, m.Chip.Name, m.Chip.Source))
	add("peer response", s.peer.bytes, peer, why)
	add("tile", s.tile, thresholds.Driver, "120 ns of the port's speed, on chips whose key ends in 4 or 5 ("+
		m.plugin()+")")
	return t
}

// cableSource returns the source of the cable's bytes.
func (m SONiC) cableSource(l thresholds.Link, s sonicSum) (thresholds.SourceKind, string) {
	switch {
	case l.Delay.IsGiven():
		return thresholds.Measured, fmt.Sprintf(
			"measured one-way delay %v, both ways, in place of the cable: an option that SONiC does not have", l.Delay.Or(0))
	case s.slips&sonicSlipCable != 0:
		return thresholds.Driver, fmt.Sprintf(
			"%v both ways at 198,000 km/s, 8192 bits to the Mb/s and ns where 8000 are right (%s)", l.Cable, m.plugin())
	}
	return thresholds.Driver, fmt.Sprintf("%v both ways at 198,000 km/s (%s)", l.Cable, m.plugin())
}

// gearboxSource returns the source of the gearbox's bytes.
func (m SONiC) gearboxSource(s sonicSum) string {
	if s.slips&sonicSlipGearbox != 0 {
		return fmt.Sprintf("%v both ways, 8192 bits to the Mb/s and ns where 8000 are right (%s)", m.Gearbox,
			m.plugin())
	}
	return fmt.Sprintf("gearbox_delay %v both ways", m.Gearbox)
}

// occupancy is what the propagation takes in cells in addition to its bytes.
func (m SONiC) occupancy(l thresholds.Link, s sonicSum) thresholds.Term {
	share := fmt.Sprintf("%v of the packets small", m.small())
	if !m.SmallPackets.IsGiven() {
		share += ", SONiC's default"
	}
	how := "the share is taken as a share of the bytes"
	if m.Variant == SONiCCurrent {
		how = fmt.Sprintf("the other packets have %v, weighted by bytes", l.LosslessMTU)
	}
	return thresholds.Term{Name: "occupancy", Bytes: unit.Bytes(s.prop.TimesRatio(s.waste).Ceil()),
		Kind: thresholds.Driver,
		Source: fmt.Sprintf("cells of %d bytes: the propagation takes %s times its bytes, %s times if all packets "+
			"had 64 bytes; %s, %s (%s)",
			m.Chip.Cell, sonicOnePlus(s.waste), sonicOnePlus(s.most), share, how, m.plugin())}
}

// sonicOnePlus prints 1 + f with four decimals, rounded up.
func sonicOnePlus(f exact.Ratio) string {
	n := f.Plus(exact.Whole(1)).Times(10000, 1).Ceil()
	return fmt.Sprintf("%d.%04d", n/10000, n%10000)
}

// readings are the plug-in's result, and its result if all packets were small.
func (m SONiC) readings(l thresholds.Link, mem thresholds.Memory, h thresholds.Headroom,
	s sonicSum) []thresholds.Reading {
	full := unit.Bytes(s.prop.Grown(s.most, int64(l.LosslessMTU)).CeilTo(sonicKiB)) + m.extra()
	small := thresholds.Reading{Name: "small packets", How: "the same with every packet of 64 bytes",
		Cells: mem.Cell.Holding(full), Bytes: full}
	if s.plugIn == 0 {
		return []thresholds.Reading{{Name: "plug-in", How: "XOFF of the formula, rounded up to cells", Cells: h.Cells,
			Bytes: h.XOFF, Used: true}, small}
	}
	return []thresholds.Reading{
		{Name: "corrected", How: "XOFF of the formula with inferred pause quanta, rounded up to cells", Cells: h.Cells,
			Bytes: h.XOFF, Used: true},
		{Name: "plug-in", How: "with the chip's constant in their place", Cells: mem.Cell.Holding(s.plugIn),
			Bytes: s.plugIn}, small}
}

// warn names the slips that affect the sum, and options that SONiC does not have.
func (m SONiC) warn(e *thresholds.Explanation, l thresholds.Link, mem thresholds.Memory, s sonicSum) {
	add := func(when bool, format string, args ...any) {
		if when {
			e.Warnings = append(e.Warnings, fmt.Sprintf(format, args...))
		}
	}
	add(s.slips&sonicSlip800G != 0,
		"slip: 800G responds in 905 pause quanta as 400G does; inferred from SONiC's tables of Spectrum-6: 1810")
	add(s.plugIn > 0, "no pause quanta for %v: corrected; the plug-in gives %v, with the chip's %v whatever the speed",
		l.Rate, s.plugIn, m.Chip.PeerResponse)
	add(s.slips&sonicSlipUnknown != 0,
		"slip: no pause quanta for %v; the response falls back to the chip's %v, at every speed", l.Rate,
		m.Chip.PeerResponse)
	add(s.slips&sonicSlipGearbox != 0,
		"slip: the gearbox is computed with 8192 bits to the Mb/s and ns, 2.3 %% too little")
	add(s.slips&sonicSlipCable != 0, "slip: the cable is computed with 8192 bits to the Mb/s and ns, 2.3 %% too little")
	if s.slips != 0 {
		m.Corrected, m.Exact = true, false
		right, _ := m.Size(l, mem) // it has not been refused
		add(true, "corrected, XOFF is %v in place of %v", right.XOFF, e.XOFF)
	}
	kind, why := s.peer.source(m, l.Rate)
	add(kind == thresholds.Inferred, "peer response: %s", why)
	add(m.Variant == SONiCOlder,
		"the older formula is inferred from NVIDIA's tables of Spectrum-1 to -4 for up to 300m, all of small packets")
	barefoot := strings.HasPrefix(m.Chip.Key, "BAREFOOT")
	add(m.Chip.Key != "" && barefoot != (m.Variant == SONiCBarefoot), "SONiC does not run the %v formula on %s",
		m.Variant, m.Chip.Name)
	add(!l.Delay.IsGiven() && l.Medium != thresholds.Fibre && l.Medium != thresholds.FibreNVIDIA,
		"%v is computed as fibre: SONiC has no other medium", l.Medium)
}

// sonicDen is a common denominator of every term of SONiC's sum: a cable's 198 x 4000 and 198 x 4096, a delay's 500 x
// 8000 and 500 x 8192, a hundredth of a KiB, and the differences between speeds. Terms over it can be added without
// being reduced.
//
// The largest accepted propagation, below 2^40 bytes, and the largest occupancy, 2^34 over 2^28, give a numerator below
// 2^111 and a denominator below 2^64.
const sonicDen = 1 << 15 * 99 * 15625

// sonicOver returns a x b / den over sonicDen. a x b must be below 2^64, and den a divisor of sonicDen.
func sonicOver[T ~int64](a T, b, den int64) exact.Ratio {
	return exact.Over(int64(a), b, den, sonicDen)
}
