package picture

import "math"

// Scale maps values to places: From is at Low, and To is at High. A logarithmic scale maps values above 0 alone, and
// shows smaller ones where From is.
type Scale struct {
	From, To  float64
	Low, High float64
	Log       bool
}

// At returns the place of a value. A value outside of the scale is at its end.
func (s Scale) At(v float64) float64 {
	from, to := s.From, s.To
	if s.Log {
		from, to, v = math.Log10(s.From), math.Log10(s.To), math.Log10(max(v, s.From))
	}
	if to <= from {
		return s.Low
	}
	share := min(max((v-from)/(to-from), 0), 1)
	return s.Low + share*(s.High-s.Low)
}

// Has tells whether a value is on the scale.
func (s Scale) Has(v float64) bool { return v >= s.From && v <= s.To }

// Ticks returns round values on the scale, at most n: multiples of 1, 2 or 5 times a power of ten. A logarithmic scale
// has the same digits in every power of ten.
func (s Scale) Ticks(n int) []float64 {
	if s.Log {
		return s.logTicks(n)
	}
	step := RoundStep(s.To-s.From, n)
	var out []float64
	for i := math.Ceil(s.From / step); i*step <= s.To*(1+1e-12) && len(out) <= n; i++ {
		out = append(out, i*step)
	}
	return out
}

// logTicks returns all digits of every power of ten on the scale if there are at most n of them, else some of the
// digits, else 1 alone. A scale of less than one power of ten has multiples of one step.
func (s Scale) logTicks(n int) []float64 {
	if !(s.From > 0) {
		return nil
	}
	if s.To <= 10*s.From {
		return Scale{From: s.From, To: s.To}.Ticks(n)
	}
	first, last := int(math.Floor(math.Log10(s.From))), int(math.Ceil(math.Log10(s.To)))
	for _, digits := range [][]float64{{1, 2, 3, 4, 5, 6, 7, 8, 9}, {1, 2, 5}, {1, 3}, {1}} {
		var out []float64
		for power := first; power <= last; power++ {
			for _, d := range digits {
				if v := d * math.Pow10(power); s.Has(v) {
					out = append(out, v)
				}
			}
		}
		if len(out) <= n {
			return out
		}
	}
	return []float64{s.From, s.To}
}

// RoundStep returns a step of 1, 2 or 5 times a power of ten, at least 1, so that at most n steps make up the whole.
func RoundStep(whole float64, n int) float64 {
	for power := 1.0; power < 1e300; power *= 10 {
		for _, d := range []float64{1, 2, 5} {
			if d*power*float64(n) >= whole {
				return d * power
			}
		}
	}
	return math.Inf(1)
}
