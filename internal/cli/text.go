package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/cellwarden/cellwarden/internal/exact"
	"github.com/cellwarden/cellwarden/internal/grouped"
	"github.com/cellwarden/cellwarden/internal/workbook"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/unit"
)

// Number is a count with thousands separators. Columns of numbers align to the right.
type Number = workbook.Number

// Count prints a whole number: 80,660.
func Count[T ~int | ~int64](n T) Number { return Number(unit.Thousands(n)) }

// Nonzero prints a whole number, or a dash for 0, which says that the number is not known or does not apply.
func Nonzero[T ~int | ~int64](n T) Number {
	if n == 0 {
		return "-"
	}
	return Count(n)
}

// Share prints a part of a whole as a percentage with one decimal, computed in integers so
// that every machine prints the same. It rounds half up, and prints "-" where the whole is 0.
func Share[T ~int | ~int64](part, whole T) Number {
	if whole == 0 {
		return "-"
	}
	tenths := (int64(part)*1000 + int64(whole)/2) / int64(whole)
	return Number(fmt.Sprintf("%d.%d %%", tenths/10, tenths%10))
}

// TimeText prints a time in microseconds with two decimals; "never" for what does not happen. t is picoseconds. The
// rest below a hundredth of a microsecond is cut, as DrainText rounds down.
func TimeText(t *int64) string {
	if t == nil {
		return "never"
	}
	hundredths := *t / int64(10*unit.Nanosecond)
	return fmt.Sprintf("%d.%02dus", hundredths/100, hundredths%100)
}

// Megabytes prints bytes in MB of a million bytes each, rounded to two decimals: 4.19. Bytes that round to 0.00 are
// "<0.01": nothing that is there is shown as nothing.
func Megabytes(b unit.Bytes) Number {
	const hundredth = 10_000
	n := (int64(b) + hundredth/2) / hundredth
	if n == 0 && b > 0 {
		return "<0.01"
	}
	return Number(fmt.Sprintf("%s.%02d", unit.Thousands(n/100), n%100))
}

// DrainText prints how long a port takes to send b bytes, rounded down to hundredths of a microsecond. The rate is
// above 0. Bytes below 0, those by which a cable is shorter than the known one, have a sign.
func DrainText(b unit.Bytes, rate unit.BitRate) string {
	if b < 0 {
		return "-" + DrainText(-b, rate)
	}
	// Eight bits a byte and picoseconds a second: the product does not fit an int64 for large buffers, so it is
	// exact.
	t := exact.Whole(b).Times(8*int64(unit.Second), int64(rate)).Floor()
	return TimeText(&t)
}

// Joined lists numbers with commas. They are in the order in which they are given, unlike those of Join.
func Joined(numbers []int) string {
	return strings.Join(grouped.Each(numbers, strconv.Itoa), ",")
}

// FirstLine shortens a text for the last column of a table. It cuts at 100 characters, of which the last is an
// ellipsis.
func FirstLine(text string) string {
	text, _, _ = strings.Cut(text, "\n")
	if r := []rune(text); len(r) > 100 {
		return string(r[:99]) + "…"
	}
	return text
}

// Plural prints a number with its noun, in the singular for 1 alone.
func Plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%s %s", Count(n), many)
}

// Prefixed are lines that begin alike: what the texts are, and one of them.
func Prefixed(beginning string, texts []string) []string {
	return grouped.Each(texts, func(text string) string { return beginning + text })
}

// Join lists numbers once each, ascending.
func Join(numbers []int) string {
	slices.Sort(numbers)
	return Joined(slices.Compact(numbers))
}

// Dash stands for an empty cell, so that a column never looks as if it were missing.
func Dash(s string) string { return cmp.Or(s, "-") }

// Evidence is the source of a number, and whether it was inferred from others.
func Evidence(e nos.Evidence) string {
	if e.Inferred {
		return "inferred; " + e.Source
	}
	return e.Source
}

// YesNo prints a truth value.
func YesNo(is bool) string { return map[bool]string{true: "yes", false: "no"}[is] }

// FlagValue converts the text of a flag. A complaint names the flag, and is added to the others. The result is zero
// after a complaint, and the caller goes on, to collect all complaints.
func FlagValue[T any](bad *[]error, flag, text string, parse func(string) (T, error)) T {
	v, err := parse(text)
	if err != nil {
		*bad = append(*bad, fmt.Errorf("--%s: %w", flag, err))
	}
	return v
}
