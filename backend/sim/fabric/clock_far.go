package fabric

// Events beyond the ring of the clock are timers: of pauses, of senders, of flows that start. They wait in a binary
// heap of sources with the earliest on top. Each event knows its place there, so that a timer can be cancelled.

// putFar adds an event to the heap.
func (c *clock) putFar(source int32, e *event) {
	e.in = inFar
	c.far = append(c.far, source)
	c.rise(len(c.far) - 1)
}

// removeFar removes the event at a place of the heap.
func (c *clock) removeFar(i int) {
	last := len(c.far) - 1
	moved := c.far[last]
	c.far = c.far[:last]
	if i < last {
		c.far[i] = moved
		c.rise(c.sink(i))
	} else if last == 0 {
		c.farAt = never
	}
}

// migrate moves the events that are within reach of the cursor from the heap to the ring.
func (c *clock) migrate() {
	for len(c.far) > 0 && c.farAt>>c.shift-c.cursor < slots {
		source := c.far[0]
		c.removeFar(0)
		c.link(source, &c.events[source])
	}
}

// rise moves the event at a place up until its parent is not later.
func (c *clock) rise(i int) {
	source := c.far[i]
	at := c.events[source].at
	for i > 0 {
		parent := (i - 1) / 2
		if c.events[c.far[parent]].at <= at {
			break
		}
		c.place(i, c.far[parent])
		i = parent
	}
	c.place(i, source)
}

// sink moves the event at a place down until its children are not earlier, and returns its new place.
func (c *clock) sink(i int) int {
	source := c.far[i]
	at := c.events[source].at
	for {
		child := 2*i + 1
		if child >= len(c.far) {
			break
		}
		if child+1 < len(c.far) && c.events[c.far[child+1]].at < c.events[c.far[child]].at {
			child++
		}
		if c.events[c.far[child]].at >= at {
			break
		}
		c.place(i, c.far[child])
		i = child
	}
	c.place(i, source)
	return i
}

// place puts a source at a place of the heap.
func (c *clock) place(i int, source int32) {
	c.far[i] = source
	c.events[source].next = int32(i)
	if i == 0 {
		c.farAt = c.events[source].at
	}
}
