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

// grow doubles the room. The size is always a power of 2, so that a mask wraps
// indices.
func (r *Ring[T]) grow() {
	bigger := make([]T, max(2*len(r.slots), 8))
	for i := range r.Len {
		bigger[i] = r.slots[(r.head+i)&uint32(len(r.slots)-1)]
	}
	r.slots, r.head = bigger, 0
}
