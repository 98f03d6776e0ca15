package method

import (
	"fmt"
	"strings"

	"github.com/cellwarden/cellwarden/internal/complain"
	"github.com/cellwarden/cellwarden/internal/exact"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// SONiC sizes headroom as SONiC's dynamic buffer manager does: by the plug-in
// that runs for the switch's chip, to the byte. It reckons in exact fractions
// and rounds where the plug-in rounds; the plug-in reckons in floating point,
// which differs only where a sum lies within its error of a whole KiB.
//
//	propagation = port MTU + cable both ways + gearbox both ways + MAC and PHY + peer response + tile
//	XOFF = lossless MTU + propagation x occupancy, up to a whole KiB
//
// The cable is at 198,000 km/s whatever Link.Medium says. Link.Delay replaces
// it; Link.Extra is added both ways, which SONiC cannot do. The cells that
// small packets waste are reckoned with Chip.Cell; Memory gives the cells in
// which the result is counted.
//
// What SONiC does not model: jitter, FEC, MACsec, a packet's own overhead in
// memory. Rates are whole Mb/s, as in SONiC; others are refused.
type SONiC struct {
	Chip    SONiCChip // zero is refused; see LookupSONiCChip
	Gearbox unit.Time // one way; 0: none. SONiC has 400 ns for NVIDIA's MSN3800, 365 ns for Accton's AS9516
	Lanes   int       // lanes of the port; 8 doubles XON and adds a port MTU to Size, others do not matter
	// packets of 64 bytes among the lossless ones, the others having the lossless MTU;
	// 0: 50%
	SmallPackets   unit.Percent
	SharedHeadroom bool         // there is a shared headroom pool: Size is XON alone, and nothing is compensated
	Variant        SONiCVariant // whose formula; zero: NVIDIA's, as of today
	Corrected      bool         // without the known slips; see SONiCVariant
}

// SONiCVariant is one of the formulas by that name.
//
// All have slips, which are reproduced and, where they enter a sum, named in
// the warnings: SONiCOlder the first two of these. With SONiC.Corrected
//
//   - 800G responds in 1810 pause quanta, not in the 905 of 400G. Inferred: of
//     SONiC's own table for the SN6600 1810 gives 14 rows of 14, 905 none of
//     the three at 800G;
//   - a speed without pause quanta does not fall back to the chip's constant,
//     by which 1.6T would respond in a fifteenth of the bytes of 800G. Inferred:
//     quanta between those of its neighbours, and as long in time as 800G's beyond;
//   - nanoseconds of a gearbox, and of Barefoot's cable, become bytes through
//     8000 bits per Mb/s and ns, not through 8192, which is 2.3 % less.
//
// Nobody calls two oddities slips, and they stay: Barefoot doubles the response
// of 400G, and of it alone; NVIDIA's 64 bytes as a share of the mean packet
// count every packet, not only the small ones. The latter is on the safe side,
// and right if each packet ends in a badly filled cell.
type SONiCVariant int

// The variants.
const (
	// SONiCCurrent is the plug-in for NVIDIA and for the virtual switch: the
	// small packets' share by bytes, whole cells, 2 KiB of compensation.
	SONiCCurrent SONiCVariant = iota
	// SONiCBarefoot is the plug-in for Tofino: the share by packets, cells with
	// a fraction, always a shared headroom pool; lanes do not matter.
	SONiCBarefoot
	// SONiCOlder is what NVIDIA's tables of Spectrum-1 to -4 were made with:
	// the share by packets (100% in them), cells with a fraction, units right.
	// Inferred from the tables: the response is the chip's constant up to
	// Spectrum-3, and 8 lanes have twice XON less 1 KiB; with
	// SONiCChip.NewTables it is the pause quanta, and twice XON.
	SONiCOlder
	sonicVariants
)

var sonicVariantNames = [sonicVariants]string{"current", "barefoot", "older"}

// ParseSONiCVariant reads the name of a variant.
func ParseSONiCVariant(text string) (SONiCVariant, error) {
	for v, name := range sonicVariantNames {
		if text == name {
			return SONiCVariant(v), nil
		}
	}
	return 0, fmt.Errorf("%q is not a variant of SONiC's formula (accepted: %s)", text,
		strings.Join(sonicVariantNames[:], ", "))
}

// String names the variant.
func (v SONiCVariant) String() string {
	if v < 0 || v >= sonicVariants {
		return fmt.Sprintf("variant %d", int(v))
	}
	return sonicVariantNames[v]
}

// Constants of the plug-ins.
const (
	sonicSmall        = int64(thresholds.MinFrame) // minimal_packet_size
	sonicCompensation = 2 * unit.KiB               // headroom_compensation
	sonicKiB          = int64(unit.KiB)            // to which results are rounded up
	sonicDefaultSmall = 50 * unit.OnePercent       // LOSSLESS_TRAFFIC_PATTERN of buffers_config.j2
	sonicMaxKiB       = SONiCKiB(1 << 20 * 100)    // 1 GiB: beyond it somebody mistyped
	sonicMaxCell      = 1 << 20                    // as in Memory.Validate
	sonicMaxLanes     = 16                         // 8 is the most in SONiC today
)

// Method is "sonic-dynamic".
func (SONiC) Method() string { return "sonic-dynamic" }

// sonicSum is the sum on its way to a headroom.
type sonicSum struct {
	cable, extra, gearbox, tile exact.Ratio // bytes, both ways where there are two
	peer                        sonicResponse
	prop                        exact.Ratio // the propagation: all that arrives but the last lossless packet
	waste                       exact.Ratio // by how much of itself the propagation grows in cells: occupancy - 1
	most                        exact.Ratio // the same if all packets are small
	exact                       exact.Ratio // lossless MTU + propagation x occupancy
	rounded                     unit.Bytes
	compensation                unit.Bytes
	slips                       sonicSlip
}

// Size returns what the plug-in would: XON, XOFF and Size in bytes.
func (m SONiC) Size(l thresholds.Link, mem thresholds.Memory) (thresholds.Headroom, error) {
	h, _, err := m.size(l, mem)
	return h, err
}

func (m SONiC) size(l thresholds.Link, mem thresholds.Memory) (h thresholds.Headroom, s sonicSum, err error) {
	if err := m.validate(l, mem); err != nil {
		return h, s, err
	}
	m = m.defaults()
	s = m.sum(l)
	h = thresholds.Headroom{Method: m.Method(), Mix: m.mix(l), XON: m.xon()}
	h.Wire = unit.Bytes(s.prop.Ceil()) + l.LosslessMTU
	h.XOFF = s.rounded + m.extra() + s.compensation
	h.Size = h.XON
	if !m.shared() {
		h.Size += h.XOFF
		if m.Lanes == 8 {
			h.Size += l.MTU
		}
	}
	h.Size = (h.Size + unit.KiB - 1) / unit.KiB * unit.KiB
	h.Cells = mem.Cell.Holding(h.XOFF)
	return h, s, nil
}

// defaults fills in the percentage that SONiC assumes.
func (m SONiC) defaults() SONiC {
	if m.SmallPackets == 0 {
		m.SmallPackets = sonicDefaultSmall
	}
	return m
}

// sum adds up the formula.
func (m SONiC) sum(l thresholds.Link) (s sonicSum) {
	mbps := int64(l.Rate / unit.Mbps)
	s.cable, s.slips = m.cable(l, mbps)
	s.peer = m.response(mbps)
	s.slips |= s.peer.slip
	s.prop = sonicOver(l.MTU, 1, 1).Plus(m.Chip.MACPHY.bytes()).Plus(s.peer.bytes).Plus(s.cable)
	if l.Extra > 0 {
		s.extra = sonicBothWays(l.Extra, mbps, 8000)
		s.prop = s.prop.Plus(s.extra)
	}
	if m.Gearbox > 0 {
		byteBits := int64(8192)
		if m.Corrected || m.Variant == SONiCOlder {
			byteBits = 8000
		} else {
			s.slips |= sonicSlipGearbox
		}
		s.gearbox = sonicBothWays(m.Gearbox, mbps, byteBits)
		s.prop = s.prop.Plus(s.gearbox)
	}
	if m.tile() {
		s.tile = sonicOver(mbps, 3, 200) // 120 ns
		s.prop = s.prop.Plus(s.tile)
	}
	s.waste, s.most = m.waste(l)
	m.round(l, &s)
	return s
}

// round is the end of the formula, where the plug-in rounds.
func (m SONiC) round(l thresholds.Link, s *sonicSum) {
	s.exact = s.prop.Grown(s.waste, int64(l.LosslessMTU))
	s.rounded = unit.Bytes(s.exact.CeilTo(sonicKiB))
	if m.Variant != SONiCCurrent || m.SharedHeadroom || m.SmallPackets == unit.Whole {
		return
	}
	full := unit.Bytes(s.prop.Grown(s.most, int64(l.LosslessMTU)).CeilTo(sonicKiB))
	if s.rounded+m.extra()+sonicCompensation < full {
		s.compensation = sonicCompensation
	}
}

// cable returns the bytes on the cable, both ways: 2 x mm / (198 mm/ns) x Mb/s,
// of which 8000 make a byte.
func (m SONiC) cable(l thresholds.Link, mbps int64) (exact.Ratio, sonicSlip) {
	switch {
	case l.Delay > 0:
		return sonicBothWays(l.Delay, mbps, 8000), 0
	case m.Variant == SONiCBarefoot && !m.Corrected && l.Cable > 0:
		return sonicOver(l.Cable, mbps, 198*4096), sonicSlipCable
	}
	return sonicOver(l.Cable, mbps, 198*4000), 0
}

// sonicBothWays returns the bytes of twice a time, if byteBits of Mb/s x ns
// make a byte.
func sonicBothWays(t unit.Time, mbps, byteBits int64) exact.Ratio {
	return sonicOver(t, mbps, int64(unit.Nanosecond)/2*byteBits)
}

// waste returns by how much of itself a byte grows in memory: with the given
// share of small packets, and with small packets alone.
//
// A small packet is 64 bytes in wcf x 64 bytes of cells. The worst case is a
// packet of a cell and a byte in two cells, unless a cell is larger than that.
func (m SONiC) waste(l thresholds.Link) (given, most exact.Ratio) {
	cell, share := int64(m.Chip.Cell), int64(m.SmallPackets)
	more, of := cell-1, cell+1 // wcf - 1 = 2 x cell / (1 + cell) - 1
	if cell > 2*sonicSmall {
		more, of = cell-sonicSmall, sonicSmall // wcf - 1 = cell / 64 - 1
	}
	if m.Variant != SONiCCurrent {
		return exact.Of(more*share, of*int64(unit.Whole)), exact.Of(more, of)
	}
	more = (more + of - 1) / of // wcf in whole cells
	mean := share*sonicSmall + (int64(unit.Whole)-share)*int64(l.LosslessMTU)
	return exact.Of(more*int64(unit.Whole)*sonicSmall, mean), exact.Whole(more)
}

// xon returns the pipeline's latency, twice for eight lanes.
func (m SONiC) xon() unit.Bytes {
	if m.Lanes != 8 || m.Variant == SONiCBarefoot {
		return m.Chip.PipelineLatency.up()
	}
	xon := (2 * m.Chip.PipelineLatency).up()
	if m.Variant == SONiCOlder && !m.Chip.NewTables {
		xon = max(xon-unit.KiB, 0)
	}
	return xon
}

// shared tells whether Size is XON alone.
func (m SONiC) shared() bool { return m.SharedHeadroom || m.Variant == SONiCBarefoot }

// tile tells whether the chip's tile term counts.
func (m SONiC) tile() bool { return m.Chip.Tile && m.Variant != SONiCBarefoot }

// extra returns what is added after rounding.
func (m SONiC) extra() unit.Bytes {
	if m.Variant != SONiCCurrent {
		return 0
	}
	return m.Chip.Extra
}

// mix returns the packets that the formula assumes; none if their shares are
// not whole percents.
func (m SONiC) mix(l thresholds.Link) thresholds.Mix {
	p := int64(m.SmallPackets / unit.OnePercent)
	switch {
	case m.SmallPackets%unit.OnePercent != 0:
		return thresholds.Mix{}
	case p == 100 || l.LosslessMTU == thresholds.MinFrame:
		return thresholds.Frames(thresholds.MinFrame)
	}
	return thresholds.Mix{{Size: thresholds.MinFrame, Percent: p}, {Size: l.LosslessMTU, Percent: 100 - p}}
}

func (m SONiC) validate(l thresholds.Link, mem thresholds.Memory) error {
	if err := m.Validate(); err != nil {
		return err
	}
	if err := l.Validate(); err != nil {
		return err
	}
	if l.Rate%unit.Mbps != 0 {
		return &thresholds.LinkError{Complaints: []string{fmt.Sprintf("rate %v is not a whole number of Mb/s", l.Rate)}}
	}
	return mem.Validate()
}

// Validate refuses what no switch is, with all complaints in one error.
func (m SONiC) Validate() error {
	c := m.Chip
	if c.Cell >= 1 && c.Cell <= sonicMaxCell && sonicKiBOK(c.PipelineLatency) && sonicKiBOK(c.MACPHY) &&
		sonicKiBOK(c.PeerResponse) &&
		c.Extra >= 0 && c.Extra <= unit.GiB && m.Gearbox >= 0 && m.Gearbox <= thresholds.MaxDelay && m.Lanes >= 0 &&
		m.Lanes <= sonicMaxLanes &&
		m.SmallPackets >= 0 && m.SmallPackets <= unit.Whole && m.Variant >= 0 && m.Variant < sonicVariants {
		return nil
	}
	return &SONiCError{m.complaints().Texts()}
}

func sonicKiBOK(k SONiCKiB) bool { return k >= 0 && k <= sonicMaxKiB }

func (m SONiC) complaints() (bad complain.List) {
	check := func(ok bool, format string, args ...any) {
		if !ok {
			bad.Addf(format, args...)
		}
	}
	c := m.Chip
	check(c.Cell >= 1 && c.Cell <= sonicMaxCell, "chip.cell %d is not between 1 and %d bytes (chips: %s)", c.Cell,
		sonicMaxCell, sonicChipNames())
	check(sonicKiBOK(c.PipelineLatency), "chip.pipeline_latency %v is not between 0KiB and %v", c.PipelineLatency,
		sonicMaxKiB)
	check(sonicKiBOK(c.MACPHY), "chip.mac_phy_delay %v is not between 0KiB and %v", c.MACPHY, sonicMaxKiB)
	check(sonicKiBOK(c.PeerResponse), "chip.peer_response_time %v is not between 0KiB and %v", c.PeerResponse,
		sonicMaxKiB)
	check(c.Extra >= 0 && c.Extra <= unit.GiB, "chip.extra %v is not between 0B and %v", c.Extra, unit.GiB)
	check(m.Gearbox >= 0 && m.Gearbox <= thresholds.MaxDelay, "gearbox %v is not between 0ps and %v", m.Gearbox,
		thresholds.MaxDelay)
	check(m.Lanes >= 0 && m.Lanes <= sonicMaxLanes, "%d lanes are not between 0 and %d", m.Lanes, sonicMaxLanes)
	check(m.SmallPackets >= 0 && m.SmallPackets <= unit.Whole, "small packets %v are not between 0%% and 100%%",
		m.SmallPackets)
	check(m.Variant >= 0 && m.Variant < sonicVariants, "%v is not one of %s", m.Variant,
		strings.Join(sonicVariantNames[:], ", "))
	return bad
}

func sonicChipNames() string {
	names := make([]string, len(sonicChips))
	for i, c := range sonicChips {
		names[i] = c.Name
	}
	return strings.Join(names, ", ")
}

// SONiCError is everything that is wrong with a SONiC.
type SONiCError struct{ Complaints []string }

// Error lists the complaints.
func (e *SONiCError) Error() string {
	return "SONiC's formula refused: " + strings.Join(e.Complaints, "; ")
}
