package ecn

import (
	"errors"
	"fmt"
	"math"
	"sort"

	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// This file and stability.go are the only ones of the core that use floating point: the model has powers with real
// exponents. Every product that is added or subtracted is in float64(). Without it Go may combine the two operations
// with one rounding on some machines and not on others. The library's exponential and logarithm can still differ in the
// last bit between machines, so round before printing.

// DCQCN is the fluid model of DCQCN's senders at one bottleneck. All senders are alike. (Zhu et al., SIGCOMM 2015; Zhu
// et al., "Thresholds or Delay", CoNEXT 2016.) Start with [DefaultDCQCN].
type DCQCN struct {
	Rate        unit.BitRate // of the bottleneck and of every sender's port
	Flows       int          // N
	Packet      unit.Bytes   // length of a data packet
	Increase    unit.BitRate // R_AI, additive increase
	ByteCounter unit.Bytes   // B, bytes between increases
	Timer       unit.Time    // T, time between increases
	Recovery    int          // F, steps of fast recovery
	Gain        int          // 1/g
	CNPInterval unit.Time    // tau, time between two CNPs of a flow
	AlphaTimer  unit.Time    // tau', interval of the congestion estimate
}

// DefaultDCQCN returns the paper's parameters: packets of 1000 bytes, R_AI 40 Mb/s, byte counter 10 MB, timer 55 us, 5
// steps of fast recovery, g 1/256, CNPs 50 us apart, alpha updated every 55 us.
func DefaultDCQCN(rate unit.BitRate, flows int) DCQCN {
	return DCQCN{
		Rate: rate, Flows: flows, Packet: 1000, Increase: 40 * unit.Mbps, ByteCounter: 10_000_000,
		Timer:    55 * unit.Microsecond,
		Recovery: 5, Gain: 256, CNPInterval: 50 * unit.Microsecond, AlphaTimer: 55 * unit.Microsecond,
	}
}

// Validate refuses values out of range, with all complaints at once.
func (d DCQCN) Validate() error {
	var bad fielderr.List
	in := func(name string, v, low, high int64) {
		if v < low || v > high {
			bad.Add("", fmt.Sprintf("dcqcn %s %d", name, v), fmt.Sprintf("%d to %d", low, high))
		}
	}
	in("rate in bit/s", int64(d.Rate), int64(unit.Gbps), int64(100*unit.Tbps))
	in("flows", int64(d.Flows), 1, 1<<16)
	in("packet bytes", int64(d.Packet), int64(thresholds.MinFrame), int64(thresholds.MaxFrameSize))
	in("increase in bit/s", int64(d.Increase), int64(unit.Kbps), int64(unit.Tbps))
	in("byte counter", int64(d.ByteCounter), int64(max(d.Packet, 1)), 1<<40)
	in("recovery steps", int64(d.Recovery), 1, 100)
	in("gain divisor", int64(d.Gain), 1, 1<<20)
	for _, t := range []unit.Time{d.Timer, d.CNPInterval, d.AlphaTimer} {
		in("interval in ps", int64(t), int64(unit.Microsecond), int64(unit.Second))
	}
	return bad.Err()
}

// FixedPoint is the state in which the senders settle, if they settle.
type FixedPoint struct {
	Rate        unit.BitRate // of each flow: the bottleneck's divided by N
	Probability float64      // p*, the marking probability of a packet: the exact root
	Approximate float64      // the papers' closed approximation, too high by 14 to 44 % for 1 to 32 flows
	Estimate    float64      // alpha, the senders' estimate of congestion
	Queue       unit.Bytes   // depth at which the curve marks with p*; 0 if not Valid
	Valid       bool         // p* is not above PMax: the curve's slope contains it
}

// FixedPoint returns the root of
//
//	alpha*a^2/tau^2 = R_AI*R*(c+e)*(b+d)
//
// by bisection, with R = C/N in packets, a = 1-(1-p)^(tau*R), alpha = 1-(1-p)^(tau'*R), b = p/((1-p)^-B - 1), c =
// b*(1-p)^(F*B), d = p/((1-p)^-(T*R) - 1), e = d*(1-p)^(F*T*R). There the cut of the rate and the two increases are
// equal. The queue is Kmin + p*(Kmax-Kmin)/PMax. It exists only for p <= PMax: above Kmax marking jumps to 1, and the
// queue does not settle. A profile that marks nothing is refused.
func (d DCQCN) FixedPoint(e Thresholds) (FixedPoint, error) {
	if err := d.validate(e); err != nil {
		return FixedPoint{}, err
	}
	low, high := 0.0, 1.0
	for range 200 {
		middle := (low + high) / 2
		if d.excess(middle) < 0 {
			low = middle
		} else {
			high = middle
		}
	}
	pmax := float64(e.PMax) / float64(unit.Whole)
	f := FixedPoint{Rate: d.Rate / unit.BitRate(d.Flows), Probability: high, Approximate: d.approximate(),
		Valid: high <= pmax}
	f.Estimate = atLeastOnce(high, seconds(d.AlphaTimer)*d.share())
	if f.Valid {
		f.Queue = e.KMin + unit.Bytes(math.Round(high*float64(e.KMax-e.KMin)/pmax))
	}
	return f, nil
}

// MaxFlows returns the largest number of flows, up to 65,536, for which p* is not above PMax, or 0.
func (d DCQCN) MaxFlows(e Thresholds) (int, error) {
	d.Flows = 1
	if err := d.validate(e); err != nil {
		return 0, err
	}
	pmax := float64(e.PMax) / float64(unit.Whole)
	return sort.Search(1<<16, func(n int) bool {
		d.Flows = n + 1
		return pmax < 1 && d.excess(pmax) < 0
	}), nil
}

// validate refuses parameters that are not valid, and a profile that marks nothing.
func (d DCQCN) validate(e Thresholds) error {
	err := errors.Join(d.Validate(), e.Validate())
	if err == nil && e.KMax == 0 {
		err = errors.New("dcqcn without marking: a kmax and a pmax are needed")
	}
	return err
}

// share is a flow's rate at the fixed point in packets per second.
func (d DCQCN) share() float64 { return d.capacity() / float64(d.Flows) }

// capacity is the bottleneck's rate in packets per second.
func (d DCQCN) capacity() float64 { return d.packets(d.Rate) }

// packets converts a rate to packets per second.
func (d DCQCN) packets(r unit.BitRate) float64 { return float64(r) / 8 / float64(d.Packet) }

// seconds converts a time.
func seconds(t unit.Time) float64 { return float64(t) / float64(unit.Second) }

// atLeastOnce is 1-(1-p)^n.
func atLeastOnce(p, n float64) float64 { return -math.Expm1(n * math.Log1p(-p)) }

// gains are the increases of a flow per packet. b and d halve the distance to
// the target rate, after B bytes and after T; c and e raise the target.
type gains struct{ b, c, d, e float64 }

// gains returns the increases at a marking probability and a rate.
func (d DCQCN) gains(p, rate float64) gains {
	bytes := float64(d.ByteCounter) / float64(d.Packet)
	timer := seconds(d.Timer) * rate
	if p <= 0 { // the limits for p to 0
		return gains{1 / bytes, 1 / bytes, 1 / timer, 1 / timer}
	}
	quiet, recovery := math.Log1p(-p), float64(d.Recovery)
	g := gains{b: p / math.Expm1(-bytes*quiet), d: p / math.Expm1(-timer*quiet)}
	if p < 1 {
		g.c = g.b * math.Exp(recovery*bytes*quiet)
		g.e = g.d * math.Exp(recovery*timer*quiet)
	}
	return g
}

// excess is the cut minus the increase at p, at the fair rate. It rises with p.
func (d DCQCN) excess(p float64) float64 {
	rate, tau := d.share(), seconds(d.CNPInterval)
	g := d.gains(p, rate)
	cut := atLeastOnce(p, tau*rate) / tau
	estimate := atLeastOnce(p, seconds(d.AlphaTimer)*rate)
	return float64(estimate*cut*cut) - float64(d.packets(d.Increase)*rate*(g.c+g.e)*(g.b+g.d))
}

// approximate is [R_AI*N^2/(tau'*C^2) * (1/B + N/(T*C))^2]^(1/3).
func (d DCQCN) approximate() float64 {
	n, c := float64(d.Flows), d.capacity()
	per := float64(float64(d.Packet)/float64(d.ByteCounter)) + float64(n/(seconds(d.Timer)*c))
	return math.Cbrt(d.packets(d.Increase) * n * n / (seconds(d.AlphaTimer) * c * c) * per * per)
}
