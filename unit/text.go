package unit

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"
)

// ParseError is the error of a text that is not a quantity.
type ParseError struct {
	Quantity string // what was expected: "length"
	Text     string // the text
	Reason   string // why it is refused
	Accepted string // accepted units, and an example
}

// Error returns a message with the text, the reason and the accepted units.
func (e *ParseError) Error() string {
	return fmt.Sprintf("%q is not a %s: %s (want %s)", e.Text, e.Quantity, e.Reason, e.Accepted)
}

// suffix is a unit: its name, and its size in base units.
type suffix struct {
	name  string
	scale int64
}

// kind is a quantity with its units. Several units can have the same size.
type kind struct {
	name    string
	units   []suffix
	example string
}

var (
	bytesKind = kind{"number of bytes", []suffix{
		{"B", 1}, {"KiB", int64(KiB)}, {"MiB", int64(MiB)}, {"GiB", int64(GiB)},
		{"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}}, "9216B"}
	rateKind = kind{"bit rate", []suffix{
		{"T", int64(Tbps)}, {"G", int64(Gbps)}, {"M", int64(Mbps)},
		{"Tb/s", int64(Tbps)}, {"Gb/s", int64(Gbps)}, {"Mb/s", int64(Mbps)}, {"b/s", 1},
		{"Tbps", int64(Tbps)}, {"Gbps", int64(Gbps)}, {"Mbps", int64(Mbps)}, {"bps", 1}}, "400G"}
	lengthKind = kind{"length", []suffix{
		{"km", int64(Kilometre)}, {"m", int64(Metre)}, {"cm", 10}, {"mm", 1}}, "300m"}
	timeKind = kind{"time", []suffix{
		{"s", int64(Second)}, {"ms", int64(Millisecond)}, {"us", int64(Microsecond)}, {"µs", int64(Microsecond)},
		{"ns", int64(Nanosecond)}, {"ps", 1}}, "1.5us"}
	percentKind = kind{"percentage", []suffix{{"%", int64(OnePercent)}}, "20%"}
)

// fail returns a ParseError.
func (k kind) fail(text, reason string) error {
	names := make([]string, len(k.units))
	for i, u := range k.units {
		names[i] = u.name
	}
	return &ParseError{k.name, text, reason, strings.Join(names, ", ") + "; for example " + k.example}
}

// parse reads a decimal number followed by a unit. It refuses negative numbers,
// numbers finer than the base unit, and numbers that int64 cannot hold.
func parse[T ~int64](k kind, text string) (T, error) {
	t := strings.TrimSpace(text)
	end := strings.IndexFunc(t, func(r rune) bool { return (r < '0' || r > '9') && r != '.' })
	switch {
	case t == "":
		return 0, k.fail(text, "it is empty")
	case end < 0:
		return 0, k.fail(text, "it has no unit")
	case t[0] == '-':
		return 0, k.fail(text, "it is negative")
	case end == 0:
		return 0, k.fail(text, "it does not begin with a number")
	}
	name := strings.TrimSpace(t[end:])
	for _, u := range k.units {
		if u.name == name {
			v, err := k.scale(text, t[:end], u.scale)
			return T(v), err
		}
	}
	return 0, k.fail(text, fmt.Sprintf("%q is not one of its units", name))
}

// scale returns number times scale exactly.
func (k kind) scale(text, number string, scale int64) (int64, error) {
	whole, frac, dotted := strings.Cut(number, ".")
	if strings.Contains(frac, ".") || whole == "" || (dotted && frac == "") {
		return 0, k.fail(text, fmt.Sprintf("%q is not a decimal number", number))
	}
	w, err := strconv.ParseUint(whole, 10, 63)
	hi, lo := bits.Mul64(w, uint64(scale))
	if err != nil || hi != 0 {
		return 0, k.fail(text, "it is too large")
	}
	part, exact := fraction(strings.TrimRight(frac, "0"), scale)
	if !exact {
		return 0, k.fail(text, "it is finer than the smallest unit")
	}
	sum, carry := bits.Add64(lo, part, 0)
	if carry != 0 || sum > 1<<63-1 {
		return 0, k.fail(text, "it is too large")
	}
	return int64(sum), nil
}

// fraction returns 0.digits times scale, and whether that is a whole number.
func fraction(digits string, scale int64) (part uint64, exact bool) {
	if len(digits) > 18 {
		return 0, false
	}
	f, ten := uint64(0), uint64(1)
	for _, d := range digits {
		f, ten = 10*f+uint64(d-'0'), 10*ten
	}
	hi, lo := bits.Mul64(f, uint64(scale))
	part, rest := bits.Div64(hi, lo, ten)
	return part, rest == 0
}

// format prints v exactly, in the first of the given units that v is not below.
// The sizes of the units must be powers of ten.
func format(v int64, units ...suffix) string {
	sign, n := "", uint64(v)
	if v < 0 {
		sign, n = "-", -n // of the least number, too, which has no positive counterpart
	}
	u := units[len(units)-1]
	for _, c := range units {
		if n >= uint64(c.scale) {
			u = c
			break
		}
	}
	scale := uint64(u.scale)
	text := strconv.FormatUint(n/scale, 10)
	if rest := n % scale; rest != 0 {
		digits := strconv.FormatUint(scale+rest, 10)[1:]
		text += "." + strings.TrimRight(digits, "0")
	}
	return sign + text + u.name
}

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
