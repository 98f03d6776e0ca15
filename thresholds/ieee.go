package thresholds

import (
	"fmt"
	"strings"

	"github.com/cellwarden/cellwarden/internal/exact"
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

// IEEE sizes headroom by the sum of IEEE 802.1Qbb's delays: the longest frame
// that the pause frame waits for, the pause frame, an interface delay at each
// end, the cable twice, the sender's response time, and the frame that the
// sender has begun.
//
// The interface delay is counted twice, not four times: each figure holds
// transmit and receive. It is conservative all the same, because the response
// time of 31B.3.7 is measured at the medium and already holds the sender's PHY
// once.
//
// Not modelled: whatever the MMU itself needs to notice and to react. What a
// link has beyond cable and interfaces (MACsec, retimers) is Link.Extra.
type IEEE struct {
	// Mix is the frames assumed to fill the headroom. Zero: WorstFrames, the size
	// that wastes most cells. That is 64 bytes where a cell less the overhead holds
	// at least 127 bytes; in smaller cells, such as the 96 bytes of Spectrum-1, it is
	// one byte more than the cell holds.
	Mix Mix
	// Delays replace the built-in ones, speed by speed.
	Delays Delays
}

// Delays are delays by speed that take precedence over the built-in ones.
type Delays struct {
	Interface []RateDelay // transmit and receive together
	Response  []RateDelay // from the pause frame's end at the sender to its silence

	EveryInterface unit.Time // the same at every speed; 0: by speed
	EveryResponse  unit.Time // the same at every speed; 0: by speed
}

// RateDelay is a delay of one speed.
type RateDelay struct {
	Rate     unit.BitRate
	BitTimes int64
	Kind     SourceKind
	Source   string
}

// Validate refuses a mix that is none and a delay that no link has.
func (m IEEE) Validate() error {
	if m.Mix != (Mix{}) && !m.Mix.Valid() {
		return m.Mix.Validate()
	}
	for _, t := range []unit.Time{m.Delays.EveryInterface, m.Delays.EveryResponse} {
		if t < 0 || t > MaxDelay {
			return fmt.Errorf("delay %v is not between 0ps and %v", t, MaxDelay)
		}
	}
	return nil
}

// Method is "ieee802.1qbb".
func (IEEE) Method() string { return "ieee802.1qbb" }

// ieeeDelays are the eight terms in bit times, in the order of events.
type ieeeDelays [8]int64

// Size returns the sum for the link. A speed for which no response time is
// known is refused.
func (m IEEE) Size(l Link, mem Memory) (Headroom, error) {
	h, _, _, err := m.size(l, mem)
	return h, err
}

func (m IEEE) size(l Link, mem Memory) (h Headroom, bits ieeeDelays, found [2]RateDelay, err error) {
	if m.Mix == (Mix{}) {
		m.Mix = WorstFrames()
	}
	if err := m.validate(l, mem); err != nil {
		return h, bits, found, err
	}
	m.Mix = m.Mix.On(l, mem)
	response, known := m.Delays.ResponseAt(l.Rate)
	if !known {
		return h, bits, found, fmt.Errorf("no source gives the pause response time of %v (accepted: %s)", l.Rate,
			m.Delays.KnownRates())
	}
	intf := m.Delays.intf(l.Rate)
	cable := l.BitTimes()
	bits = ieeeDelays{FrameBits(l.MTU), FrameBits(MinFrame), intf.BitTimes, cable, intf.BitTimes, response.BitTimes,
		FrameBits(l.LosslessMTU), cable}
	h = Headroom{Method: m.Method(), Mix: m.Mix}
	for _, b := range bits {
		h.BitTimes += b
	}
	h.Wire = unit.InBytes(h.BitTimes)
	h.Cells = m.Mix.Store(h.BitTimes, mem)
	h.XOFF = mem.Cell.Bytes(h.Cells)
	return h, bits, [2]RateDelay{intf, response}, nil
}

// Explain itemises the sum.
func (m IEEE) Explain(l Link, mem Memory) (Explanation, error) {
	h, bits, found, err := m.size(l, mem)
	if err != nil {
		return Explanation{}, err
	}
	intf, response := found[0], found[1]
	kind, source := l.Source()
	e := Explanation{Headroom: h, Readings: h.Mix.Readings(h.BitTimes, mem), Terms: []Term{
		{Name: "longest frame", Kind: Standard,
			Source: "MTU + 96 gap + 64 preamble bits (IEEE 802.3 clause 4): the pause frame waits for it"},
		{Name: "pause frame", Kind: Standard,
			Source: "64-byte MAC control frame + gap + preamble (IEEE 802.3 annex 31D)"},
		{Name: "interface, receiver", Kind: intf.Kind, Source: intf.text(l.Rate)},
		{Name: "cable, pause frame", Kind: kind, Source: source},
		{Name: "interface, sender", Kind: intf.Kind, Source: intf.text(l.Rate)},
		{Name: "sender response", Kind: response.Kind, Source: response.Source},
		{Name: "frame in transmission", Kind: Standard,
			Source: "lossless MTU + gap + preamble: a frame begun is finished"},
		{Name: "cable, last data", Kind: kind, Source: source},
	}}
	for i := range e.Terms {
		e.Terms[i].BitTimes, e.Terms[i].Bytes = bits[i], unit.InBytes(bits[i])
	}
	e.WarnInferred()
	return e, nil
}

// BitTimes returns the bit times of one way, rounded up.
func (l Link) BitTimes() int64 { return l.OneWay().Times(int64(l.Rate), int64(unit.Second)).Ceil() }

// Source says where the delay of one way comes from.
func (l Link) Source() (SourceKind, string) {
	extra := ""
	if l.Extra > 0 {
		extra = fmt.Sprintf(" + %v extra", l.Extra)
	}
	if l.Delay > 0 {
		return Measured, fmt.Sprintf("measured one-way delay %v%s", l.Delay, extra)
	}
	return Standard, l.Medium.source() + extra
}

func (m Medium) source() string {
	switch m {
	case Copper:
		return "copper at 4.76 ns/m (0.70 c; Cisco white paper c11-542809)"
	case SingleMode:
		return "single-mode fibre at 5.13 ns/m (0.65 c; Cisco white paper c11-542809)"
	case FibreNVIDIA:
		return "fibre at 198,000 km/s (SONiC's headroom plug-in for NVIDIA)"
	default:
		return "fibre at 5 ns/m (200,000 km/s)"
	}
}

func FrameBits(b unit.Bytes) int64 { return int64(b)*8 + gapBits + preambleBits }

func (m IEEE) validate(l Link, mem Memory) error {
	if err := l.Validate(); err != nil {
		return err
	}
	if err := mem.Validate(); err != nil {
		return err
	}
	return m.Mix.Validate()
}

// CiscoPress is the source of the sourced interface delays.
const CiscoPress = "Cisco Press, congestion management in Ethernet storage networks"

// interfaceDelays are the interface delays in bit times, transmit and receive
// together, of that book's worked example. They are rows of single sublayers
// (MAC/RS at 10G, FEC at the others), not sums of a whole PHY.
var interfaceDelays = [...]RateDelay{
	{10 * unit.Gbps, 8192, Standard, "interface delay at 10G, transmit and receive (" + CiscoPress + ")"},
	{25 * unit.Gbps, 6144, Standard, "interface delay at 25G, transmit and receive (" + CiscoPress + ")"},
	{40 * unit.Gbps, 24576, Standard, "interface delay at 40G, transmit and receive (" + CiscoPress + ")"},
	{100 * unit.Gbps, 122880, Standard, "interface delay at 100G, transmit and receive (" + CiscoPress + ")"},
}

// intf returns the delay of a speed: the caller's, the sourced one, or the
// nearest sourced one scaled to the same time, marked inferred.
func (d Delays) intf(rate unit.BitRate) RateDelay {
	if d.EveryInterface > 0 {
		return given(rate, d.EveryInterface)
	}
	if own, ok := find(d.Interface, rate); ok {
		return own
	}
	best := interfaceDelays[0]
	for _, other := range interfaceDelays[1:] {
		if nearer(rate, other.Rate, best.Rate) {
			best = other
		}
	}
	if best.Rate == rate {
		return best
	}
	return RateDelay{Rate: best.Rate, Kind: Inferred, BitTimes: exact.Whole(best.BitTimes).Times(int64(rate),
		int64(best.Rate)).Ceil()}
}

// text returns the source of an interface delay that is used at rate.
func (d RateDelay) text(rate unit.BitRate) string {
	if d.Kind != Inferred || d.Source != "" {
		return d.Source
	}
	sourced, _ := find(interfaceDelays[:], d.Rate)
	return fmt.Sprintf(
		"no source gives the interface delay of %v; inferred from %v: %d bit times there, as long in time here", rate,
		d.Rate, sourced.BitTimes)
}

// nearer tells whether a is closer to rate than b is, as a ratio.
func nearer(rate, a, b unit.BitRate) bool {
	r, a, b := rate/unit.Mbps, a/unit.Mbps, b/unit.Mbps
	return max(a, r)*min(b, r) < max(b, r)*min(a, r)
}

// responseDelays are the pause response times: how long a sender may go on
// after it has received a pause frame.
var responseDelays = [...]RateDelay{
	{10 * unit.Gbps, 60 * quantumBits, Standard,
		"60 quanta of 512: IEEE 802.3 31B.3.7 (802.3ba-2010; not 10GBASE-T, which has 74)"},
	{25 * unit.Gbps, 80 * quantumBits, Driver,
		"80 quanta of 512: pause response of 25G (SONiC, dynamic headroom calculation; Cisco Press)"},
	{40 * unit.Gbps, 118 * quantumBits, Standard, "118 quanta of 512: IEEE 802.3 31B.3.7 (802.3ba-2010)"},
	{50 * unit.Gbps, 147 * quantumBits, Driver,
		"147 quanta of 512: pause response of 50G (SONiC, dynamic headroom calculation)"},
	{100 * unit.Gbps, 394 * quantumBits, Standard, "394 quanta of 512: IEEE 802.3 31B.3.7 (802.3ba-2010)"},
	{200 * unit.Gbps, 453 * quantumBits, Driver,
		"453 quanta of 512: pause response of 200G (SONiC, dynamic headroom calculation)"},
	{400 * unit.Gbps, 905 * quantumBits, Driver,
		"905 quanta of 512: pause response of 400G (SONiC, dynamic headroom calculation; Cisco Press)"},
	{800 * unit.Gbps, 905 * quantumBits, Inferred,
		"905 quanta of 512: pause response of 800G as SONiC has it, the value of 400G; not checked against 802.3df"},
}

func (d Delays) ResponseAt(rate unit.BitRate) (RateDelay, bool) {
	if d.EveryResponse > 0 {
		return given(rate, d.EveryResponse), true
	}
	if own, ok := find(d.Response, rate); ok {
		return own, true
	}
	return find(responseDelays[:], rate)
}

// given is a delay that the operator has given in time.
func given(rate unit.BitRate, t unit.Time) RateDelay {
	return RateDelay{Rate: rate, BitTimes: rate.BitsIn(t), Kind: Operator, Source: "given by the operator"}
}

func find(list []RateDelay, rate unit.BitRate) (RateDelay, bool) {
	for i := range list {
		if list[i].Rate == rate {
			return list[i], true
		}
	}
	return RateDelay{}, false
}

func (d Delays) KnownRates() string {
	var known []string
	for _, list := range [][]RateDelay{responseDelays[:], d.Response} {
		for _, r := range list {
			known = append(known, r.Rate.String())
		}
	}
	return strings.Join(known, ", ")
}
