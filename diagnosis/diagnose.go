package diagnosis

import (
	"cmp"
	"errors"
	"math/bits"
	"slices"

	"github.com/cellwarden/cellwarden/finding"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/unit"
)

// Limits say where a pattern begins. A zero limit has its default.
type Limits struct {
	Paused unit.Percent // share of the interval: a port that is paused for longer is in a storm; 0: 90%
	Low    unit.Percent // share of the line: less use is low; 0: 50%
	High   unit.Percent // share of the line: an egress with more use is busy; 0: 90%
}

// Validate refuses limits that are not 0% to 100%.
func (l Limits) Validate() error {
	var bad fielderr.List
	for _, c := range [3]struct {
		name string
		p    unit.Percent
	}{{"paused", l.Paused}, {"low", l.Low}, {"high", l.High}} {
		if c.p < 0 || c.p > unit.Whole {
			bad.Add("limits."+c.name, c.p.String(), "0% to 100%")
		}
	}
	return bad.Err()
}

// defaults replaces zeros with the defaults.
func (l Limits) defaults() Limits {
	return Limits{cmp.Or(l.Paused, 90*unit.OnePercent), cmp.Or(l.Low, 50*unit.OnePercent),
		cmp.Or(l.High, 90*unit.OnePercent)}
}

// Diagnose returns the findings of two readings with the default limits: see [Limits.Diagnose].
func Diagnose(before, after Snapshot) ([]finding.Finding, error) {
	return Limits{}.Diagnose(before, after)
}

// Diagnose returns the findings of two readings of a switch: the most serious first, then in the order of the readings'
// ports, then by class. It refuses readings that cannot be compared: different ports, no time between them, counters
// that fell.
func (l Limits) Diagnose(before, after Snapshot) ([]finding.Finding, error) {
	if err := errors.Join(l.Validate(), validate(before, after)); err != nil {
		return nil, err
	}
	d := diagnosis{limits: l.defaults(), interval: after.At - before.At, ports: slices.Clone(after.Ports)}
	for i := range d.ports {
		for n := range Classes {
			d.ports[i].Classes[n] = after.Ports[i].Classes[n].minus(before.Ports[i].Classes[n])
		}
	}
	var out []finding.Finding
	for i := range d.ports {
		for n := range Classes {
			if f, ok := d.classify(&d.ports[i], n); ok {
				out = append(out, f)
			}
		}
	}
	slices.SortStableFunc(out, graver)
	return out, nil
}

// diagnosis is a diagnosis in progress. The counters of its ports are the differences.
type diagnosis struct {
	limits   Limits
	interval unit.Time
	ports    []Port
}

// classify returns the most serious pattern of a port's class. Drops and a
// storm can occur together; the storm explains both.
func (d *diagnosis) classify(p *Port, n int) (finding.Finding, bool) {
	c := &p.Classes[n]
	sent, received, drops := counted("pause_sent", c.PauseSent, "frames"),
		counted("pause_received", c.PauseReceived, "frames"), counted("drops", c.Drops, "frames")
	paused := counted("paused", share(int64(c.PausedTime), int64(d.interval)), "bp")
	use := counted("use_in", d.use(p, c.BytesIn), "bp")
	busiest := counted("busiest_egress", d.busiest(n), "bp")
	elsewhere := counted("pause_sent_by_switch", d.sum(n, func(c *Counters) int64 { return c.PauseSent }), "frames")
	switch {
	case paused.Value >= int64(d.limits.Paused):
		return fault("storm", p.Name, n, paused, received), true
	case c.Drops > 0 && c.PauseSent > 0:
		return fault("headroom", p.Name, n, sent, drops, use), true
	case c.Drops > 0 && d.unexpectedDrops(p, n):
		return fault("class-map", p.Name, n, drops, sent, counted("bytes_in_lossless", d.lossless(p), "bytes")), true
	case c.PauseSent > 0 && use.Value < int64(d.limits.Low) && busiest.Value < int64(d.limits.High) &&
		d.sum(n, func(c *Counters) int64 { return c.PauseReceived }) == 0:
		return fault("footroom", p.Name, n, sent, use, busiest), true
	case c.PauseReceived > 0 && elsewhere.Value > 0:
		return fault("spreading", p.Name, n, received, paused, elsewhere), true
	case c.PauseReceived > 0:
		return fault("victim", p.Name, n, received, paused, elsewhere), true
	}
	return finding.Finding{}, false
}

// unexpectedDrops tells whether drops without a pause are more than a lossy class under congestion: the class should be
// lossless, or it is not known which ones should, or the lossless classes have received nothing, so that the dropped
// frames may be their traffic.
func (d *diagnosis) unexpectedDrops(p *Port, n int) bool {
	return p.Lossless == 0 || p.Lossless.Has(n) || d.lossless(p) == 0
}

// lossless returns the bytes that arrived at a port in lossless classes.
func (d *diagnosis) lossless(p *Port) (sum int64) {
	for n := range Classes {
		if p.Lossless.Has(n) {
			sum += int64(p.Classes[n].BytesIn)
		}
	}
	return sum
}

// busiest returns the use of the busiest egress of a class, with all classes counted. A busy egress explains pauses.
func (d *diagnosis) busiest(n int) (most int64) {
	for i := range d.ports {
		p := &d.ports[i]
		var sum unit.Bytes
		for c := range Classes {
			sum += p.Classes[c].BytesOut
		}
		if p.Classes[n].BytesOut > 0 {
			most = max(most, d.use(p, sum))
		}
	}
	return most
}

// sum adds a counter of a class over all ports.
func (d *diagnosis) sum(n int, counter func(*Counters) int64) (sum int64) {
	for i := range d.ports {
		sum += counter(&d.ports[i].Classes[n])
	}
	return sum
}

// use returns the share of the line that b bytes took, in hundredths of a percent. Preamble and gap are not counted,
// because counters do not include them.
func (d *diagnosis) use(p *Port, b unit.Bytes) int64 {
	return share(int64(p.Rate.TimeFor(8*int64(b))), int64(d.interval))
}

// share returns a/b in hundredths of a percent, at most 100 times the whole.
func share(a, b int64) int64 {
	const most = 100 * uint64(unit.Whole)
	hi, lo := bits.Mul64(uint64(a), uint64(unit.Whole))
	if hi >= uint64(b) {
		return int64(most)
	}
	q, _ := bits.Div64(hi, lo, uint64(b))
	return int64(min(q, most))
}
