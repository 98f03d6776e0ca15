package audit

import "fmt"

// marking checks the marking profiles and the schedulers.
func (c *check) marking() {
	for _, w := range c.sw.wred {
		for _, colour := range colours {
			c.thresholds(w, colour)
		}
		if w.used {
			c.afterPFC(w)
		}
	}
	for _, s := range c.sw.schedulers {
		c.weight(s)
	}
}

// thresholds checks the two thresholds of a colour.
func (c *check) thresholds(w *wredProfile, colour string) {
	low, high := w.min[colour], w.max[colour]
	if low.Given && high.Given && low.Value > high.Value {
		c.add(WREDMinOverMax, low.At, w.object, numbers{"min": low.Value, "max": high.Value},
			"%s_min_threshold %d is above %s_max_threshold %d", colour, low.Value, colour, high.Value)
	}
	pool := c.sw.markedPool()
	if !w.used || pool == nil || high.Value <= pool.Size.Value {
		return
	}
	beside, known := c.headroomBeside(pool)
	if !known || high.Value <= pool.Size.Value+beside {
		return
	}
	n, and := numbers{"max": high.Value, "size": pool.Size.Value}, ""
	if beside > 0 {
		n["headroom"], and = beside, fmt.Sprintf(" and headroom %d", beside)
	}
	c.add(WREDMaxOverPool, high.At, w.object, n,
		"%s_max_threshold %d is larger than %s, size %d%s", colour, high.Value, pool.Name, pool.Size.Value, and)
}

// headroomBeside is the headroom that may stand beside the pool: a queue can also hold packets that were admitted into
// it. Where the size of a pool includes headroom there is none. It is not known if a priority with PFC has no group.
func (c *check) headroomBeside(pool *Pool) (sum int64, known bool) {
	switch {
	case poolIncludes(c.Chip.Name) == includesYes:
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

// markedPool returns the pool that a marked packet is counted in and that fills first: the ingress lossless pool; nil
// if its size is not known.
func (s *Switch) markedPool() *Pool {
	if p := s.losslessIngress(); p != nil && p.Size.Value > 0 {
		return p
	}
	return nil
}

// afterPFC compares the lower threshold with what one lossless group can hold of an empty pool: alpha / (1 + alpha) of
// it (Choudhury and Hahne 1998). Where size may include xoff the pool is taken with it, so that the limit is the
// largest that it can be.
func (c *check) afterPFC(w *wredProfile) {
	pool := c.sw.markedPool()
	low := w.min["green"]
	if pool == nil || !low.Given {
		return
	}
	most := int64(-1)
	for _, p := range c.sw.Profiles {
		alpha, dynamic := alphaOf(p)
		if !p.used || !p.Lossless() || !dynamic || p.Pool != pool {
			continue
		}
		limit := alpha.Share().Times(pool.Size.Value).Floor()
		most = max(most, limit+p.Size.Value)
	}
	if most < 0 || low.Value <= most {
		return
	}
	c.add(ECNAfterPFC, low.At, w.object, numbers{"min": low.Value, "pause": most},
		"green_min_threshold %d is above %d, at which the largest lossless group pauses when it is alone", low.Value, most)
}

// mostWeight is the largest weight that sonic-scheduler.yang accepts.
const mostWeight = 100

// weight checks the weight of a scheduler. A strict one needs none.
func (c *check) weight(s *scheduler) {
	switch object := "SCHEDULER|" + s.name; {
	case s.weight.Given && (s.weight.Value < 1 || s.weight.Value > mostWeight):
		c.add(SchedulerWeight, s.weight.At, object, nil, "weight is %d: accepted is 1 to %d", s.weight.Value, mostWeight)
	case !s.weight.Given && (s.kind == "DWRR" || s.kind == "WRR"):
		c.add(SchedulerWeight, s.at, object, nil, "type is %s, and there is no weight", s.kind)
	}
}
