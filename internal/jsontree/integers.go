package jsontree

import (
	"encoding/json"
	"strconv"
)

// Form is which forms of an integer are accepted.
type Form int

// The forms.
const (
	// RFC7951 accepts an integer of 64 bits as a string, because a float64 cannot hold
	// it, and any other as a number (RFC 7951, section 6.1). A member of an object has
	// this form: a reader with models can tell a number from a text that looks like one.
	RFC7951 Form = iota
	// AnyForm accepts both. A leaf that is a value of its own arrives in whatever type
	// the switch chose, and CONFIG_DB has nothing but strings.
	AnyForm
)

// accepts returns the digits of an integer, if the form allows it as it is written.
// number tells whether it is written as a number.
func (f Form) accepts(tree any, bits int) (digits string, number, ok bool) {
	switch v := tree.(type) {
	case string:
		return v, false, f == AnyForm || bits == 64
	case json.Number:
		return string(v), true, f == AnyForm || bits != 64
	}
	return "", false, false
}

// exact is the limit below which a float64 holds every integer.
const exact = 1 << 53

// Uint reads an unsigned integer of 8, 16, 32 or 64 bits. A number that JSON writes
// with a fraction of zeros or with an exponent, such as 7.0 or 1e3, is an integer, too.
func Uint(tree any, bits int, form Form) (uint64, bool) {
	digits, number, ok := form.accepts(tree, bits)
	if !ok {
		return 0, false
	}
	n, err := strconv.ParseUint(digits, 10, bits)
	if err != nil && number {
		f, failed := strconv.ParseFloat(digits, 64)
		n = uint64(f)
		return n, failed == nil && f >= 0 && f < exact && float64(n) == f && n>>(bits-1)>>1 == 0
	}
	return n, err == nil
}

// Int is Uint for integers with a sign.
func Int(tree any, bits int, form Form) (int64, bool) {
	digits, number, ok := form.accepts(tree, bits)
	if !ok {
		return 0, false
	}
	n, err := strconv.ParseInt(digits, 10, bits)
	if err != nil && number {
		f, failed := strconv.ParseFloat(digits, 64)
		n = int64(f)
		return n, failed == nil && f > -exact && f < exact && float64(n) == f && n<<(64-bits)>>(64-bits) == n
	}
	return n, err == nil
}
