// Package grouped collects things by what they have in common, in the order in which that was first met: rows of tables
// for things that are alike. A map has no order, and a slice has to be searched. Each is what package slices has no
// function for: it translates a list.
//
//	var by grouped.By[string, int]
//	*by.Of("leaf")++
//	for role, n := range by.All() { ... }
package grouped

import (
	"iter"
	"slices"
)

// By has a value for each key, which is zero when the key is first met. The zero By is empty.
type By[K comparable, V any] struct {
	Keys []K // in their order
	of   map[K]*V
}

// Of returns the value of a key, for the caller to change.
func (b *By[K, V]) Of(key K) *V {
	if b.of == nil {
		b.of = map[K]*V{}
	}
	if b.of[key] == nil {
		b.Keys, b.of[key] = append(b.Keys, key), new(V)
	}
	return b.of[key]
}

// All yields the keys with their values.
func (b *By[K, V]) All() iter.Seq2[K, *V] {
	return func(yield func(K, *V) bool) {
		for _, key := range b.Keys {
			if !yield(key, b.of[key]) {
				return
			}
		}
	}
}

// Values are the values of the keys; nil without any.
func (b *By[K, V]) Values() (out []V) {
	for _, key := range b.Keys {
		out = append(out, *b.of[key])
	}
	return out
}

// Lists are things with the same key, in the order in which the keys were first met.
func Lists[K comparable, T any](all []T, key func(T) K) [][]T {
	var by By[K, []T]
	for _, x := range all {
		list := by.Of(key(x))
		*list = append(*list, x)
	}
	return by.Values()
}

// Each translates the elements of a list. An empty list stays one: in JSON it is [], not null.
func Each[From, To any](list []From, translate func(From) To) []To {
	out := make([]To, len(list))
	for i, v := range list {
		out[i] = translate(v)
	}
	return out
}

// Add appends those of some things that a short list does not have yet.
func Add[T comparable](list []T, some ...T) []T {
	for _, x := range some {
		if !slices.Contains(list, x) {
			list = append(list, x)
		}
	}
	return list
}

// Lines merges rows that are sorted by their owner: those of each owner into lines, and then the owners that have the
// same line, as the ports of a plan.
func Lines[R any, P, L comparable](rows []R, owner func(R) P, lines func([]R) []L) *By[L, []P] {
	var out By[L, []P]
	for _, own := range Lists(rows, owner) {
		for _, line := range lines(own) {
			owners := out.Of(line)
			*owners = append(*owners, owner(own[0]))
		}
	}
	return &out
}
