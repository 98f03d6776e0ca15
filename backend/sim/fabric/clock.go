package fabric

import "math/bits"

// clock orders events. An event belongs to a source: a port that has finished a
// frame, a line whose first frame arrives, a timer. All sources are known from
// the start, and each has at most one event pending. So the clock is a calendar
// queue of source numbers, and it allocates nothing while it runs.
//
// Time is divided into buckets of 2^shift picoseconds. The buckets of the near
// future lie in a ring; each is a list sorted by (at, seq). Events beyond the
// ring wait in later, and move to the ring when their time is within its reach.
// Delays of links and frames are bounded, so nearly all events go to the ring
// directly.
//
// Events of the same picosecond happen in the order of their sources. This
// order does not depend on how an event was scheduled, so that lazy ports
// (lazy.go) change no result. With inOrder they happen in the order in which
// they were scheduled, as in other simulators.
type clock struct {
	now      int64  // time of the last event, in picoseconds
	seq      uint64 // last number that order has given
	inOrder  bool   // ties are decided by the order of scheduling
	shift    uint
	cursor   int64 // bucket of the last event, counted from time 0
	ring     []bucket
	occupied []uint64 // one bit per bucket: it is not empty
	near     int      // number of events in the ring
	events   []event  // pending event of each source
	later    []int32  // sources whose events are beyond the ring
	soonest  int64    // time of the earliest event in later
	taken    int64    // number of events so far
}

// bucket is a sorted list of sources; first is -1 if it is empty.
type bucket struct{ first, last int32 }

// event is the pending event of a source.
type event struct {
	at   int64
	seq  uint64
	next int32 // next source in the bucket; -1: last
	in   where
}

// where tells in which list an event is.
type where int32

const (
	idle where = iota
	inRing
	inLater
)

// never is later than every event.
const never = int64(1) << 62

// newClock returns a clock for a number of sources. Events are about width
// picoseconds apart, and most are scheduled at most reach picoseconds ahead.
func newClock(sources int, width, reach int64) *clock {
	shift := uint(bits.Len64(uint64(max(width, 1))))
	slots := int64(1) << bits.Len64(uint64(max(reach>>shift, 1<<8)))
	// At most 2 MiB: the next bucket is looked up for every event.
	slots = min(slots, 1<<18)
	c := &clock{shift: shift, ring: make([]bucket, slots), occupied: make([]uint64, slots/64),
		events: make([]event, sources),
		later:  make([]int32, 0, sources), soonest: never}
	for i := range c.ring {
		c.ring[i] = bucket{-1, -1}
	}
	return c
}

// order returns the next number in the order of scheduling.
func (c *clock) order() uint64 {
	c.seq++
	return c.seq
}

// set schedules the source's event. The source must have none pending.
func (c *clock) set(source int32, at int64) { c.put(source, at, c.order()) }

// put schedules the source's event with a number that order has returned
// earlier: a frame keeps the number of the moment when it was sent.
func (c *clock) put(source int32, at int64, seq uint64) {
	if !c.inOrder {
		seq = uint64(source)
	}
	e := &c.events[source]
	e.at, e.seq = at, seq
	if at>>c.shift-c.cursor >= int64(len(c.ring)) {
		e.in = inLater
		c.later = append(c.later, source)
		c.soonest = min(c.soonest, at)
		return
	}
	c.link(source, e)
}

// link inserts an event into its bucket. The two common cases come first: an
// empty bucket, and the end of a list, where an event of the same time always
// goes.
func (c *clock) link(source int32, e *event) {
	e.in = inRing
	e.next = -1
	c.near++
	slot := e.at >> c.shift & int64(len(c.ring)-1)
	b := &c.ring[slot]
	if b.first < 0 {
		b.first, b.last = source, source
		c.occupied[slot>>6] |= 1 << (slot & 63)
		return
	}
	if last := &c.events[b.last]; !e.before(last) {
		last.next, b.last = source, source
		return
	}
	at := &b.first
	for !e.before(&c.events[*at]) {
		at = &c.events[*at].next
	}
	e.next, *at = *at, source
}

// before tells whether an event happens before another.
func (e *event) before(o *event) bool { return e.at < o.at || e.at == o.at && e.seq < o.seq }

// pending tells whether the source has an event.
func (c *clock) pending(source int32) bool { return c.events[source].in != idle }

// setAtLatest makes sure that the source's event happens at this time or
// earlier.
func (c *clock) setAtLatest(source int32, at int64) {
	if c.pending(source) {
		if c.events[source].at <= at {
			return
		}
		c.cancel(source)
	}
	c.set(source, at)
}

// cancel removes the source's event, if it has one.
func (c *clock) cancel(source int32) {
	e := &c.events[source]
	switch e.in {
	case inLater:
		for i, s := range c.later {
			if s == source {
				c.later = append(c.later[:i], c.later[i+1:]...)
				break
			}
		}
		c.updateSoonest()
	case inRing:
		c.unlink(source, e)
	}
	e.in = idle
}

// unlink removes an event from its bucket.
func (c *clock) unlink(source int32, e *event) {
	c.near--
	slot := e.at >> c.shift & int64(len(c.ring)-1)
	b := &c.ring[slot]
	before, at := int32(-1), &b.first
	for *at != source {
		before, at = *at, &c.events[*at].next
	}
	*at = e.next
	if b.last == source {
		b.last = before
	}
	if b.first < 0 {
		c.occupied[slot>>6] &^= 1 << (slot & 63)
	}
}

// take removes the next event and moves now to its time. It returns false if
// there is no event up to and at the end.
func (c *clock) take(end int64) (source int32, ok bool) {
	slot, bucket, first := int64(-1), never, never
	if c.near > 0 {
		slot, bucket = c.next()
		first = c.events[c.ring[slot].first].at
	}
	if min(first, c.soonest) > end {
		return 0, false
	}
	if c.soonest>>c.shift <= bucket {
		c.migrate(min(bucket, c.soonest>>c.shift))
		slot, bucket = c.next()
	}
	source = c.ring[slot].first
	e := &c.events[source]
	c.cursor, c.now = bucket, e.at
	c.ring[slot].first = e.next
	if e.next < 0 {
		c.occupied[slot>>6] &^= 1 << (slot & 63)
	}
	e.in = idle
	c.near--
	c.taken++
	return source, true
}

// next finds the first bucket that is not empty, beginning at the cursor. There
// must be one.
func (c *clock) next() (slot, bucket int64) {
	mask := int64(len(c.ring) - 1)
	from := c.cursor & mask
	word := from >> 6
	rest := c.occupied[word] >> (from & 63) << (from & 63)
	for rest == 0 {
		word = (word + 1) & (mask >> 6)
		rest = c.occupied[word]
	}
	slot = word<<6 + int64(bits.TrailingZeros64(rest))
	return slot, c.cursor + (slot-from)&mask
}

// migrate moves the events that are within reach of a bucket from later to the
// ring.
func (c *clock) migrate(bucket int64) {
	c.cursor = bucket
	kept := c.later[:0]
	for _, s := range c.later {
		e := &c.events[s]
		if e.at>>c.shift-bucket < int64(len(c.ring)) {
			c.link(s, e)
		} else {
			kept = append(kept, s)
		}
	}
	c.later = kept
	c.updateSoonest()
}

// updateSoonest finds the earliest event in later.
func (c *clock) updateSoonest() {
	c.soonest = never
	for _, s := range c.later {
		c.soonest = min(c.soonest, c.events[s].at)
	}
}
