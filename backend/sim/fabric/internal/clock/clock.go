// Package clock orders the events of a simulation.
//
// An event belongs to a source: a port that has finished a frame, a line whose first frame arrives, a timer. All
// sources are known from the start, and each has at most one event pending. So a [Clock] is a calendar queue of source
// numbers, and it allocates nothing once its lists have grown.
//
// Time is in picoseconds, and divided into buckets of 2^shift picoseconds. The buckets of the near future lie in a ring
// of a fixed size, so that no index needs a check; each is an unsorted list. When its time comes, a short list is searched
// for each event, and a long one is sorted. So an event costs the same however many share its bucket, up to the logarithm
// of the sort. Events beyond the ring wait in a wheel of longer lists (wheel.go), and move to the ring when time reaches
// their list. Delays of links and frames are bounded, so nearly all events go to the ring directly.
package clock

import (
	"math/bits"
	"slices"
)

// Clock gives the events of its sources in the order of their times. Events of the same picosecond happen in the order
// of their sources, which does not depend on how they were scheduled, or in the order of scheduling: see
// [Clock.KeepOrder]. It is not safe for concurrent use.
type Clock struct {
	Now      int64 // time of the last event, in picoseconds
	shift    uint
	cursor   int64              // the open bucket, counted from time 0: that of the last event
	direct   uint64             // so many buckets behind the open one take events at once: none with KeepOrder
	open     []uint64           // keys of the open bucket's events, the next one last; none if they are in its list
	events   Events             // pending event of each source
	occupied [slots / 64]uint64 // one bit per bucket of the ring: it is not empty
	ring     [slots]int32       // first source of each bucket; -1: none
	far      farEvents          // events beyond the ring
	Taken    int64              // number of events so far
	seq      uint64             // last number that order has given
	seqs     []uint64           // by source, with inOrder: the number of its event; nil: ties are decided by the source
}

// slots is the number of buckets of the ring: a power of 2, and whole words of occupied.
const slots = 16 * 64

// event is the pending event of a source. at is in picoseconds from time 0. next has no meaning while in is idle.
type event struct {
	at   int64
	next int32 // next source of its list; -1: last
	in   where
}

// Events are the pending events of all sources. Several clocks can share them if each source belongs to one of them.
type Events []event

// NewEvents returns the events of all sources. No event is pending.
func NewEvents(sources int) Events { return make(Events, sources) }

// where tells in which list an event is. From inFar on, it is beyond the ring, behind the source of that number more;
// up to farHead, it is the first of the list beyond the ring of that number less.
type where int32

const (
	farHead where = iota - 1
	idle
	inRing
	inOpen
	inFar
)

// Never is later than every event.
const Never = int64(1) << 62

// mostShift limits the width of a bucket, so that a time within it and a source fit one key.
const mostShift = 31

// sortAbove is the length from which a list is sorted by the library: shorter ones are nearly sorted, and inserting
// each event is faster.
const sortAbove = 12

// New returns a clock for sources whose events have these places. Events are about width picoseconds apart, and most
// are scheduled at most reach picoseconds ahead. A width or a reach of 0 or less is taken as the least.
func New(pending Events, width, reach int64) *Clock {
	width = max(width, reach/slots+1, 1)
	c := &Clock{shift: uint(min(bits.Len64(uint64(width)), mostShift)), direct: slots - 1, events: pending,
		far: newFarEvents()}
	for i := range c.ring {
		c.ring[i] = -1
	}
	return c
}

// KeepOrder decides ties by the order of scheduling from now on, as other simulators do. Nothing may be pending.
func (c *Clock) KeepOrder() { c.seqs, c.direct = make([]uint64, len(c.events)), 0 }

// Order returns the next number in the order of scheduling.
func (c *Clock) Order() uint64 {
	c.seq++
	return c.seq
}

// Set schedules the source's event. The source must have none pending.
func (c *Clock) Set(source int32, at int64) {
	if !c.SetNear(source, at) {
		c.Put(source, at, c.Order())
	}
}

// SetNear is Set for an event of the near future. It returns false, and schedules nothing, for any other: Set does
// then. The compiler puts it where it is called. A bucket before the open one, or the open one itself, is a large
// number as uint64, so one comparison tells.
func (c *Clock) SetNear(source int32, at int64) bool {
	bucket := at >> (c.shift & 63)
	if uint64(bucket-c.cursor-1) >= c.direct {
		return false
	}
	slot := uint64(bucket) & (slots - 1)
	c.events[source] = event{at, c.ring[slot], inRing}
	c.ring[slot] = source
	c.occupied[slot>>6] |= 1 << (slot & 63)
	return true
}

// Put schedules the source's event with a number that order has returned
// earlier: a frame keeps the number of the moment when it was sent. The time
// must not be before now.
func (c *Clock) Put(source int32, at int64, seq uint64) {
	if c.seqs != nil {
		c.seqs[source] = seq
	}
	e := &c.events[source]
	bucket := at >> (c.shift & 63)
	// The list of the open bucket takes an event too as long as nothing of it has been sorted into open.
	switch ahead := bucket - c.cursor; {
	case uint64(ahead-1) < slots-1 || ahead == 0 && len(c.open) == 0 && c.seqs == nil:
		c.link(source, at, bucket)
	case ahead > 0:
		e.at = at
		c.putFar(source, e)
	default:
		e.at = at
		c.insert(source, e)
	}
}

// link puts an event into its bucket, which is in the ring.
func (c *Clock) link(source int32, at, bucket int64) {
	slot := uint64(bucket) & (slots - 1)
	c.events[source] = event{at, c.ring[slot], inRing}
	c.ring[slot] = source
	c.occupied[slot>>6] |= 1 << (slot & 63)
}

// clear empties a bucket of the ring.
func (c *Clock) clear(slot int64) {
	c.ring[slot&(slots-1)] = -1
	c.occupied[slot>>6&(slots/64-1)] &^= 1 << (slot & 63)
}

// key is an event of the open bucket as one number: its time in the bucket, and its source. The time is above, so
// that keys compare as events do. mostShift keeps it below 32 bits.
func (c *Clock) key(source int32, at int64) uint64 {
	return uint64(at&(1<<c.shift-1))<<32 | uint64(uint32(source))
}

// after tells whether an event of the open bucket happens after another.
func (c *Clock) after(a, b uint64) bool {
	if c.seqs != nil && a>>32 == b>>32 {
		return c.seqs[uint32(a)] > c.seqs[uint32(b)]
	}
	return a > b
}

// insert puts an event into the open bucket, behind all that happen after it.
func (c *Clock) insert(source int32, e *event) {
	e.in = inOpen
	key := c.key(source, e.at)
	c.open = append(c.open, key)
	i := len(c.open) - 1
	for ; i > 0 && c.after(key, c.open[i-1]); i-- {
		c.open[i] = c.open[i-1]
	}
	c.open[i] = key
}

// Ordered tells whether ties are decided by the order of scheduling.
func (c *Clock) Ordered() bool { return c.seqs != nil }

// Sources is the number of sources, those of other clocks with the same events included.
func (c *Clock) Sources() int { return len(c.events) }

// At returns the time of the source's event; false if it has none.
func (c *Clock) At(source int32) (at int64, pending bool) {
	e := &c.events[source]
	return e.at, e.in != idle
}

// Pending tells whether the source has an event.
func (c *Clock) Pending(source int32) bool { return c.events[source].in != idle }

// AnyPending tells whether any source has an event.
func (c *Clock) AnyPending() bool {
	return c.occupied != [slots / 64]uint64{} || len(c.open) > 0 || c.far.from < Never
}

// SetAtLatest makes sure that the source's event happens at this time or
// earlier.
func (c *Clock) SetAtLatest(source int32, at int64) {
	if c.Pending(source) {
		if c.events[source].at <= at {
			return
		}
		c.Cancel(source)
	}
	c.Set(source, at)
}

// Cancel removes the source's event, if it has one. The number of an ordered event stays in seqs, and is overwritten
// by the next one.
func (c *Clock) Cancel(source int32) {
	e := &c.events[source]
	switch e.in {
	case idle:
	case inRing:
		c.unlink(source, e)
	case inOpen:
		i := slices.Index(c.open, c.key(source, e.at))
		c.open = slices.Delete(c.open, i, i+1)
	default:
		c.removeFar(e)
	}
	e.in = idle
}

// unlink removes an event from its bucket of the ring. Lists of the ring are linked one way, so its bucket is
// searched.
func (c *Clock) unlink(source int32, e *event) {
	slot := e.at >> (c.shift & 63) & (slots - 1)
	at := &c.ring[slot]
	for *at != source {
		at = &c.events[*at].next
	}
	if *at = e.next; c.ring[slot] < 0 {
		c.clear(slot)
	}
}

// Take removes the next event, moves now to its time, and returns its source; -1 if there is no event up to and at the
// end.
func (c *Clock) Take(end int64) (source int32) {
	if len(c.open) > 0 {
		return c.takeOpen(end)
	}
	// This is nextInRing, which is too long to be inlined.
	from := c.cursor & (slots - 1)
	bucket := c.cursor
	if rest := c.occupied[from>>6] >> (from & 63); rest != 0 {
		bucket += int64(bits.TrailingZeros64(rest))
	} else {
		bucket = c.nextWord()
	}
	if c.far.from <= bucket {
		return c.takeFar(end)
	}
	slot := bucket & (slots - 1)
	source = c.ring[slot]
	e := &c.events[source]
	if e.next >= 0 {
		return c.takeFirst(bucket, end)
	}
	if e.at > end {
		return -1
	}
	c.clear(slot)
	c.cursor = bucket
	e.in = idle
	c.Now = e.at
	c.Taken++
	return source
}

// takeOpen is Take when the open bucket has events.
func (c *Clock) takeOpen(end int64) (source int32) {
	last := len(c.open) - 1
	key := c.open[last]
	at := c.cursor<<(c.shift&63) + int64(key>>32)
	if at > end {
		return -1
	}
	c.open = c.open[:last]
	source = int32(uint32(key))
	c.events[source].in = idle
	c.Now = at
	c.Taken++
	return source
}

// takeFar is Take when the next event may be beyond the ring. Soonest has looked at both, so the bucket of the cursor
// can have events from the ring and from the wheel.
func (c *Clock) takeFar(end int64) (source int32) {
	at := c.Soonest()
	if at > end {
		return -1
	}
	c.cursor = at >> (c.shift & 63)
	c.migrate()
	c.openBucket()
	return c.Take(end)
}

// takeFirst is Take when the next bucket has several events. If these are few, they stay in their list, and their first
// is taken from it; otherwise the bucket is opened.
func (c *Clock) takeFirst(bucket, end int64) (source int32) {
	if c.seqs != nil {
		return c.takeOpened(bucket, end)
	}
	link := &c.ring[bucket&(slots-1)]
	source = *link
	first := &c.events[source]
	n := 0
	for e := first; e.next >= 0; {
		if n++; n == mostInList {
			return c.takeOpened(bucket, end)
		}
		next := e.next
		other := &c.events[next]
		if other.at < first.at || other.at == first.at && next < source {
			link, source, first = &e.next, next, other
		}
		e = other
	}
	if first.at > end {
		return -1
	}
	*link = first.next
	c.cursor = bucket
	first.in = idle
	c.Now = first.at
	c.Taken++
	return source
}

// mostInList is the length up to which the list of a bucket is searched for its first event.
const mostInList = 4

// takeOpened opens a bucket, the next one with an event, and takes its first event. A bucket is opened only if one of
// its events is taken, so that the cursor is never ahead of now.
func (c *Clock) takeOpened(bucket, end int64) (source int32) {
	if last := end >> (c.shift & 63); bucket > last || bucket == last && c.Soonest() > end {
		return -1
	}
	c.cursor = bucket
	c.openBucket()
	return c.Take(end)
}

// openBucket moves the events of the cursor's bucket to the open list.
func (c *Clock) openBucket() {
	slot := c.cursor & (slots - 1)
	for source := c.ring[slot]; source >= 0; {
		e := &c.events[source]
		e.in = inOpen
		c.open = append(c.open, c.key(source, e.at))
		source = e.next
	}
	c.clear(slot)
	c.sort()
}

// sort puts the open bucket in order. Its list was built from the front, so that the latest event is mostly the first.
func (c *Clock) sort() {
	switch {
	case c.seqs != nil:
		if !slices.IsSortedFunc(c.open, c.descending) {
			slices.SortFunc(c.open, c.descending)
		}
	case len(c.open) > sortAbove && !descends(c.open):
		slices.Sort(c.open)
		slices.Reverse(c.open)
	default:
		for i, key := range c.open {
			for ; i > 0 && c.open[i-1] < key; i-- {
				c.open[i] = c.open[i-1]
			}
			c.open[i] = key
		}
	}
}

// descends tells whether each key is below the one before it.
func descends(keys []uint64) bool {
	for i := 1; i < len(keys); i++ {
		if keys[i-1] < keys[i] {
			return false
		}
	}
	return true
}

// descending compares two events of the open bucket: the later one comes first.
func (c *Clock) descending(a, b uint64) int {
	switch {
	case a == b:
		return 0
	case c.after(a, b):
		return -1
	}
	return 1
}

// nextInRing finds the first bucket of the ring that is not empty; never if the ring is empty.
func (c *Clock) nextInRing() int64 {
	from := c.cursor & (slots - 1)
	if rest := c.occupied[from>>6] >> (from & 63); rest != 0 {
		return c.cursor + int64(bits.TrailingZeros64(rest))
	}
	return c.nextWord()
}

// nextWord is nextInRing when the rest of the cursor's word is empty: the words behind it come first, and this one
// last.
func (c *Clock) nextWord() int64 {
	from := c.cursor & (slots - 1)
	for word := from>>6 + 1; word <= from>>6+slots/64; word++ {
		if bucket := c.occupied[word&(slots/64-1)]; bucket != 0 {
			slot := word<<6 + int64(bits.TrailingZeros64(bucket))
			return c.cursor + (slot - from)
		}
	}
	return Never
}

// Soonest returns the time of the next event; never if no event is pending. It changes nothing but what the wheel has
// not searched yet.
func (c *Clock) Soonest() int64 {
	if n := len(c.open); n > 0 {
		return c.cursor<<c.shift + int64(c.open[n-1]>>32)
	}
	first, bucket := Never, c.nextInRing()
	if bucket < Never {
		for source := c.ring[bucket&(slots-1)]; source >= 0; source = c.events[source].next {
			first = min(first, c.events[source].at)
		}
	}
	if c.far.from <= bucket {
		first = min(first, c.firstFar())
	}
	return first
}
