package fabric

import "math/bits"

// clock orders events. An event is a source that goes off: a port that has
// finished a frame, a line whose first frame arrives, a timer. Sources are
// known from the start and have at most one event pending each, so the clock
// is a calendar of their numbers and allocates nothing.
//
// Time is cut into buckets of 2^shift picoseconds. The buckets of the near
// future lie in a ring, each a list sorted by (at, seq); what is further away
// than the ring reaches waits in later and is moved in when its time comes
// near. Delays of links and frames are bounded, so nearly everything lands in
// the ring: setting and taking an event costs the same however many there are.
//
// Events of the same picosecond go off in the order of their sources, which says
// the same however an event came to be scheduled; or, if asked, in the order in
// which they were scheduled.
type clock struct {
	now      int64 // of the event taken last; picoseconds
	seq      uint64
	inOrder  bool // ties go off as they were scheduled
	shift    uint
	cursor   int64 // bucket of the event taken last, counted from time 0
	ring     []bucket
	occupied []uint64 // a bit for each bucket that is not empty
	near     int      // events in the ring
	events   []event  // by source
	later    []int32  // sources beyond the ring
	soonest  int64    // earliest event of later
	taken    int64    // events taken so far
}

// bucket is a list of sources, sorted; first is below 0 if there are none.
type bucket struct{ first, last int32 }

// event is what is pending for a source.
type event struct {
	at   int64
	seq  uint64
	next int32 // in its bucket; -1: the last
	in   where
}

// where an event stands.
type where int32

const (
	idle where = iota
	inRing
	inLater
)

const never = int64(1) << 62

// newClock returns a clock for so many sources whose events come about width
// picoseconds apart and mostly within reach.
func newClock(sources int, width, reach int64) *clock {
	shift := uint(bits.Len64(uint64(max(width, 1))))
	slots := int64(1) << bits.Len64(uint64(max(reach>>shift, 1<<8)))
	slots = min(slots, 1<<18)
	c := &clock{shift: shift, ring: make([]bucket, slots), occupied: make([]uint64, slots/64),
		events: make([]event, sources),
		later:  make([]int32, 0, sources), soonest: never}
	for i := range c.ring {
		c.ring[i] = bucket{-1, -1}
	}
	return c
}

// order hands out the next place in the order of events at the same time.
func (c *clock) order() uint64 {
	c.seq++
	return c.seq
}

// set schedules the source's event, which must have none pending.
func (c *clock) set(source int32, at int64) { c.put(source, at, c.order()) }

// put schedules the source's event with a place in the order that was handed
// out before.
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

// link puts an event into its bucket. Most buckets are empty, and most events
// go to the end of the others: those of the same time always do.
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

func (e *event) before(o *event) bool { return e.at < o.at || e.at == o.at && e.seq < o.seq }

// pending tells whether the source has an event.
func (c *clock) pending(source int32) bool { return c.events[source].in != idle }

// setAtLatest makes sure that the source goes off at this time or before.
func (c *clock) setAtLatest(source int32, at int64) {
	if c.pending(source) {
		if c.events[source].at <= at {
			return
		}
		c.cancel(source)
	}
	c.set(source, at)
}

// cancel forgets the source's event, if it has one.
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

// unlink takes an event out of the middle of its bucket.
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

// take removes the next event and sets now to its time; false if there is none
// at or before the end.
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

// next finds the first bucket that is not empty, from the cursor on. There
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

// migrate moves what is within reach of this bucket into the ring.
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

func (c *clock) updateSoonest() {
	c.soonest = never
	for _, s := range c.later {
		c.soonest = min(c.soonest, c.events[s].at)
	}
}
