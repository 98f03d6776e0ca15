package scenario

import (
	"fmt"

	"github.com/cellwarden/cellwarden/backend/sim/fabric"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// delay is an interface delay or a response time as a file gives it. The zero
// delay is the standard's maximum for the rate of the link, so that what is
// simulated and what a headroom is sized for are the same; a time of 0 is given
// as such.
type delay struct {
	given bool
	time  unit.Time
}

// parseDelay reads "200ns", or "standard".
func parseDelay(text string) (delay, error) {
	if text == "standard" {
		return delay{}, nil
	}
	t, err := unit.ParseTime(text)
	if err != nil {
		err = fmt.Errorf("%w; or standard", err)
	}
	return delay{true, t}, err
}

// linkOf is a link of which nothing is asked but what depends on its rate.
func linkOf(rate unit.BitRate) thresholds.Link {
	return thresholds.Link{Rate: rate, MTU: thresholds.MinFrame, LosslessMTU: thresholds.MinFrame}
}

// interfaceAt is the maximum of both interfaces, one way. Where no source gives
// it, it is as long as at the nearest rate that has one, which is inferred. It
// does not need the response time, which fewer rates have.
func interfaceAt(rate unit.BitRate) (unit.Time, error) {
	d, err := thresholds.IEEE{Delays: thresholds.Delays{EveryResponse: unit.Microsecond}}.LinkDelays(linkOf(rate))
	return roundedDown(d.Interface, rate), err
}

// responseAt is the maximum of the response time. A rate for which no source
// gives it is refused: what follows 10G or 100G does not follow one rule.
func responseAt(rate unit.BitRate) (unit.Time, error) {
	d, err := thresholds.IEEE{}.LinkDelays(linkOf(rate))
	return roundedDown(d.Response, rate), err
}

// roundedDown is the time of so many bits, rounded down: a maximum is not exceeded.
func roundedDown(bits int64, rate unit.BitRate) unit.Time {
	t := rate.TimeFor(bits)
	if t > 0 && rate.BitsIn(t) > bits {
		t--
	}
	return t
}

// interfaceDelay returns the interface delay of a link. A rate that no link has is
// refused by the network itself.
func (r *reader) interfaceDelay(at origin, c cable) unit.Time {
	if c.iface.given {
		return c.iface.time
	}
	t, err := interfaceAt(c.rate)
	if err != nil && c.rate > 0 && c.rate <= fastest {
		r.Fail(at.line, at.path, fmt.Sprintf("%v; give the interface of the link: a time", err))
	}
	return t
}

// fastest is the fastest link that a network has.
const fastest = 100 * unit.Tbps

// response returns the response time of a port that honours pauses; of says
// whether it is a host's or a switch's.
func (r *reader) response(of string, at fabric.End, d delay) unit.Time {
	i, linked := r.links[at]
	if d.given || !linked {
		return d.time
	}
	rate := r.s.Network.Links[i].Rate
	t, err := responseAt(rate)
	if err != nil && rate > 0 && rate <= fastest {
		at := r.origins[fmt.Sprintf("links[%d]", i)]
		r.Fail(at.line, at.path, fmt.Sprintf("%v; give the response of the %s: a time", err, of))
	}
	return t
}
