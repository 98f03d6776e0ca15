package capacity

import "github.com/cellwarden/cellwarden/buffer"

// search is a question about an intent with one value from low to high, which get harder to fit.
type search struct {
	low, high int64
	with      func(buffer.Intent, int64) buffer.Intent // the intent with a value
	// scattered is set where a value can fit although a smaller one does not. Then all values are tried, from the
	// highest.
	scattered bool
	end       Constraint // the limit behind high
}

// largest returns the largest value with which the intent fits; false if none does.
func (s *search) largest(in buffer.Intent) (int64, bool) {
	if s.scattered {
		for n := s.high; n >= s.low; n-- {
			if fits(s.with(in, n)) {
				return n, true
			}
		}
		return 0, false
	}
	switch {
	case s.high < s.low || !fits(s.with(in, s.low)):
		return 0, false
	case fits(s.with(in, s.high)):
		return s.high, true
	}
	low, high := s.low, s.high // low fits, high does not
	for high-low > 1 {
		if mid := low + (high-low)/2; fits(s.with(in, mid)) {
			low = mid
		} else {
			high = mid
		}
	}
	return low, true
}

// beyond returns what refuses the value after n.
func (s *search) beyond(in buffer.Intent, n int64) Constraint {
	if n >= s.high {
		return s.end
	}
	return binding(s.with(in, n+1))
}

// answer fills in the answer of a search. amount translates a value of the search.
func (s *search) answer(a Answer, in buffer.Intent, amount func(int64) int64) Answer {
	n, found := s.largest(in)
	if found {
		a.State, a.Amount, a.At, a.Binding = Found, amount(n), s.with(in, n), s.beyond(in, n)
		if n < s.high {
			a.Beyond = s.with(in, n+1)
		}
	} else {
		a.State, a.Beyond = NoneFits, s.with(in, s.low)
		a.Binding = binding(a.Beyond)
	}
	free, can := lifted(a.Binding.Limit, in)
	if !can {
		return a
	}
	if more, fits := s.largest(free); fits {
		a.Next, a.NextAmount = s.beyond(free, more), amount(more)
	} else {
		a.Next = binding(s.with(free, s.low))
	}
	return a
}
