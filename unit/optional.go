package unit

import "fmt"

// Optional is a quantity that may be absent, so that an explicit zero is a zero.
// The zero Optional is absent.
type Optional[T any] struct {
	value T
	given bool
}

// Given returns a quantity that is there, be it zero.
func Given[T any](v T) Optional[T] { return Optional[T]{v, true} }

// Get returns the quantity, and whether it is there.
func (o Optional[T]) Get() (T, bool) { return o.value, o.given }

// IsGiven tells whether the quantity is there.
func (o Optional[T]) IsGiven() bool { return o.given }

// Or returns the quantity, or the other one if it is absent.
func (o Optional[T]) Or(other T) T {
	if o.given {
		return o.value
	}
	return other
}

// String prints the quantity, or "none".
func (o Optional[T]) String() string {
	if !o.given {
		return "none"
	}
	return fmt.Sprint(o.value)
}
