package unit

import (
	"fmt"
	"strconv"
)

// ParseBytes reads "9216B", "19KiB" (1,024 bytes each), "4MB" (1,000,000 bytes each).
func ParseBytes(text string) (Bytes, error) { return parse[Bytes](bytesKind, text) }

// String returns the bytes in full: "9216B". In JSON a Bytes is a number under
// a key that ends in _bytes; the other quantities are texts there.
func (b Bytes) String() string { return strconv.FormatInt(int64(b), 10) + "B" }

// ParseBitRate reads "400G", "1.6T", "2500M", "100Gb/s".
func ParseBitRate(text string) (BitRate, error) { return parse[BitRate](rateKind, text) }

// String returns the rate in the largest unit that it is not below: "400G".
func (r BitRate) String() string {
	return format(int64(r), suffix{"T", int64(Tbps)}, suffix{"G", int64(Gbps)}, suffix{"M", int64(Mbps)},
		suffix{"b/s", 1})
}

// MarshalText returns what String returns.
func (r BitRate) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText reads what ParseBitRate reads.
func (r *BitRate) UnmarshalText(text []byte) (err error) {
	*r, err = ParseBitRate(string(text))
	return err
}

// ParseLength reads "300m", "10km", "0.5m", "50cm".
func ParseLength(text string) (Length, error) { return parse[Length](lengthKind, text) }

// String returns the length in the largest unit that it is not below: "300m", "10km", "0m".
func (l Length) String() string {
	if l == 0 {
		return "0m"
	}
	return format(int64(l), suffix{"km", int64(Kilometre)}, suffix{"m", int64(Metre)}, suffix{"mm", 1})
}

// MarshalText returns what String returns.
func (l Length) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// UnmarshalText reads what ParseLength reads.
func (l *Length) UnmarshalText(text []byte) (err error) {
	*l, err = ParseLength(string(text))
	return err
}

// ParseTime reads "1.5us", "400ns", "100ms".
func ParseTime(text string) (Time, error) { return parse[Time](timeKind, text) }

// String returns the time in the largest unit that it is not below: "1.5us".
func (t Time) String() string {
	return format(int64(t), suffix{"s", int64(Second)}, suffix{"ms", int64(Millisecond)},
		suffix{"us", int64(Microsecond)}, suffix{"ns", int64(Nanosecond)}, suffix{"ps", 1})
}

// MarshalText returns what String returns.
func (t Time) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// UnmarshalText reads what ParseTime reads.
func (t *Time) UnmarshalText(text []byte) (err error) {
	*t, err = ParseTime(string(text))
	return err
}

// ParsePercent reads "20%", "0.5%".
func ParsePercent(text string) (Percent, error) { return parse[Percent](percentKind, text) }

// String returns the share: "20%".
func (p Percent) String() string { return format(int64(p), suffix{"%", int64(OnePercent)}) }

// MarshalText returns what String returns.
func (p Percent) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalText reads what ParsePercent reads.
func (p *Percent) UnmarshalText(text []byte) (err error) {
	*p, err = ParsePercent(string(text))
	return err
}

// Optional is a quantity that may be absent, so that an explicit zero is a zero. The zero Optional is absent.
type Optional[T any] struct {
	value T
	given bool
}

// Given returns a quantity that has a value, which may be zero.
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
