package clock

import "math/bits"

// Events beyond the ring of the clock are timers: of pauses, of senders, of flows that start. They wait in a
// hierarchical timing wheel (Varghese and Lauck, SOSP 1987). Time is counted in laps of the ring. The lists of level 0
// are the 64 laps that differ from the present one in the lowest 6 bits alone; a list of the next level is 64 laps,
// and so on, up to the rest, which is one list. When time reaches a list, its events move to the ring or to lower
// levels: each event moves a few times at most, however many there are.
//
// The lists are linked both ways, so that a timer can be cancelled.

// farEvents are the events beyond the ring.
type farEvents struct {
	lists [farLists]int32       // first source of each list; -1: none
	used  [farLevels + 1]uint64 // one bit per list of each level: it is not empty
	from  int64                 // the first bucket of the first list that is not empty; never if all are empty
	first int64                 // time of the first event; unknownTime: the first list must be searched
}

const (
	farLevels   = 4                     // of 64 lists each: more than a minute in a usual network
	farLists    = farLevels*64 + 1      // and the rest
	levelBits   = 6                     // bits of the lap that a level looks at
	wheelBits   = farLevels * levelBits // and all levels
	unknownTime = -1
)

// newFarEvents returns empty lists. from and first are Never, so that Take never looks here for an empty wheel.
func newFarEvents() farEvents {
	f := farEvents{from: Never, first: Never}
	for i := range f.lists {
		f.lists[i] = -1
	}
	return f
}

// putFar adds an event to the list of its time. The lap of the event is not the present one: an event of the next
// slots-1 buckets goes to the ring.
func (c *Clock) putFar(source int32, e *event) {
	f := &c.far
	present := c.cursor / slots
	lap := e.at >> (c.shift & 63) / slots
	// The highest bit in which the two laps differ decides the level: below it all laps of the list are alike.
	level := min((bits.Len64(uint64(lap^present))-1)/levelBits, farLevels)
	slot := int64(0)
	// It is for the rest: its events are looked at again when the laps of all levels have passed.
	from := (present>>wheelBits + 1) << wheelBits
	if level < farLevels {
		low := levelBits * uint(level)
		from = lap >> low << low
		slot = lap >> low & 63
	}
	list := int64(level)<<levelBits + slot
	next := f.lists[list]
	if next >= 0 {
		c.events[next].in = inFar + where(source)
	}
	// The first of a list has the number of the list in place of a source before it, so that Cancel needs no search.
	e.next, e.in = next, farHead-where(list)
	f.lists[list] = source
	f.used[level] |= 1 << slot
	f.from = min(f.from, from*slots)
	f.first = min(f.first, e.at)
}

// removeFar removes an event from its list.
func (c *Clock) removeFar(e *event) {
	f := &c.far
	if e.next >= 0 {
		c.events[e.next].in = e.in
	}
	if e.in >= inFar {
		c.events[e.in-inFar].next = e.next
	} else {
		list := farHead - e.in
		if f.lists[list] = e.next; e.next < 0 {
			f.used[list>>levelBits] &^= 1 << (list & 63)
			// Only a list that has become empty can change where the first one begins.
			f.from = f.start(c.cursor / slots)
		}
	}
	// Another event of the same time may be left: the list tells when it is asked next.
	if f.first == e.at {
		f.first = unknownTime
	}
}

// level returns the level of the first list that is not empty, or false. Lists of a lower level come before those of
// all higher ones, and the rest comes last.
func (f *farEvents) level() (level int, ok bool) {
	for level, used := range f.used {
		if used != 0 {
			return level, true
		}
	}
	return 0, false
}

// start returns the first bucket of the first list that is not empty, as seen from a lap; never if all are empty.
func (f *farEvents) start(lap int64) int64 {
	level, ok := f.level()
	switch {
	case !ok:
		return Never
	case level == farLevels:
		return (lap>>wheelBits + 1) << wheelBits * slots
	}
	low := levelBits * uint(level)
	return (lap>>low>>levelBits<<levelBits + int64(bits.TrailingZeros64(f.used[level]))) << low * slots
}

// firstFar returns the time of the first event beyond the ring; never if no event is there.
func (c *Clock) firstFar() int64 {
	f := &c.far
	if f.first != unknownTime {
		return f.first
	}
	f.first = Never
	if level, ok := f.level(); ok {
		source := f.lists[level<<levelBits+bits.TrailingZeros64(f.used[level])]
		for ; source >= 0; source = c.events[source].next {
			f.first = min(f.first, c.events[source].at)
		}
	}
	return f.first
}

// migrate moves the events of the list that the cursor has reached to the ring, or to lower levels. There is one such
// list at most, because the cursor never passes an event.
func (c *Clock) migrate() {
	f := &c.far
	if f.from > c.cursor {
		return
	}
	level, _ := f.level()
	slot := bits.TrailingZeros64(f.used[level])
	source := f.lists[level<<levelBits+slot]
	f.lists[level<<levelBits+slot] = -1
	f.used[level] &^= 1 << slot
	f.from, f.first = f.start(c.cursor/slots), unknownTime
	// link and putFar change e.next, so the next source is read before.
	for source >= 0 {
		e := &c.events[source]
		next := e.next
		if bucket := e.at >> (c.shift & 63); bucket-c.cursor < slots {
			c.link(source, e.at, bucket)
		} else {
			c.putFar(source, e)
		}
		source = next
	}
}
