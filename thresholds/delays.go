package thresholds

import (
	"fmt"
	"strings"

	"github.com/cellwarden/cellwarden/internal/exact"
	"github.com/cellwarden/cellwarden/internal/named"
	"github.com/cellwarden/cellwarden/unit"
)

// Delays are delays by speed that take precedence over the built-in ones, and
// the way in which those of the two ends add up.
type Delays struct {
	Sum      DelaySum    // how they add up; zero: SumOfEnds, or SumOfTexts where an interface delay is given
	Response []RateDelay // from the pause frame's end at the sender to its silence

	EveryInterface unit.Optional[unit.Time] // the same at every speed; absent: by speed
	EveryResponse  unit.Optional[unit.Time] // of the sender, the same at every speed; absent: by speed
}

// DelaySum is how the delays of the two ends of a link add up.
//
// IEEE 802.3 31B.3.7 gives the longest time that a sender takes from a pause frame to its silence, measured at the
// medium. It equals the sum of all sublayers of one end, transmit and receive: at 40G the 118 quanta are 32 of the
// MAC, 22 of the PCS, 48 of the FEC and 8 of each of two PMAs; at 200G 453 are 96, 313, 36 and 8; at 400G 905 are
// 192, 625, 72 and 16. The rows of these tables (clauses 80 and 116) are recalled; the sums agree exactly; the text
// was not at hand. So the worst case of a link is both ends at this value: the end that sends a pause frame takes no
// longer than the end that obeys it.
//
// The texts on PFC add the interface delays of both ends and the sender's response time. Their interface delays are
// rows of single sublayers, which are in the response time already. From 100G on this sum is the larger one: at 400G
// over 5 m by 49 %. At 10G to 50G it is the smaller one: at 25G over 5 m by 15 %.
type DelaySum int

// The ways to add up the delays of the ends.
const (
	// SumOfEnds is the value of 31B.3.7 at each end, and no interface delays: the worst case of a conforming link. The
	// end that pauses has the value of the speed; the sender the same unless its response time is given. A speed without
	// a value is refused. Where an interface delay is given, the sum is that of the texts.
	SumOfEnds DelaySum = iota
	// SumOfTexts is an interface delay at each end and the sender's response time, as the texts on PFC add them up. The
	// interface delay is counted twice, not four times: each figure holds transmit and receive.
	SumOfTexts
	// LargerSum is the larger of the two on each link. If an interface delay is
	// given, there is one sum only, that of the texts.
	LargerSum
	// SumOfNVIDIA is what SONiC's formula for Spectrum-1 to -3 has for both ends, at every speed: 0.8 KiB of MAC and PHY,
	// and 3.8 KiB for the response of the peer (SONiC, buffer_headroom_mellanox.lua). The response is that of a peer of
	// the vendor, which answers faster than the standard's maximum.
	SumOfNVIDIA
	// SumOfNVIDIAQuanta is the same for Spectrum-4 and later: 0.8 KiB, and the peer's value of 31B.3.7.
	SumOfNVIDIAQuanta
	delaySums
)

var delaySumNames = [delaySums]string{"both-ends", "texts", "larger", "nvidia", "nvidia-quanta"}

// ParseDelaySum reads the name of a way to add up the delays.
func ParseDelaySum(text string) (DelaySum, error) {
	return named.Parse[DelaySum](text, "not a sum of delays", delaySumNames[:]...)
}

// String names the sum.
func (s DelaySum) String() string { return named.Of(s, "sum", delaySumNames[:]...) }

// MarshalText writes what String prints.
func (s DelaySum) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (s *DelaySum) UnmarshalText(text []byte) (err error) {
	*s, err = ParseDelaySum(string(text))
	return err
}

// How says what the sum is.
func (s DelaySum) How() string {
	switch s {
	case SumOfTexts:
		return "an interface delay at each end and the sender's response, as the texts add them up"
	case SumOfNVIDIA:
		return "0.8 KiB of MAC and PHY and 3.8 KiB of the peer's response, as SONiC's formula for NVIDIA has them"
	case SumOfNVIDIAQuanta:
		return "0.8 KiB of MAC and PHY and the peer's value of IEEE 802.3 31B.3.7, as SONiC's formula for NVIDIA has them"
	}
	return "both ends at their value of IEEE 802.3 31B.3.7, the sum of the sublayers of an end (rows recalled)"
}

// Validate refuses delays that no link has.
func (d Delays) Validate() error {
	for _, every := range []unit.Optional[unit.Time]{d.EveryInterface, d.EveryResponse} {
		if t := every.Or(0); t < 0 || t > MaxDelay {
			return fmt.Errorf("delay %v is not between 0ps and %v", t, MaxDelay)
		}
	}
	for _, r := range d.Response {
		if most := MaxRate.BitsIn(MaxDelay); r.BitTimes < 0 || r.BitTimes > most {
			return fmt.Errorf("response of %d bit times at %v (want 0 to %d)", r.BitTimes, r.Rate, most)
		}
	}
	if d.Sum < 0 || d.Sum >= delaySums {
		return fmt.Errorf("%v is not a sum of delays (want %s)", d.Sum, strings.Join(delaySumNames[:], ", "))
	}
	return nil
}

// endDelays are the delays of the two ends of a link.
type endDelays struct {
	sum              DelaySum  // SumOfEnds, SumOfTexts, or one of NVIDIA's
	receiver, sender RateDelay // interfaces; but for the texts' sum the delay of the end that pauses, and 0
	response         RateDelay // of the sender
}

// total is what the ends add to the sum.
func (e endDelays) total() int64 {
	return e.receiver.BitTimes + e.sender.BitTimes + e.response.BitTimes
}

// ends returns the delays of the ends of a link, by the sum that is chosen.
func (d Delays) ends(l Link) (endDelays, error) {
	if d.Sum == SumOfNVIDIA || d.Sum == SumOfNVIDIAQuanta {
		return d.nvidia(l)
	}
	response, err := d.ResponseOf(l)
	if err != nil {
		return endDelays{}, err
	}
	intf := d.intf(l.Rate)
	texts := endDelays{SumOfTexts, intf, intf, response}
	if d.Sum == SumOfTexts || d.EveryInterface.IsGiven() {
		return texts, nil
	}
	own, known := d.ofSpeed(l.Rate)
	own.BitTimes = (own.BitTimes + 1) / 2 * 2 // transmit and receive may have a half each
	both := endDelays{SumOfEnds, own, RateDelay{}, response}
	switch {
	case d.Sum == SumOfEnds && !known:
		return endDelays{}, fmt.Errorf("no source gives the delay of an end at %v (want %s)", l.Rate,
			d.KnownRates())
	case d.Sum == SumOfEnds:
		return both, nil
	case !known || texts.total() >= both.total():
		return texts, nil
	}
	return both, nil
}

// What SONiC's formula for NVIDIA has for both ends, in tenths of a KiB (buffer_headroom_mellanox.lua, asic_table).
const (
	nvidiaMACPHY = 8
	nvidiaPeer   = 38
)

// nvidia returns the delays of SONiC's formula. A response time of the sender that is given takes precedence.
func (d Delays) nvidia(l Link) (endDelays, error) {
	kib := func(tenths int64) int64 { return exact.Whole(tenths).Times(1024*8, 10).Ceil() }
	e := endDelays{sum: d.Sum, receiver: RateDelay{l.Rate, (kib(nvidiaMACPHY) + 1) / 2 * 2, Driver,
		"0.8 KiB of MAC and PHY (SONiC, buffer_headroom_mellanox.lua)"}}
	var err error
	if e.response, err = d.ResponseOf(l); d.Sum == SumOfNVIDIA && e.response.Kind != Operator {
		e.response, err = RateDelay{l.Rate, kib(nvidiaPeer), Driver,
			"3.8 KiB of the peer's response (SONiC, buffer_headroom_mellanox.lua)"}, nil
	}
	return e, err
}

// RateDelay is a delay of one speed.
type RateDelay struct {
	Rate     unit.BitRate
	BitTimes int64
	Kind     SourceKind
	Source   string
}

// CiscoPress is the source of the interface delays.
const CiscoPress = "Cisco Press, congestion management in Ethernet storage networks"

// interfaceDelays are the interface delays of the worked example in that book, in bit times, transmit and receive
// together. They are those of single sublayers (MAC/RS at 10G, FEC at the others), not of a whole PHY.
var interfaceDelays = [...]RateDelay{
	{10 * unit.Gbps, 8192, Driver, "interface delay at 10G, transmit and receive (" + CiscoPress + ")"},
	{25 * unit.Gbps, 6144, Driver, "interface delay at 25G, transmit and receive (" + CiscoPress + ")"},
	{40 * unit.Gbps, 24576, Driver, "interface delay at 40G, transmit and receive (" + CiscoPress + ")"},
	{100 * unit.Gbps, 122880, Driver, "interface delay at 100G, transmit and receive (" + CiscoPress + ")"},
}

// intf returns the interface delay at a speed: the operator's, the built-in one, or the built-in one of the nearest
// speed scaled to the same time, which is marked as inferred.
func (d Delays) intf(rate unit.BitRate) RateDelay {
	if every, ok := d.EveryInterface.Get(); ok {
		return given(rate, every)
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

// text returns the source of an interface delay that is used at a speed.
func (d RateDelay) text(rate unit.BitRate) string {
	if d.Kind != Inferred || d.Source != "" {
		return d.Source
	}
	sourced, _ := find(interfaceDelays[:], d.Rate)
	return fmt.Sprintf(
		"no source gives the interface delay of %v; inferred from %v: %d bit times there, as long in time here", rate,
		d.Rate, sourced.BitTimes)
}

// nearer tells whether a is closer to rate than b, as a ratio.
func nearer(rate, a, b unit.BitRate) bool {
	r, a, b := rate/unit.Mbps, a/unit.Mbps, b/unit.Mbps
	return max(a, r)*min(b, r) < max(b, r)*min(a, r)
}

// responseDelays are the pause response times: how long a sender may send after it has received a pause frame.
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
	{800 * unit.Gbps, 2 * 905 * quantumBits, Inferred,
		"1810 quanta of 512 at 800G: no source; inferred from 400G, as long in time. SONiC computes with 905, but its own " +
			"tables of Spectrum-6 need 1810"},
	{1600 * unit.Gbps, 4 * 905 * quantumBits, Inferred,
		"3620 quanta of 512 at 1.6T: no source; inferred from 400G, as long in time"},
}

// ResponseOf returns the response time of a link's sender: the link's own, the one for every speed, or that of the
// speed. The error is that of a speed that has none.
func (d Delays) ResponseOf(l Link) (RateDelay, error) {
	if t, own := l.Response.Get(); own {
		return RateDelay{Rate: l.Rate, BitTimes: l.Rate.BitsIn(t), Kind: Operator,
			Source: fmt.Sprintf("%v, given for the sender of this link", t)}, nil
	}
	if every, ok := d.EveryResponse.Get(); ok {
		return given(l.Rate, every), nil
	}
	r, known := d.ofSpeed(l.Rate)
	if !known {
		return r, fmt.Errorf("no source gives the pause response time of %v (want %s)", l.Rate, d.KnownRates())
	}
	return r, nil
}

// ofSpeed returns the value of 31B.3.7 at a speed: the caller's, or the built-in one.
func (d Delays) ofSpeed(rate unit.BitRate) (RateDelay, bool) {
	if own, ok := find(d.Response, rate); ok {
		return own, true
	}
	return find(responseDelays[:], rate)
}

// given returns a delay that the operator has given as a time.
func given(rate unit.BitRate, t unit.Time) RateDelay {
	return RateDelay{Rate: rate, BitTimes: rate.BitsIn(t), Kind: Operator, Source: "given by the operator"}
}

// find returns the delay at a speed.
func find(list []RateDelay, rate unit.BitRate) (RateDelay, bool) {
	for i := range list {
		if list[i].Rate == rate {
			return list[i], true
		}
	}
	return RateDelay{}, false
}

// KnownRates lists the speeds with a response time, for messages.
func (d Delays) KnownRates() string {
	var known []string
	for _, list := range [][]RateDelay{responseDelays[:], d.Response} {
		for _, r := range list {
			known = append(known, r.Rate.String())
		}
	}
	return strings.Join(known, ", ")
}

// LinkDelays are the delays that IEEE adds up, in bit times of the link. Frames include preamble and gap. Interface and
// Cable are those of one direction; the sum contains both twice.
type LinkDelays struct {
	Sum       DelaySum // how the delays of the ends add up: any but LargerSum
	Longest   int64    // longest frame of the port, for which the pause frame waits
	Pause     int64    // pause frame
	Interface int64    // one direction: in SumOfTexts an interface delay, else half of the delay of the end that pauses
	Cable     int64    // one direction, with the link's extra delay
	Response  int64    // of the sender, from the end of the pause frame until it stops
	Begun     int64    // longest frame of the class, which the sender has begun
}

// Total returns the sum.
func (d LinkDelays) Total() int64 {
	return d.Longest + d.Pause + 2*d.Interface + 2*d.Cable + d.Response + d.Begun
}

// LinkDelays returns the delays of a link. The simulator uses them to build the
// worst case that the headroom must hold. It refuses what Size refuses.
func (m IEEE) LinkDelays(l Link) (LinkDelays, error) {
	_, b, ends, err := m.size(l, Memory{Cell: 1})
	return LinkDelays{Sum: ends.sum, Longest: b[0], Pause: b[1], Interface: (b[2] + b[4]) / 2, Cable: b[3],
		Response: b[5], Begun: b[6]}, err
}
