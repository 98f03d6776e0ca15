package exact

// Last returns the last value from low on of which something holds, by bisection. It holds of low, and not of high; of
// values between them it holds up to one, and of none after it. A high that is not above low gives low.
func Last[T ~int | ~int64](low, high T, holds func(T) bool) T {
	for high-low > 1 {
		if middle := low + (high-low)/2; holds(middle) {
			low = middle
		} else {
			high = middle
		}
	}
	return low
}
