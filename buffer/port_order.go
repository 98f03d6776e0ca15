package buffer

import "strings"

// ComparePorts orders interface names as people do: Ethernet2 before
// Ethernet10. It is a total order: equal only for equal names.
func ComparePorts(a, b string) int {
	if a == b {
		return 0
	}
	// What both begin with decides nothing, up to the number in which they differ.
	same := 0
	for same < len(a) && same < len(b) && a[same] == b[same] {
		same++
	}
	if n := digits(a[same:]); n > 0 && n == digits(b[same:]) { // numbers of as many digits
		return int(a[same]) - int(b[same])
	}
	for same > 0 && isDigit(a[same-1]) {
		same--
	}
	x, y := a[same:], b[same:]
	for x != "" && y != "" {
		n, m := digits(x), digits(y)
		if n > 0 && m > 0 {
			p, q := strings.TrimLeft(x[:n], "0"), strings.TrimLeft(y[:m], "0")
			if len(p) != len(q) {
				return len(p) - len(q)
			}
			if c := strings.Compare(p, q); c != 0 {
				return c
			}
			x, y = x[n:], y[m:]
			continue
		}
		if x[0] != y[0] {
			return int(x[0]) - int(y[0])
		}
		x, y = x[1:], y[1:]
	}
	if len(x) != len(y) {
		return len(x) - len(y)
	}
	return strings.Compare(a, b)
}

// digits returns the length of the run of digits that s begins with.
func digits(s string) int {
	n := 0
	for n < len(s) && isDigit(s[n]) {
		n++
	}
	return n
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
