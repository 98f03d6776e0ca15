package thresholds

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/unit"
)

// Bit times that Ethernet adds to a frame on the wire (IEEE 802.3 clause 4).
const (
	preambleBits = 64 // preamble and start delimiter, 8 bytes
	gapBits      = 96 // interpacket gap, 12 bytes
	WireBytes    = unit.Bytes(preambleBits+gapBits) / 8

	quantumBits = pfc.QuantumBits // one pause quantum (IEEE 802.3 annex 31B)
)

// IEEE sizes headroom as the sum of the delays of IEEE 802.1Qbb: the longest frame that the pause frame waits for, the
// pause frame, the delays of both ends, the cable twice, and the frame that the sender has begun.
//
// By default its result is the exact maximum that a conforming link can bring: both ends have the delay of 31B.3.7 (see
// [DelaySum]), and the frames are the worst mixture with preamble and gap (see [WorstArrival]).
//
// Not modelled: the time that the MMU needs to notice and to react. Delays
// beyond cable and interfaces (MACsec, retimers) are in Link.Added.
type IEEE struct {
	// Mix is the frames that are assumed to fill the headroom. Zero: WorstFrames,
	// the worst mixture of all frames of the class.
	Mix Mix
	// Delays replace the built-in ones, speed by speed, and say how they add up.
	Delays Delays
}

// Validate refuses a mix and delays that are out of range.
func (m IEEE) Validate() error {
	if m.Mix != (Mix{}) && !m.Mix.Valid() {
		return m.Mix.Validate()
	}
	return m.Delays.Validate()
}

// Method returns "ieee802.1qbb".
func (IEEE) Method() string { return "ieee802.1qbb" }

// LongestFrame returns the longest frame of the mix.
func (m IEEE) LongestFrame() unit.Bytes { return m.Mix.Longest() }

// ieeeDelays are the eight terms in bit times, in the order of the events. But in the texts' sum the fifth is 0: the
// response contains the sender's interface.
type ieeeDelays [8]int64

// Size returns the sum for the link. It refuses a speed without a known response time.
func (m IEEE) Size(l Link, mem Memory) (Headroom, error) {
	h, _, _, err := m.size(l, mem)
	return h, err
}

// size returns the sum, its terms, and the delays of the ends that it used.
func (m IEEE) size(l Link, mem Memory) (h Headroom, bits ieeeDelays, ends endDelays, err error) {
	if m.Mix == (Mix{}) {
		m.Mix = WorstFrames()
	}
	if err := m.validate(l, mem); err != nil {
		return h, bits, ends, err
	}
	m.Mix = m.Mix.On(l, mem)
	if ends, err = m.Delays.ends(l); err != nil {
		return h, bits, ends, err
	}
	cable := l.BitTimes()
	bits = ieeeDelays{FrameBits(l.MTU), FrameBits(MinFrame), ends.receiver.BitTimes, cable, ends.sender.BitTimes,
		ends.response.BitTimes, FrameBits(l.LosslessMTU), cable}
	h = Headroom{Method: m.Method(), Mix: m.Mix}
	for _, b := range bits {
		h.BitTimes += b
	}
	h.Wire = unit.InBytes(h.BitTimes)
	h.Cells = m.Mix.Store(h.BitTimes, l.LosslessMTU, mem)
	h.XOFF = mem.Cell.Bytes(h.Cells)
	return h, bits, ends, nil
}

// Explain returns the sum and its terms.
func (m IEEE) Explain(l Link, mem Memory) (Explanation, error) {
	h, bits, ends, err := m.size(l, mem)
	if err != nil {
		return Explanation{}, err
	}
	kind, source := l.Source()
	e := Explanation{Headroom: h, Readings: h.Mix.Readings(h.BitTimes, l, mem), Sums: m.sums(l, mem, ends.sum),
		Terms: make([]Term, 0, len(bits))}
	receiver, sender, response := ends.terms(l.Rate)
	for i, t := range [len(bits)]Term{
		{Name: "longest frame", Kind: Standard,
			Source: "MTU + 96 gap + 64 preamble bits (IEEE 802.3 clause 4): the pause frame waits for it"},
		{Name: "pause frame", Kind: Standard,
			Source: "64-byte MAC control frame + gap + preamble (IEEE 802.3 annex 31D)"},
		receiver,
		{Name: "cable, pause frame", Kind: kind, Source: source},
		sender,
		response,
		{Name: "frame in transmission", Kind: Standard,
			Source: "lossless MTU + gap + preamble: the sender finishes the frame that it has begun"},
		{Name: "cable, last data", Kind: kind, Source: source},
	} {
		if i == 4 && ends.sum != SumOfTexts {
			continue
		}
		t.BitTimes, t.Bytes = bits[i], unit.InBytes(bits[i])
		e.Terms = append(e.Terms, t)
	}
	e.WarnInferred()
	return e, nil
}

// EndTerms returns what the two ends of a link add to a message's way and to its effect: the interface of the end that
// sends the message, the interface of the other end, and the response of the other end. In the sum of both ends there
// are two terms, because the response contains the interface.
func (d Delays) EndTerms(l Link) ([]Term, error) {
	if err := errors.Join(l.Validate(), d.Validate()); err != nil {
		return nil, err
	}
	ends, err := d.ends(l)
	if err != nil {
		return nil, err
	}
	receiver, sender, response := ends.terms(l.Rate)
	if ends.sum != SumOfTexts {
		return []Term{receiver, response}, nil
	}
	return []Term{receiver, sender, response}, nil
}

// terms returns what the ends add on links of a speed, as terms: the interface of the end that pauses, or all of its
// delay; the interface of the sender, which but for the texts' sum is nothing; its response.
func (e endDelays) terms(rate unit.BitRate) (receiver, sender, response Term) {
	term := func(name string, d RateDelay, source string) Term {
		return Term{Name: name, BitTimes: d.BitTimes, Bytes: unit.InBytes(d.BitTimes), Kind: d.Kind, Source: source}
	}
	name := "interface, receiver"
	if e.sum != SumOfTexts {
		name = "end that pauses" // its delay is one value for transmit and receive
	}
	return term(name, e.receiver, e.receiver.text(rate)), term("interface, sender", e.sender, e.sender.text(rate)),
		term("sender response", e.response, e.response.Source)
}

// sums returns the readings of the delays on a link, with the used one marked. A
// reading that is not possible on the link is left out.
func (m IEEE) sums(l Link, mem Memory, used DelaySum) (out []SumReading) {
	given := m.Delays.EveryInterface.IsGiven()
	list := []DelaySum{SumOfEnds, SumOfTexts}
	if !slices.Contains(list, used) {
		list = append(list, used)
	}
	for _, sum := range list {
		if given && sum == SumOfEnds {
			continue // an interface delay that is given leaves one sum
		}
		m.Delays.Sum = sum
		if h, _, _, err := m.size(l, mem); err == nil {
			out = append(out, SumReading{Name: sum.String(), How: sum.How(), BitTimes: h.BitTimes, Wire: h.Wire,
				Cells: h.Cells, Used: sum == used})
		}
	}
	return out
}

// BitTimes returns the delay of one direction in bit times, rounded up.
func (l Link) BitTimes() int64 { return l.OneWay().Times(int64(l.Rate), int64(unit.Second)).Ceil() }

// Source returns the source of the delay of one direction.
func (l Link) Source() (SourceKind, string) {
	extra := ""
	if added := l.AddedText(); added != "" {
		extra = " + " + added
	}
	if measured, ok := l.Delay.Get(); ok {
		if l.Measured.IsGiven() {
			return Measured, fmt.Sprintf("half of a measured round trip with its uncertainty: %v%s", l.Measured, extra)
		}
		return Measured, fmt.Sprintf("measured one-way delay %v%s", measured, extra)
	}
	return Standard, l.Medium.delay().source + extra
}

// FrameBits returns the bit times of a frame with preamble and gap.
func FrameBits(b unit.Bytes) int64 { return int64(b)*8 + gapBits + preambleBits }

// validate refuses a link, a memory, a mix or delays that are not valid.
func (m IEEE) validate(l Link, mem Memory) error {
	return cmp.Or(l.Validate(), mem.Validate(), m.Mix.Validate(), m.Mix.CheckLink(l), m.Delays.Validate())
}
