package thresholds

import (
	"fmt"
	"strings"

	"github.com/cellwarden/cellwarden/unit"
)

// Explain itemises the sum in bytes. A term that is a fraction is rounded up
// for itself; the sum is exact and rounded once, so that the terms together
// may exceed it by less than a byte each.
func (m SONiC) Explain(l Link, mem Memory) (Explanation, error) {
	h, s, err := m.size(l, mem)
	if err != nil {
		return Explanation{}, err
	}
	given := m.SmallPackets
	m = m.defaults()
	e := Explanation{Headroom: h, Readings: m.readings(l, mem, h, s), Terms: []Term{
		m.propagation(l, s), m.occupancy(l, s, given),
		{Name: "lossless MTU", Bytes: l.LosslessMTU, Kind: Driver, Source: "the lossless packet that the sender has begun, in full (" + m.plugin() + ")"},
		{Name: "rounding", Bytes: s.rounded - unit.Bytes(s.exact.floor()), Kind: Driver,
			Source: "up to a whole KiB; the terms above are each rounded up to a byte, their sum is exact (" + m.plugin() + ")"},
	}}
	if extra := m.extra(); extra > 0 {
		e.Terms = append(e.Terms, Term{Name: "extra of the chip", Bytes: extra, Kind: Driver, Source: "accounting of the packet buffer of " + m.Chip.Name + " (" + m.plugin() + ")"})
	}
	if s.compensation > 0 {
		e.Terms = append(e.Terms, Term{Name: "compensation", Bytes: s.compensation, Kind: Driver,
			Source: "still more than 2 KiB below what small packets alone need, and no shared headroom pool (" + m.plugin() + ")"})
	}
	m.warn(&e, l, mem, s)
	return e, nil
}

// plugin names the source of the formula.
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

// propagation is what arrives until the sender is silent.
func (m SONiC) propagation(l Link, s sonicSum) Term {
	t := Term{Name: "propagation", Bytes: unit.Bytes(s.prop.ceil()), Kind: Driver, Source: "the sum of these terms (" + m.plugin() + ")"}
	add := func(name string, f frac, kind SourceKind, source string) {
		if f.den == 0 || f.ceil() == 0 { // never set, or nothing
			return
		}
		t.Terms = append(t.Terms, Term{Name: name, Bytes: unit.Bytes(f.ceil()), Kind: kind, Source: source})
	}
	kind, source := m.cableSource(l, s)
	peer, why := s.peer.source(m, l.Rate)
	add("port MTU", whole(l.MTU), Driver, "the packet behind which the pause frame waits ("+m.plugin()+")")
	add("cable", s.cable, kind, source)
	add("extra delay", s.extra, Operator, fmt.Sprintf("both ways, %v each: an option that SONiC does not have", l.Extra))
	add("gearbox", s.gearbox, Driver, m.gearboxSource(s))
	add("MAC and PHY", m.Chip.MACPHY.bytes(), Driver, fmt.Sprintf("mac_phy_delay %v of %s (%s)", m.Chip.MACPHY, m.Chip.Name, m.Chip.Source))
	add("peer response", s.peer.bytes, peer, why)
	add("tile", s.tile, Driver, "120 ns of the port's speed, on chips whose key ends in 4 or 5 ("+m.plugin()+")")
	return t
}

// cableSource says what the cable's bytes come from.
func (m SONiC) cableSource(l Link, s sonicSum) (SourceKind, string) {
	switch {
	case l.Delay > 0:
		return Measured, fmt.Sprintf("measured one-way delay %v, both ways, in place of the cable: an option that SONiC does not have", l.Delay)
	case s.slips&sonicSlipCable != 0:
		return Driver, fmt.Sprintf("%v both ways at 198,000 km/s, 8192 bits to the Mb/s and ns where 8000 are right (%s)", l.Cable, m.plugin())
	}
	return Driver, fmt.Sprintf("%v both ways at 198,000 km/s (%s)", l.Cable, m.plugin())
}

// gearboxSource says what the gearbox's bytes come from.
func (m SONiC) gearboxSource(s sonicSum) string {
	if s.slips&sonicSlipGearbox != 0 {
		return fmt.Sprintf("%v both ways, 8192 bits to the Mb/s and ns where 8000 are right (%s)", m.Gearbox, m.plugin())
	}
	return fmt.Sprintf("gearbox_delay %v both ways", m.Gearbox)
}

// occupancy is what the propagation takes in cells beyond its own bytes.
func (m SONiC) occupancy(l Link, s sonicSum, given unit.Percent) Term {
	share := fmt.Sprintf("%v of the packets small", m.SmallPackets)
	if given == 0 {
		share += ", SONiC's default"
	}
	how := "the share taken as one of bytes"
	if m.Variant == SONiCCurrent {
		how = fmt.Sprintf("the others of %v, weighed by bytes", l.LosslessMTU)
	}
	return Term{Name: "occupancy", Bytes: unit.Bytes(sonicTimes(s.prop, s.waste.lo, s.waste.den).ceil()), Kind: Driver,
		Source: fmt.Sprintf("cells of %d bytes: the propagation takes %s times its bytes, %s times if all packets had 64 bytes; %s, %s (%s)",
			m.Chip.Cell, sonicOnePlus(s.waste), sonicOnePlus(s.most), share, how, m.plugin())}
}

// sonicOnePlus prints 1 + f with four decimals, rounded up.
func sonicOnePlus(f frac) string {
	n := f.plus(whole(1)).times(10000, 1).ceil()
	return fmt.Sprintf("%d.%04d", n/10000, n%10000)
}

// readings are the plug-in's number, and the one it would give if all packets
// were small.
func (m SONiC) readings(l Link, mem Memory, h Headroom, s sonicSum) []Reading {
	full := unit.Bytes(sonicGrown(s.prop, s.most, l.LosslessMTU).ceilTo(sonicKiB)) + m.extra()
	return []Reading{
		{Name: "plug-in", How: "XOFF of the formula, rounded up to cells", Cells: h.Cells, Bytes: h.XOFF, Used: true},
		{Name: "small packets", How: "the same with every packet of 64 bytes", Cells: mem.Cell.Holding(full), Bytes: full},
	}
}

// warn names the slips in the sum, and what was asked beyond SONiC.
func (m SONiC) warn(e *Explanation, l Link, mem Memory, s sonicSum) {
	add := func(when bool, format string, args ...any) {
		if when {
			e.Warnings = append(e.Warnings, fmt.Sprintf(format, args...))
		}
	}
	add(s.slips&sonicSlip800G != 0, "slip: 800G responds in 905 pause quanta as 400G does; inferred from SONiC's tables of Spectrum-6: 1810")
	add(s.slips&sonicSlipUnknown != 0, "slip: no pause quanta for %v; the response falls back to the chip's %v, whatever the speed", l.Rate, m.Chip.PeerResponse)
	add(s.slips&sonicSlipGearbox != 0, "slip: the gearbox is reckoned with 8192 bits to the Mb/s and ns, 2.3 %% too little")
	add(s.slips&sonicSlipCable != 0, "slip: the cable is reckoned with 8192 bits to the Mb/s and ns, 2.3 %% too little")
	if s.slips != 0 {
		m.Corrected = true
		right, _ := m.Size(l, mem) // it has not been refused
		add(true, "corrected, XOFF is %v in place of %v", right.XOFF, e.XOFF)
	}
	kind, why := s.peer.source(m, l.Rate)
	add(kind == Inferred, "peer response: %s", why)
	add(m.Variant == SONiCOlder, "the older formula is inferred from NVIDIA's tables of Spectrum-1 to -4 for up to 300m, all of small packets")
	barefoot := strings.HasPrefix(m.Chip.Key, "BAREFOOT")
	add(m.Chip.Key != "" && barefoot != (m.Variant == SONiCBarefoot), "SONiC does not run the %v formula on %s", m.Variant, m.Chip.Name)
	add(l.Delay == 0 && l.Medium != Fibre && l.Medium != FibreNVIDIA, "%v is reckoned as fibre: SONiC knows no other medium", l.Medium)
}
