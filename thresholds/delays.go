package thresholds

import (
	"errors"
	"fmt"
	"strings"

	"github.com/cellwarden/cellwarden/internal/exact"
	"github.com/cellwarden/cellwarden/unit"
)

// Delays are delays by speed that take precedence over the built-in ones, and
// the way in which those of the two ends add up.
type Delays struct {
	Sum       DelaySum    // how they add up; zero: SumOfTexts
	Interface []RateDelay // transmit and receive together
	Response  []RateDelay // from the pause frame's end at the sender to its silence

	EveryInterface unit.Optional[unit.Time] // the same at every speed; absent: by speed
	EveryResponse  unit.Optional[unit.Time] // of the sender, the same at every speed; absent: by speed
}

// DelaySum is how the delays of the two ends of a link add up. Both ways are
// inferred: no text of IEEE 802.3 was at hand, only what others quote of it.
//
// For the interface delay of a speed, the texts quote one row of a table, which is
// the delay of a single sublayer. They add the sender's response time. That
// response time is already the sum of the sender's sublayers: at 40G the 118
// quanta are 32 of the MAC, 22 of the PCS, 48 of the FEC and 8 of each of two PMAs.
// If the end that sends a pause frame may take as long as the end that obeys it,
// both ends have this value, and there are no separate interface delays.
//
// At 10G, 25G, 40G and 50G the sum of both ends is the larger one: at 25G over 5 m,
// with frames of 9216 and 4096 bytes, by 18 %. From 100G on the texts' sum is: at
// 400G that of both ends is 33 % smaller.
type DelaySum int

// The ways to add up the delays of the ends.
const (
	// SumOfTexts is an interface delay at each end and the sender's response time,
	// as the texts on PFC add them up. The interface delay is counted twice, not
	// four times: each figure holds transmit and receive.
	SumOfTexts DelaySum = iota
	// SumOfEnds is the value of 31B.3.7 at each end, and no interface delays. The
	// end that pauses has the value of the speed; the sender the same unless its
	// response time is given. A speed without a value is refused.
	SumOfEnds
	// LargerSum is the larger of the two on each link. If an interface delay is
	// given, there is one sum only, that of the texts.
	LargerSum
	delaySums
)

var delaySumNames = [delaySums]string{"texts", "both-ends", "larger"}

// ParseDelaySum reads the name of a way to add up the delays.
func ParseDelaySum(text string) (DelaySum, error) {
	for s, name := range delaySumNames {
		if text == name {
			return DelaySum(s), nil
		}
	}
	return 0, fmt.Errorf("%q is not a sum of delays (want %s)", text, strings.Join(delaySumNames[:], ", "))
}

// String names the sum.
func (s DelaySum) String() string {
	if s < 0 || s >= delaySums {
		return fmt.Sprintf("sum %d", int(s))
	}
	return delaySumNames[s]
}

// MarshalText writes what String prints.
func (s DelaySum) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (s *DelaySum) UnmarshalText(text []byte) (err error) {
	*s, err = ParseDelaySum(string(text))
	return err
}

// how says what the sum is, for a table.
func (s DelaySum) how() string {
	if s == SumOfEnds {
		return "both ends at their value of IEEE 802.3 31B.3.7, no interface delays beside it (inferred)"
	}
	return "an interface delay at each end and the sender's response, as the texts add them up (inferred)"
}

// Validate refuses delays that no link has, and interface delays beside a sum
// that has none.
func (d Delays) Validate() error {
	for _, every := range []unit.Optional[unit.Time]{d.EveryInterface, d.EveryResponse} {
		if t := every.Or(0); t < 0 || t > MaxDelay {
			return fmt.Errorf("delay %v is not between 0ps and %v", t, MaxDelay)
		}
	}
	if d.Sum < 0 || d.Sum >= delaySums {
		return fmt.Errorf("%v is not a sum of delays (want %s)", d.Sum, strings.Join(delaySumNames[:], ", "))
	}
	if d.Sum == SumOfEnds && (d.EveryInterface.IsGiven() || len(d.Interface) > 0) {
		return errors.New("the sum of both ends has no interface delays: one is given (want one of the two)")
	}
	return nil
}

// endDelays are the delays of the two ends of a link.
type endDelays struct {
	sum              DelaySum  // SumOfTexts or SumOfEnds
	receiver, sender RateDelay // interfaces; by SumOfEnds the delay of the end that pauses, and 0
	response         RateDelay // of the sender
}

// total is what the ends add to the sum.
func (e endDelays) total() int64 {
	return e.receiver.BitTimes + e.sender.BitTimes + e.response.BitTimes
}

// ends returns the delays of the ends of a link, by the sum that is chosen.
func (d Delays) ends(l Link) (endDelays, error) {
	response, known := d.responseOf(l)
	if !known {
		return endDelays{}, fmt.Errorf("no source gives the pause response time of %v (want %s)", l.Rate,
			d.KnownRates())
	}
	intf := d.intf(l.Rate)
	texts := endDelays{SumOfTexts, intf, intf, response}
	own, known := d.ofSpeed(l.Rate)
	own.BitTimes = (own.BitTimes + 1) / 2 * 2 // transmit and receive may have a half each
	both := endDelays{SumOfEnds, own, RateDelay{}, response}
	switch {
	case d.Sum == SumOfTexts:
		return texts, nil
	case d.Sum == SumOfEnds && !known:
		return endDelays{}, fmt.Errorf("no source gives the delay of an end at %v (want %s)", l.Rate,
			d.KnownRates())
	case d.Sum == SumOfEnds:
		return both, nil
	}
	if _, given := find(d.Interface, l.Rate); !known || given || d.EveryInterface.IsGiven() ||
		texts.total() >= both.total() {
		return texts, nil
	}
	return both, nil
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

// interfaceDelays are the interface delays of the worked example in that book,
// in bit times, transmit and receive together. They are those of single
// sublayers (MAC/RS at 10G, FEC at the others), not of a whole PHY.
var interfaceDelays = [...]RateDelay{
	{10 * unit.Gbps, 8192, Driver, "interface delay at 10G, transmit and receive (" + CiscoPress + ")"},
	{25 * unit.Gbps, 6144, Driver, "interface delay at 25G, transmit and receive (" + CiscoPress + ")"},
	{40 * unit.Gbps, 24576, Driver, "interface delay at 40G, transmit and receive (" + CiscoPress + ")"},
	{100 * unit.Gbps, 122880, Driver, "interface delay at 100G, transmit and receive (" + CiscoPress + ")"},
}

// intf returns the interface delay at a speed: the caller's, the built-in one,
// or the built-in one of the nearest speed scaled to the same time, which is
// marked as inferred.
func (d Delays) intf(rate unit.BitRate) RateDelay {
	if every, ok := d.EveryInterface.Get(); ok {
		return given(rate, every)
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

// responseDelays are the pause response times: how long a sender may send after
// it has received a pause frame.
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
		"1810 quanta of 512 at 800G: no source; inferred from 400G, as long in time. SONiC computes with 905, " +
			"but its " +
			"own tables of Spectrum-6 need 1810"},
	{1600 * unit.Gbps, 4 * 905 * quantumBits, Inferred,
		"3620 quanta of 512 at 1.6T: no source; inferred from 400G, as long in time"},
}

// responseOf returns the response time of a link's sender: the link's own, the
// one for every speed, or that of the speed.
func (d Delays) responseOf(l Link) (RateDelay, bool) {
	if t, own := l.Response.Get(); own {
		return RateDelay{Rate: l.Rate, BitTimes: l.Rate.BitsIn(t), Kind: Operator,
			Source: fmt.Sprintf("%v, given for the sender of this link", t)}, true
	}
	if every, ok := d.EveryResponse.Get(); ok {
		return given(l.Rate, every), true
	}
	return d.ofSpeed(l.Rate)
}

// ResponseOf returns the response time of a link's sender, and an error for a
// speed that has none.
func (d Delays) ResponseOf(l Link) (RateDelay, error) {
	r, known := d.responseOf(l)
	if !known {
		return r, fmt.Errorf("no source gives the pause response time of %v (want %s)", l.Rate, d.KnownRates())
	}
	return r, nil
}

// ofSpeed returns the value of 31B.3.7 at a speed: the caller's, or the built-in
// one.
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

// LinkDelays are the delays that IEEE adds up, in bit times of the link. Frames
// include preamble and gap. Interface and Cable are those of one direction; the
// sum contains both twice.
type LinkDelays struct {
	Sum       DelaySum // how the delays of the ends add up: SumOfTexts or SumOfEnds
	Longest   int64    // longest frame of the port, for which the pause frame waits
	Pause     int64    // pause frame
	Interface int64    // one direction: transmit at one end and receive at the other; half an end's delay in SumOfEnds
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
