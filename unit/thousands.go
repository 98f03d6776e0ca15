package unit

import "strconv"

// Thousands prints a whole number with a comma between thousands: 80,660.
func Thousands[T ~int | ~int64](n T) string {
	digits, sign := strconv.FormatInt(int64(n), 10), ""
	if n < 0 {
		sign, digits = "-", digits[1:]
	}
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return sign + digits
}
