package capacity

import (
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/exact"
)

// search is a question about an intent with one value from low to high, which get harder to fit.
type search struct {
	low, high int64
	with      func(buffer.Intent, int64) buffer.Intent // the intent with a value
	// scattered is set where a value can fit although a smaller one does not. Then all values are tried, from the highest.
	scattered bool
	end       Constraint // the limit behind high

	quick *quick // answers as planning with(...) does, without planning it; nil: each value is planned
}

// fits tells whether the intent without some limits fits with a value.
func (s *search) fits(k *asker, w without, n int64) bool {
	if fits, known := s.quick.fits(k, w, n); known {
		return fits
	}
	return k.fits(s.with(w.of(k.in), n))
}

// refusal returns the first refusal of the intent without some limits, with a value.
func (s *search) refusal(k *asker, w without, n int64) Constraint {
	if c, known := s.quick.refusal(k, w, n); known {
		return c
	}
	return k.refusal(s.with(w.of(k.in), n))
}

// binding says what refuses a value: see binding.
func (s *search) binding(k *asker, w without, n int64) Constraint {
	c := s.refusal(k, w, n)
	for _, l := range lifts {
		if less, has := w.and(k.in, l.limit); has && s.fits(k, less, n) {
			c.Limit = l.limit
			return c
		}
	}
	return c
}

// largest returns the largest value with which the intent fits; false if none does.
func (s *search) largest(k *asker, w without) (int64, bool) {
	if s.scattered {
		for n := s.high; n >= s.low; n-- {
			if s.fits(k, w, n) {
				return n, true
			}
		}
		return 0, false
	}
	switch {
	case s.high < s.low || !s.fits(k, w, s.low):
		return 0, false
	case s.fits(k, w, s.high):
		return s.high, true
	}
	return exact.Last(s.low, s.high, func(n int64) bool { return s.fits(k, w, n) }), true
}

// beyond returns what refuses the value after n.
func (s *search) beyond(k *asker, w without, n int64) Constraint {
	if n >= s.high {
		return s.end
	}
	return s.binding(k, w, n+1)
}

// answer fills in the answer of a search. amount translates a value of the search.
func (s *search) answer(k *asker, a Answer, amount func(int64) int64) Answer {
	in, all := k.in, without{}
	n, found := s.largest(k, all)
	if found {
		a.State, a.Amount, a.Binding = Found, amount(n), s.beyond(k, all, n)
		a.at = func() buffer.Intent { return s.with(in, n) }
		if n < s.high {
			a.beyond = func() buffer.Intent { return s.with(in, n+1) }
		}
	} else {
		a.State = NoneFits
		a.beyond = func() buffer.Intent { return s.with(in, s.low) }
		a.Binding = s.binding(k, all, s.low)
	}
	free, can := all.and(in, a.Binding.Limit)
	if !can {
		return a
	}
	if more, fits := s.largest(k, free); fits {
		a.Next, a.NextAmount = s.beyond(k, free, more), amount(more)
	} else {
		a.Next = s.binding(k, free, s.low)
	}
	return a
}
