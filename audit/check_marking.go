package audit

import (
	"fmt"
	"strings"

	"github.com/cellwarden/cellwarden/finding"
)

// marking checks the marking profiles and the schedulers.
func (c *check) marking() {
	for _, w := range c.sw.Marking {
		for i, colour := range Colours() {
			c.order(w, &w.Colours[i], colour)
		}
		if w.Used {
			c.aboveQueue(w)
			c.afterPFC(w)
		}
	}
	for _, s := range c.sw.Schedulers {
		c.weight(s)
	}
}

// order compares the two thresholds of a colour.
func (c *check) order(w *Marking, of *Colour, colour string) {
	if low, high := of.Min, of.Max; low.Given && high.Given && low.Value > high.Value {
		c.add("wred-min-over-max", low.At, w.Object, numbers{"min": low.Value, "max": high.Value},
			"%s_min_threshold %d is above %s_max_threshold %d", colour, low.Value, colour, high.Value)
	}
}

// aboveQueue compares the upper thresholds with the most that a queue can hold: what is in the largest ingress pool,
// and in the headroom beside it. The colours of a profile are one finding.
func (c *check) aboveQueue(w *Marking) {
	pool := c.sw.largestIngress()
	if pool == nil {
		return
	}
	beside, known := c.headroomBeside(pool)
	var above []string
	var high Number // of the first colour
	for i, colour := range Colours() {
		if most := w.Colours[i].Max; known && most.Value > pool.Size.Value+beside {
			if above = append(above, colour); len(above) == 1 {
				high = most
			}
		}
	}
	if len(above) == 0 {
		return
	}
	n, and := numbers{"max": high.Value, "size": pool.Size.Value}, ""
	if beside > 0 {
		n["headroom"], and = beside, fmt.Sprintf(" and headroom %d", beside)
	}
	if len(above) > 1 {
		and += ", and so are those of " + strings.Join(above[1:], " and ")
	}
	c.add("wred-max-over-pool", high.At, w.Object, n,
		"%s_max_threshold %d is larger than %s, size %d%s", above[0], high.Value, pool.Name, pool.Size.Value, and)
}

// largestIngress returns the largest of the pools that packets are counted in when they come in; nil if the size of one
// is not known.
func (s *Switch) largestIngress() (largest *Pool) {
	for _, p := range s.Pools {
		switch {
		case !p.ingress():
		case !p.Size.Given:
			return nil
		case largest == nil || p.Size.Value > largest.Size.Value:
			largest = p
		}
	}
	if largest == nil || largest.Size.Value == 0 {
		return nil
	}
	return largest
}

// headroomBeside is the headroom that may be outside the pool: a queue can also hold packets that were admitted into
// it. If the size of a pool includes headroom, the result is 0. It is unknown if a priority with PFC has no group.
func (c *check) headroomBeside(pool *Pool) (sum int64, known bool) {
	switch {
	case c.poolIncludes() == includesYes:
		return 0, true
	case pool.XOFF.Value > 0:
		return pool.XOFF.Value, true
	}
	for _, p := range c.sw.Ports {
		for n, b := range p.Groups {
			switch {
			case p.lossless(n) && (b == nil || b.Profile == nil):
				return 0, false
			case b != nil && b.Profile != nil && b.Profile.Pool == pool && b.Profile.Lossless():
				sum += b.Profile.Size.Value
			}
		}
	}
	return sum, true
}

// afterPFC compares the lower threshold with what one lossless group can hold of an empty pool: alpha / (1 + alpha) of
// it (Choudhury and Hahne 1998). Where size may include xoff the pool is taken with it, so that the limit is the
// largest that it can be.
func (c *check) afterPFC(w *Marking) {
	pool := c.sw.losslessIngress() // that a marked packet is counted in and that fills first
	low := w.Colours[0].Min
	if pool == nil || pool.Size.Value <= 0 || !low.Given {
		return
	}
	most := int64(-1)
	for _, p := range c.sw.Profiles {
		alpha, dynamic := alphaOf(p)
		if !p.Used || !p.Lossless() || !dynamic || p.Pool != pool {
			continue
		}
		limit := alpha.Share().Times(pool.Size.Value, 1).Floor()
		most = max(most, limit+p.Size.Value)
	}
	if most < 0 || low.Value <= most {
		return
	}
	c.add("ecn-after-pfc", low.At, w.Object, numbers{"min": low.Value, "pause": most},
		"green_min_threshold %d is above %d, at which the largest lossless group pauses when it is alone", low.Value, most)
}

// mostWeight is the largest weight that sonic-scheduler.yang accepts.
const mostWeight = 100

// weight checks the weight of a scheduler. A strict one needs none.
func (c *check) weight(s *Scheduler) {
	switch {
	case s.Weight.Given && (s.Weight.Value < 1 || s.Weight.Value > mostWeight):
		c.add("scheduler-weight", s.Weight.At, s.Object, nil, "weight is %d: want 1 to %d", s.Weight.Value, mostWeight)
	case !s.Weight.Given && (s.Type == "DWRR" || s.Type == "WRR"):
		c.add("scheduler-weight", s.At, s.Object, nil, "type is %s, and there is no weight", s.Type)
	}
}

// queues checks, of a switch that serves queues by policies, early detection and ECN. Ports with the same fault are one
// finding.
func (c *check) queues() {
	f := &folds{}
	for _, p := range c.sw.Ports {
		var other *Service
		var queue int
		var without []string // queues of classes without drops that are not marked
		marked := false
		for n, s := range p.Service {
			if s == nil {
				continue
			}
			c.detection(f, p, n, s)
			switch {
			case s.NoDrop && s.Marks:
				marked = true
			case s.NoDrop:
				without = append(without, fmt.Sprint(n))
			case s.Marks && other == nil:
				other, queue = s, n
			}
		}
		if other != nil && !marked && len(without) > 0 {
			f.note("ecn-other-queue", other.DetectAt, p, fmt.Sprintf("queue %d", queue), "ECN marks queue %d, whose class "+
				"drops, and no queue of a class without drops (%s)", queue, strings.Join(without,
				", ")).suspect = "the lossless traffic may need no ECN, as FCoE does"
		}
	}
	f.report(c.collector)
}

// detection checks the early detection of a queue.
func (c *check) detection(f *folds, p *Port, queue int, s *Service) {
	object := fmt.Sprintf("queue %d", queue)
	if s.NoDrop && s.Drops && !s.Marks {
		f.note("wred-no-drop", s.DetectAt, p, object,
			"queue %d is of a class without drops, and random detection without ECN drops its packets", queue)
	}
	if s.Max.Given && c.overMemory(s.Max.Bytes()) {
		out := f.note("wred-max-over-pool", s.DetectAt, p, object, "the upper threshold %d is larger than the memory of %s",
			s.Max.Value, c.memory())
		out.severity = finding.Warning
	}
}
