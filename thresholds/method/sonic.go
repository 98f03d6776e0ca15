package method

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/cellwarden/cellwarden/internal/exact"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/internal/grouped"
	"github.com/cellwarden/cellwarden/internal/named"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// SONiC sizes headroom as SONiC's dynamic buffer manager does. It reproduces the plug-in that runs for the switch's
// chip, to the byte. It computes in exact fractions and rounds where the plug-in rounds. The plug-in uses floating
// point, which gives another result only if a sum is within its error of a whole KiB.
//
//	propagation = port MTU + cable both ways + gearbox both ways + MAC and PHY + peer response + tile
//	XOFF = lossless MTU + propagation x occupancy, up to a whole KiB
//
// The cable's speed is 198,000 km/s, whatever Link.Medium is. Link.Delay replaces the cable. Link.Extra is added for
// both directions, which SONiC does not have. The waste of small packets depends on Chip.Cell; Memory gives the cells
// in which the result is counted.
//
// SONiC does not model jitter, FEC, MACsec, or the overhead of a packet in
// memory. Rates are whole Mb/s, as in SONiC; others are refused.
type SONiC struct {
	Chip    SONiCChip // required; see LookupSONiCChip
	Gearbox unit.Time // one way; 0: none. SONiC has 400 ns for NVIDIA's MSN3800, 365 ns for Accton's AS9516
	// Lanes is the width of ports whose Link does not state it; 8 doubles XON and adds a port MTU to Size. 0: 8 at the
	// speed that the chip has with 8 lanes alone (SONiCChip.EightLanes), and fewer at others.
	Lanes int
	// SmallPackets is the share of packets of 64 bytes among the lossless
	// packets. The others have the lossless MTU. Absent: 50%.
	SmallPackets unit.Optional[unit.Percent]
	// SharedHeadroom says that there is a shared headroom pool, whatever Memory says: Size is XON
	// alone, and nothing is compensated.
	SharedHeadroom bool
	Variant        SONiCVariant // which formula; zero: NVIDIA's present one
	Corrected      bool         // without the known slips; see SONiCVariant
	// Exact gives the plug-in's number at every speed. Without it the corrected number is the answer at a speed for which
	// the plug-in has no pause quanta, if that is more: the plug-in then takes a constant of the chip, which at 1.6T is a
	// fifteenth of the response of 800G. Refused together with Corrected.
	Exact bool
}

// SONiCVariant selects one of the formulas of that name.
//
// All of them have slips. They are reproduced, and the warnings name those that
// affect the sum. SONiCOlder has the first two. SONiC.Corrected changes them:
//
//   - 800G responds in 1810 pause quanta, not in the 905 of 400G. Inferred:
//     with 1810, 14 of 14 rows of SONiC's own table for the SN6600 are
//     reproduced; with 905 none of the three at 800G.
//   - A speed without pause quanta does not fall back to the chip's constant,
//     with which 1.6T would respond in a fifteenth of the bytes of 800G.
//     Inferred: the quanta are interpolated between the neighbouring speeds;
//     above 800G the response takes as long as at 800G.
//   - Nanoseconds of a gearbox, and of Barefoot's cable, are converted to bytes
//     with 8000 bits per Mb/s and ns, not with 8192, which gives 2.3 % less.
//
// Two oddities are not called slips, and stay: Barefoot doubles the response of 400G and of no other speed; NVIDIA's 64
// bytes as a share of the mean packet count every packet, not only the small ones. The second is on the safe side, and
// correct if each packet ends in a badly filled cell.
type SONiCVariant int

// The variants.
const (
	// SONiCCurrent is the plug-in for NVIDIA and for the virtual switch: the share of small packets is one of bytes, cells
	// are whole, and 2 KiB are compensated.
	SONiCCurrent SONiCVariant = iota
	// SONiCBarefoot is the plug-in for Tofino: the share is one of packets, cells can be fractions, the headroom is always
	// a shared pool, and lanes do not matter.
	SONiCBarefoot
	// SONiCOlder is the formula with which NVIDIA's tables of Spectrum-1 to -4 were made: the share is one of packets
	// (100% in the tables), cells can be fractions, and units are right. Inferred from the tables: the response is the
	// chip's constant up to Spectrum-3, and 8 lanes have twice XON less 1 KiB. With SONiCChip.NewTables the response is
	// the pause quanta, and 8 lanes have twice XON.
	SONiCOlder
	sonicVariants
)

// sonicVariantNames are the names in files and flags.
var sonicVariantNames = [sonicVariants]string{"current", "barefoot", "older"}

// ParseSONiCVariant reads the name of a variant.
func ParseSONiCVariant(text string) (SONiCVariant, error) {
	return named.Parse[SONiCVariant](text, "not a variant of SONiC's formula", sonicVariantNames[:]...)
}

// String returns the name of the variant.
func (v SONiCVariant) String() string { return named.Of(v, "variant", sonicVariantNames[:]...) }

// Constants of the plug-ins.
const (
	sonicSmall        = int64(thresholds.MinFrame) // minimal_packet_size
	sonicCompensation = 2 * unit.KiB               // headroom_compensation
	sonicKiB          = int64(unit.KiB)            // to which results are rounded up
	sonicDefaultSmall = 50 * unit.OnePercent       // LOSSLESS_TRAFFIC_PATTERN of buffers_config.j2
	sonicMaxKiB       = SONiCKiB(1 << 20 * 100)    // 1 GiB: more is a typing error
	sonicMaxCell      = 1 << 20                    // as in Memory.Validate
	sonicMaxLanes     = 16                         // 8 is the most in SONiC today
)

// Method returns "sonic-dynamic".
func (SONiC) Method() string { return "sonic-dynamic" }

// sonicSum is the terms of the formula.
type sonicSum struct {
	cable, extra, gearbox, tile exact.Ratio // bytes in both directions, like extra and gearbox
	peer                        sonicResponse
	prop                        exact.Ratio // propagation: all that arrives except the last lossless packet
	// occupancy - 1: by which fraction of itself the propagation grows in cells
	waste        exact.Ratio
	most         exact.Ratio // waste if all packets are small
	exact        exact.Ratio // lossless MTU + propagation x occupancy
	rounded      unit.Bytes
	compensation unit.Bytes
	slips        sonicSlip
	plugIn       unit.Bytes // XOFF of the plug-in, where the corrected number took its place; 0: it is the answer
}

// Size returns the plug-in's XON, XOFF and Size in bytes, or the corrected ones
// at a speed that the plug-in does not know; see Exact.
func (m SONiC) Size(l thresholds.Link, mem thresholds.Memory) (thresholds.Headroom, error) {
	h, _, err := m.size(l, mem)
	return h, err
}

// size returns the headroom and its terms.
func (m SONiC) size(l thresholds.Link, mem thresholds.Memory) (h thresholds.Headroom, s sonicSum, err error) {
	if err := m.validate(l, mem); err != nil {
		return h, s, err
	}
	m.Lanes, m.SharedHeadroom = m.LanesOf(l), m.SharedHeadroom || mem.SharedHeadroom
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
	if s.slips&sonicSlipUnknown != 0 && !m.Exact {
		m.Corrected = true
		if right, sum, _ := m.size(l, mem); right.XOFF > h.XOFF { // it has not been refused
			sum.plugIn = h.XOFF
			return right, sum, nil
		}
	}
	return h, s, nil
}

// LanesOf returns the width of a link's port: what the link states, else what the method does, else 8 at the speed that
// the chip has with 8 lanes alone. 0: not known, and fewer than 8.
func (m SONiC) LanesOf(l thresholds.Link) int {
	if given := cmp.Or(l.Lanes, m.Lanes); given > 0 || m.Chip.EightLanes == 0 || l.Rate != m.Chip.EightLanes {
		return given
	}
	return 8
}

// small returns the share of small packets, or SONiC's default.
func (m SONiC) small() unit.Percent { return m.SmallPackets.Or(sonicDefaultSmall) }

// sum computes the terms.
func (m SONiC) sum(l thresholds.Link) (s sonicSum) {
	mbps := int64(l.Rate / unit.Mbps)
	s.cable, s.slips = m.cable(l, mbps)
	s.peer = m.responseOf(l, mbps)
	s.slips |= s.peer.slip
	s.prop = sonicOver(l.MTU, 1, 1).Plus(m.Chip.MACPHY.bytes()).Plus(s.peer.bytes).Plus(s.cable)
	if added := l.Added(); added > 0 {
		s.extra = sonicBothWays(added, mbps, 8000)
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

// round does the end of the formula, where the plug-in rounds.
func (m SONiC) round(l thresholds.Link, s *sonicSum) {
	s.exact = s.prop.Grown(s.waste, int64(l.LosslessMTU))
	s.rounded = unit.Bytes(s.exact.CeilTo(sonicKiB))
	if m.Variant != SONiCCurrent || m.SharedHeadroom || m.small() == unit.Whole {
		return
	}
	full := unit.Bytes(s.prop.Grown(s.most, int64(l.LosslessMTU)).CeilTo(sonicKiB))
	if s.rounded+m.extra()+sonicCompensation < full {
		s.compensation = sonicCompensation
	}
}

// cable returns the bytes on the cable in both directions: 2 x mm / (198 mm/ns) x Mb/s; 8000 of them are a byte.
func (m SONiC) cable(l thresholds.Link, mbps int64) (exact.Ratio, sonicSlip) {
	switch {
	case l.Delay.IsGiven():
		return sonicBothWays(l.Delay.Or(0), mbps, 8000), 0
	case m.Variant == SONiCBarefoot && !m.Corrected && l.Cable > 0:
		return sonicOver(l.Cable, mbps, 198*4096), sonicSlipCable
	}
	return sonicOver(l.Cable, mbps, 198*4000), 0
}

// sonicBothWays returns the bytes of twice a time, if byteBits of Mb/s x ns are a byte.
func sonicBothWays(t unit.Time, mbps, byteBits int64) exact.Ratio {
	return sonicOver(t, mbps, int64(unit.Nanosecond)/2*byteBits)
}

// waste returns by which fraction of itself a byte grows in memory: with the
// given share of small packets, and with small packets alone.
//
// A small packet of 64 bytes takes wcf x 64 bytes of cells. The worst case is a packet of one cell and a byte in two
// cells, unless a cell is larger than that.
func (m SONiC) waste(l thresholds.Link) (given, most exact.Ratio) {
	cell, share := int64(m.Chip.Cell), int64(m.small())
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

// tile tells whether the chip's tile term applies.
func (m SONiC) tile() bool { return m.Chip.Tile && m.Variant != SONiCBarefoot }

// extra returns what is added after rounding.
func (m SONiC) extra() unit.Bytes {
	if m.Variant != SONiCCurrent {
		return 0
	}
	return m.Chip.Extra
}

// mix returns the packets that the formula assumes, without preamble and gap; zero if their shares are
// not whole percents.
func (m SONiC) mix(l thresholds.Link) thresholds.Mix {
	p := int64(m.small() / unit.OnePercent)
	switch {
	case m.small()%unit.OnePercent != 0:
		return thresholds.Mix{}
	case p == 0:
		return withoutGap(thresholds.Frames(l.LosslessMTU))
	case p == 100 || l.LosslessMTU == thresholds.MinFrame:
		return withoutGap(thresholds.Frames(thresholds.MinFrame))
	}
	return withoutGap(thresholds.Mix{Shares: [3]thresholds.FrameShare{{Size: thresholds.MinFrame, Percent: p},
		{Size: l.LosslessMTU, Percent: 100 - p}}})
}

// validate refuses a method, a link or a memory that is not valid.
func (m SONiC) validate(l thresholds.Link, mem thresholds.Memory) error {
	if err := cmp.Or(m.Validate(), l.Validate()); err != nil {
		return err
	}
	if l.Rate%unit.Mbps != 0 {
		return &thresholds.LinkError{Complaints: []string{fmt.Sprintf("rate %v is not a whole number of Mb/s", l.Rate)}}
	}
	return mem.Validate()
}

// Validate refuses values out of range, with all complaints in one error. It allocates only if it returns an error.
func (m SONiC) Validate() error {
	var bad fielderr.List
	c := m.Chip
	if c.Cell < 1 || c.Cell > sonicMaxCell {
		bad.Addf("chip.cell %d is not between 1 and %d bytes (chips: %s)", c.Cell, sonicMaxCell, sonicChipNames())
	}
	fielderr.Between(&bad, "chip.pipeline_latency", c.PipelineLatency, 0, sonicMaxKiB)
	fielderr.Between(&bad, "chip.mac_phy_delay", c.MACPHY, 0, sonicMaxKiB)
	fielderr.Between(&bad, "chip.peer_response_time", c.PeerResponse, 0, sonicMaxKiB)
	fielderr.Between(&bad, "chip.extra", c.Extra, 0, unit.GiB)
	fielderr.Between(&bad, "gearbox", m.Gearbox, 0, thresholds.MaxDelay)
	if m.Lanes < 0 || m.Lanes > sonicMaxLanes {
		bad.Addf("%d lanes are not between 0 and %d", m.Lanes, sonicMaxLanes)
	}
	if small := m.small(); small < 0 || small > unit.Whole {
		bad.Addf("small packets %v are not between 0%% and 100%%", small)
	}
	if m.Variant < 0 || m.Variant >= sonicVariants {
		bad.Addf("%v is not one of %s", m.Variant, strings.Join(sonicVariantNames[:], ", "))
	}
	if m.Exact && m.Corrected {
		bad.Addf("both the plug-in's exact number and the corrected one")
	}
	return refusal("SONiC's formula", bad)
}

// sonicChipNames lists SONiC's chips, for messages.
func sonicChipNames() string {
	return strings.Join(grouped.Each(sonicChips[:], func(c SONiCChip) string { return c.Name }), ", ")
}
