package method

import (
	"errors"
	"fmt"

	"github.com/cellwarden/cellwarden/internal/complain"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

const (
	// juniperMRU and juniperCable are what Junos assumes if a congestion
	// notification profile says nothing.
	juniperMRU   unit.Bytes = 2500
	juniperCable            = 100 * unit.Metre
)

// Juniper is a model of how Junos sizes headroom. It is not Junos' formula,
// which is not public. Public are the inputs, MRU and cable length of a
// congestion notification profile, and their defaults: 2500 bytes (9216 for
// priority 4) and 100 m. The model adds up what every such formula must
// contain, without the delays of interfaces:
//
//	longest frame + pause frame + cable + response time + MRU frame + cable
//
// The response time is that of IEEE 802.3 31B.3.7, as in [thresholds.IEEE].
// Every term is inferred; on a real switch, read the headroom back.
//
// The MRU is used in place of the link's lossless MTU. A link with neither
// cable nor measured delay counts as 100 m, as in Junos.
//
// Source of the inputs: Junos CLI reference, statements mru and cable-length of
// congestion-notification-profile.
type Juniper struct {
	// MRU is the longest frame of the paused class, in bytes. Zero: 2500, the
	// default of user-configured priorities; that of priority 4 is 9216.
	// Refused: lengths that no frame has.
	MRU unit.Bytes
	// Mix is the frames assumed to fill the headroom. Zero: the size that wastes
	// most cells.
	Mix thresholds.Mix
	// Delays replace the built-in response times; its interface delays and its sum
	// are not used. A speed without response time is refused.
	Delays thresholds.Delays
}

// Method returns "juniper".
func (Juniper) Method() string { return "juniper" }

// Validate refuses values out of range, with all complaints in one error.
func (m Juniper) Validate() error {
	var bad complain.List
	if m.MRU != 0 && (m.MRU < thresholds.MinFrame || m.MRU > thresholds.MaxFrameSize) {
		bad.Addf("MRU %v is not between %v and %v", m.MRU, thresholds.MinFrame, thresholds.MaxFrameSize)
	}
	if m.Mix != (thresholds.Mix{}) && !m.Mix.Valid() {
		bad.Join(m.Mix.Validate())
	}
	return refusal(m.Method(), bad)
}

// juniperBits are the terms in bit times, in the order of the events.
type juniperBits [6]int64

// Size returns the model's sum. It allocates only if it returns an error.
func (m Juniper) Size(l thresholds.Link, mem thresholds.Memory) (thresholds.Headroom, error) {
	h, _, _, err := m.size(l, mem)
	return h, err
}

// size returns the sum, its terms, and the response time that it used.
func (m Juniper) size(l thresholds.Link, mem thresholds.Memory) (h thresholds.Headroom, bits juniperBits,
	response thresholds.RateDelay, err error) {
	if err := errors.Join(m.Validate(), l.Validate(), mem.Validate()); err != nil {
		return h, bits, response, err
	}
	if response, err = m.Delays.ResponseOf(l); err != nil {
		return h, bits, response, err
	}
	m, l = m.defaults(l)
	m.Mix = m.Mix.On(thresholds.Link{LosslessMTU: m.MRU}, mem)
	cable := l.BitTimes()
	bits = juniperBits{thresholds.FrameBits(l.MTU), thresholds.FrameBits(thresholds.MinFrame), cable,
		response.BitTimes, thresholds.FrameBits(m.MRU), cable}
	h = thresholds.Headroom{Method: m.Method(), Mix: m.Mix}
	for _, b := range bits {
		h.BitTimes += b
	}
	h.Wire = unit.InBytes(h.BitTimes)
	h.Cells = m.Mix.Store(h.BitTimes, mem)
	h.XOFF = mem.Cell.Bytes(h.Cells)
	return h, bits, response, nil
}

// defaults replaces zeros with Junos' defaults.
func (m Juniper) defaults(l thresholds.Link) (Juniper, thresholds.Link) {
	if m.MRU == 0 {
		m.MRU = juniperMRU
	}
	if m.Mix == (thresholds.Mix{}) {
		m.Mix = thresholds.WorstFrames()
	}
	if l.Cable == 0 && l.Delay == 0 {
		l.Cable = juniperCable
	}
	return m, l
}

// Explain itemises the model.
func (m Juniper) Explain(l thresholds.Link, mem thresholds.Memory) (thresholds.Explanation, error) {
	h, bits, response, err := m.size(l, mem)
	if err != nil {
		return thresholds.Explanation{}, err
	}
	given := l
	m, l = m.defaults(l)
	kind, source := cableSource(l, "one way")
	if kind == thresholds.Standard {
		kind = thresholds.Inferred
	}
	e := thresholds.Explanation{Headroom: h, Readings: h.Mix.Readings(h.BitTimes, mem), Terms: []thresholds.Term{
		{Name: "longest frame", Kind: thresholds.Inferred,
			Source: "model: MTU, gap and preamble, for which the pause frame waits"},
		{Name: "pause frame", Kind: thresholds.Inferred, Source: "model: 64 bytes, gap and preamble"},
		{Name: "cable, pause frame", Kind: kind, Source: "model: " + source},
		{Name: "sender response", Kind: thresholds.Inferred, Source: "model: " + response.Source},
		{Name: "MRU frame", Kind: thresholds.Inferred, Source: fmt.Sprintf(
			"model: MRU %v, gap and preamble, which the sender has begun", m.MRU)},
		{Name: "cable, last data", Kind: kind, Source: "model: " + source},
	}}
	for i := range e.Terms {
		e.Terms[i].BitTimes, e.Terms[i].Bytes = bits[i], unit.InBytes(bits[i])
	}
	e.Warnings = []string{
		"a model: Juniper publishes the inputs, MRU and cable length, but neither formula nor constants"}
	if l.Cable != given.Cable {
		e.Warnings = append(e.Warnings, fmt.Sprintf("the link has no length; %v is assumed, as Junos does",
			juniperCable))
	}
	if m.MRU < l.LosslessMTU {
		e.Warnings = append(e.Warnings, fmt.Sprintf(
			"the MRU %v is under the link's lossless MTU %v: longer frames are not covered", m.MRU, l.LosslessMTU))
	}
	return e, nil
}
