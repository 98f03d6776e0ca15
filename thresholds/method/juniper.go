package method

import (
	"errors"
	"fmt"

	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

const (
	// juniperMRU is what Junos assumes if a congestion notification profile says nothing.
	juniperMRU unit.Bytes = 2500
)

// Juniper is a model of how Junos sizes headroom. It is not Junos' formula, which is not public. Public are the inputs,
// MRU and cable length of a congestion notification profile, and their defaults: 2500 bytes (9216 for priority 4) and
// 100 m. The model adds up what every such formula must contain, without the delays of interfaces:
//
//	longest frame + pause frame + cable + response time + MRU frame + cable
//
// The response time is that of IEEE 802.3 31B.3.7, as in [thresholds.IEEE].
// Every term is inferred; on a real switch, read the headroom back.
//
// The MRU is used in place of the link's lossless MTU. The 100 m of Junos are
// not assumed for a link of 0 m: state the length.
//
// Source of the inputs: Junos CLI reference, statements mru and cable-length of congestion-notification-profile.
type Juniper struct {
	// MRU is the longest frame of the paused class, in bytes. Absent: 2500, the default of user-configured priorities;
	// that of priority 4 is 9216. Refused: lengths that no frame has.
	MRU unit.Optional[unit.Bytes]
	// Mix is the frames assumed to fill the headroom. Zero: the worst mixture of all frames up to the MRU.
	Mix thresholds.Mix
	// Delays replace the built-in response times; its interface delays and its sum
	// are not used. A speed without response time is refused.
	Delays thresholds.Delays
}

// Method returns "juniper".
func (Juniper) Method() string { return "juniper" }

// Validate refuses values out of range, with all complaints in one error.
func (m Juniper) Validate() error {
	var bad fielderr.List
	fielderr.Between(&bad, "MRU", m.mru(), thresholds.MinFrame, thresholds.MaxFrameSize)
	if m.Mix != (thresholds.Mix{}) && !m.Mix.Valid() {
		bad.Join(m.Mix.Validate())
	}
	bad.Join(m.Delays.Validate())
	return refusal(m.Method(), bad)
}

// LongestFrame returns the longest frame of the mix.
func (m Juniper) LongestFrame() unit.Bytes { return m.Mix.Longest() }

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
	if err := errors.Join(m.Validate(), l.Validate(), mem.Validate(), m.Mix.CheckLink(l)); err != nil {
		return h, bits, response, err
	}
	if response, err = m.Delays.ResponseOf(l); err != nil {
		return h, bits, response, err
	}
	if m.Mix == (thresholds.Mix{}) {
		m.Mix = thresholds.WorstFrames()
	}
	m.Mix = m.Mix.On(m.longestOf(l), mem)
	cable := l.BitTimes()
	bits = juniperBits{thresholds.FrameBits(l.MTU), thresholds.FrameBits(thresholds.MinFrame), cable,
		response.BitTimes, thresholds.FrameBits(m.mru()), cable}
	h = thresholds.Headroom{Method: m.Method(), Mix: m.Mix}
	for _, b := range bits {
		h.BitTimes += b
	}
	h.Wire = unit.InBytes(h.BitTimes)
	h.Cells = m.Mix.Store(h.BitTimes, m.mru(), mem)
	h.XOFF = mem.Cell.Bytes(h.Cells)
	return h, bits, response, nil
}

// longestOf returns the link with the MRU as the longest frame that fills the headroom.
func (m Juniper) longestOf(l thresholds.Link) thresholds.Link {
	l.LosslessMTU = m.mru()
	return l
}

// mru returns the MRU, or Junos' default.
func (m Juniper) mru() unit.Bytes { return m.MRU.Or(juniperMRU) }

// Explain itemises the model.
func (m Juniper) Explain(l thresholds.Link, mem thresholds.Memory) (thresholds.Explanation, error) {
	h, bits, response, err := m.size(l, mem)
	if err != nil {
		return thresholds.Explanation{}, err
	}
	kind, source := cableSource(l, "one way")
	if kind == thresholds.Standard {
		kind = thresholds.Inferred
	}
	readings := h.Mix.Readings(h.BitTimes, m.longestOf(l), mem)
	e := thresholds.Explanation{Headroom: h, Readings: readings, Terms: []thresholds.Term{
		{Name: "longest frame", Kind: thresholds.Inferred,
			Source: "model: MTU, gap and preamble, for which the pause frame waits"},
		{Name: "pause frame", Kind: thresholds.Inferred, Source: "model: 64 bytes, gap and preamble"},
		{Name: "cable, pause frame", Kind: kind, Source: "model: " + source},
		{Name: "sender response", Kind: thresholds.Inferred, Source: "model: " + response.Source},
		{Name: "MRU frame", Kind: thresholds.Inferred, Source: fmt.Sprintf(
			"model: MRU %v, gap and preamble, which the sender has begun", m.mru())},
		{Name: "cable, last data", Kind: kind, Source: "model: " + source},
	}}
	for i := range e.Terms {
		e.Terms[i].BitTimes, e.Terms[i].Bytes = bits[i], unit.InBytes(bits[i])
	}
	e.Warnings = []string{
		"a model: Juniper publishes the inputs, MRU and cable length, but neither formula nor constants"}
	if m.mru() < l.LosslessMTU {
		e.Warnings = append(e.Warnings, fmt.Sprintf(
			"the MRU %v is under the link's lossless MTU %v: longer frames are not covered", m.mru(), l.LosslessMTU))
	}
	return e, nil
}
