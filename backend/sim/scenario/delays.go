package scenario

import (
	"fmt"

	"github.com/cellwarden/cellwarden/backend/sim/fabric"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// delay is an interface delay or a response time. The zero delay stands for the
// one that the headroom method ieee802.1qbb has by default for the link's rate,
// both ends at their value of 31B.3.7: the simulation then has the delays for which headroom is
// sized. A time of 0 is a delay that is given.
type delay = unit.Optional[unit.Time]

// parseDelay reads "200ns", or "standard".
func parseDelay(text string) (delay, error) {
	if text == "standard" {
		return delay{}, nil
	}
	t, err := unit.ParseTime(text)
	if err != nil {
		err = fmt.Errorf("%w; or standard", err)
	}
	return unit.Given(t), err
}

// linkOf returns a link where only the rate matters. The frames are the shortest, because the delays of interface and
// response do not depend on them.
func linkOf(rate unit.BitRate) thresholds.Link {
	return thresholds.Link{Rate: rate, MTU: thresholds.MinFrame, LosslessMTU: thresholds.MinFrame}
}

// interfaceAt returns the delay of both interfaces, one way: half of the delay of the end that pauses. For a rate
// without that value it is the interface delay of the nearest rate with one, which is inferred. The response is given
// as 1 us only because the method refuses a rate without one; it is not part of the result.
func interfaceAt(rate unit.BitRate) (unit.Time, error) {
	d, err := thresholds.IEEE{}.LinkDelays(linkOf(rate))
	if err != nil {
		d, err = thresholds.IEEE{Delays: thresholds.Delays{Sum: thresholds.SumOfTexts,
			EveryResponse: unit.Given(unit.Microsecond)}}.LinkDelays(linkOf(rate))
	}
	return rate.TimeWithin(d.Interface), err
}

// responseAt returns the response time. A rate without a source is
// refused: the values beyond 10G and 100G do not follow one rule.
func responseAt(rate unit.BitRate) (unit.Time, error) {
	d, err := thresholds.IEEE{}.LinkDelays(linkOf(rate))
	return rate.TimeWithin(d.Response), err
}

// interfaceDelay returns the interface delay of a link. It does not complain
// about rates that the network itself refuses.
func (r *reader) interfaceDelay(at origin, c cable) unit.Time {
	if t, given := c.iface.Get(); given {
		return t
	}
	t, err := interfaceAt(c.rate)
	if err != nil && c.rate > 0 && c.rate <= fastest {
		r.Fail(at.line, at.path, fmt.Sprintf("%v; give the interface of the link: a time", err))
	}
	return t
}

// fastest is the fastest link that package fabric accepts.
const fastest = 100 * unit.Tbps

// response returns the response time of a port that obeys pause frames. of is
// "host" or "switch", for the message. A host that no link names gets what the file gives, or 0.
func (r *reader) response(of string, at fabric.End, d delay) unit.Time {
	i, linked := r.links[at]
	if d.IsGiven() || !linked {
		return d.Or(0)
	}
	rate := r.s.Network.Links[i].Rate
	t, err := responseAt(rate)
	if err != nil && rate > 0 && rate <= fastest {
		at := r.origins[fmt.Sprintf("links[%d]", i)]
		r.Fail(at.line, at.path, fmt.Sprintf("%v; give the response of the %s: a time", err, of))
	}
	return t
}
