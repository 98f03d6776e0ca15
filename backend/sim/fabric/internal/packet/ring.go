package packet

// Ring is a first-in first-out queue that grows when it is full. The zero Ring is empty.
type Ring[T any] struct {
	slots []T
	head  uint32
	Len   uint32 // read-only
}

// Push appends an element.
func (r *Ring[T]) Push(e T) {
	*r.Extend() = e
}

// Extend appends an element and returns it, for the caller to fill. It is valid until the next one is appended.
func (r *Ring[T]) Extend() *T {
	if r.Len == uint32(len(r.slots)) {
		r.grow()
	}
	r.Len++
	return &r.slots[(r.head+r.Len-1)&uint32(len(r.slots)-1)]
}

// Pop removes the first element. There must be one.
func (r *Ring[T]) Pop() T {
	e := *r.First()
	r.Drop()
	return e
}

// Drop removes the first element. There must be one.
func (r *Ring[T]) Drop() {
	r.head = (r.head + 1) & uint32(len(r.slots)-1)
	r.Len--
}

// First returns the first element. There must be one.
func (r *Ring[T]) First() *T { return &r.slots[r.head] }

// At returns the element at a place; 0 is the first one.
func (r *Ring[T]) At(i uint32) *T { return &r.slots[(r.head+i)&uint32(len(r.slots)-1)] }

// Far is the far end of a ring: what one goroutine appends while another one takes elements from the ring. The ring
// does not show these elements before [Ring.Show], which neither of them may call meanwhile. The zero Far has no room.
type Far[T any] struct {
	slots      []T
	next       uint32 // slot of the next element
	Len, room  uint32 // elements that the ring does not show yet, and how many there may be; Len is read-only
	overflowed bool
}

// Extend appends an element and returns it, for the caller to fill; nil if there is no room, not before the ring has
// shown the others.
func (f *Far[T]) Extend() *T {
	if f.Len >= f.room {
		f.overflowed = true
		return nil
	}
	f.Len++
	e := &f.slots[f.next&uint32(len(f.slots)-1)]
	f.next++
	return e
}

// Show shows what its far end has appended, and gives it room, more than before if that was not enough.
func (r *Ring[T]) Show(f *Far[T]) {
	if r.Len += f.Len; f.overflowed {
		r.grow()
	}
	*f = Far[T]{slots: r.slots, next: r.head + r.Len, room: uint32(len(r.slots)) - r.Len}
}

// grow doubles the room. The size is always a power of 2, so that a mask wraps
// indices.
func (r *Ring[T]) grow() {
	bigger := make([]T, max(2*len(r.slots), 8))
	for i := range r.Len {
		bigger[i] = r.slots[(r.head+i)&uint32(len(r.slots)-1)]
	}
	r.slots, r.head = bigger, 0
}
