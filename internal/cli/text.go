package cli

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/unit"
)

// TimeText prints a time in microseconds with two decimals; "never" for what does not happen.
func TimeText(t *int64) string {
	if t == nil {
		return "never"
	}
	hundredths := *t / int64(10*unit.Nanosecond)
	return fmt.Sprintf("%d.%02dus", hundredths/100, hundredths%100)
}

// Joined lists numbers with commas.
func Joined(numbers []int) string {
	texts := make([]string, len(numbers))
	for i, n := range numbers {
		texts[i] = strconv.Itoa(n)
	}
	return strings.Join(texts, ",")
}

// FirstLine shortens a text for the last column of a table.
func FirstLine(text string) string {
	text, _, _ = strings.Cut(text, "\n")
	if r := []rune(text); len(r) > 100 {
		return string(r[:99]) + "…"
	}
	return text
}

func Plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%s %s", Count(n), many)
}

// Join lists numbers once each, ascending.
func Join(numbers []int) string {
	slices.Sort(numbers)
	var out []string
	for _, n := range slices.Compact(numbers) {
		out = append(out, fmt.Sprint(n))
	}
	return strings.Join(out, ",")
}

func Dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

func Evidence(e nos.Evidence) string {
	if e.Inferred {
		return "inferred; " + e.Source
	}
	return e.Source
}

// NotDone adds to an error what was therefore not done.
func NotDone(what string, err error) error {
	if _, decided := DecidedCode(err); decided {
		return fmt.Errorf("%s: %w", what, err)
	}
	return err
}

// YesNo prints a truth value.
func YesNo(is bool) string {
	if is {
		return "yes"
	}
	return "no"
}
