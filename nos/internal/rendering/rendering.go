// Package rendering has what the readers and renderings of several systems share: marks of lines, reasons of registers
// that no statement has, and forms of numbers.
package rendering

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/unit"
)

// Begins returns the mark of lines that begin with one of these texts, blanks between words counted as one. A line that
// ends as a statement of Junos does is not meant, whatever it begins with; a remark is.
func Begins(texts ...string) func(line string) bool {
	return func(line string) bool {
		text := strings.Join(strings.Fields(line), " ")
		if strings.HasSuffix(text, ";") || strings.HasSuffix(text, "{") && !strings.HasPrefix(text, "!") {
			return false
		}
		return slices.ContainsFunc(texts, func(w string) bool { return strings.HasPrefix(text, w) })
	}
}

// Reasons returns why, the reasons why a dialect cannot write registers, with two more: levels is the reason for groups
// of queues (ETS), "" if the dialect writes them; credits is the reason for virtual channels (CBFC).
func Reasons(why map[buffer.Kind]string, levels, credits string) map[buffer.Kind]string {
	out := maps.Clone(why)
	if levels != "" {
		for _, k := range []buffer.Kind{buffer.QueueClass, buffer.QueueShare, buffer.ClassBandwidth} {
			out[k] = levels + "; the weight of each queue has the share of its group in it"
		}
		out[buffer.ClassIdleSlope] = levels + ", without a credit-based shaper"
	}
	for _, k := range buffer.Kinds() {
		if k.OfCredits() {
			out[k] = credits
		}
	}
	return out
}

// OverOpenConfig adds the reason of the registers that a dialect leaves to OpenConfig, by the profile of its switches:
// marking, weights and, where they are named, others.
func OverOpenConfig(why map[buffer.Kind]string, profile string, others ...buffer.Kind) map[buffer.Kind]string {
	for _, k := range append(others, buffer.QueueECNMin, buffer.QueueECNMax, buffer.QueueECNPMax, buffer.QueueWeight) {
		why[k] = "OpenConfig can express it: cellwarden apply --profile " + profile
	}
	return why
}

// Range writes ascending numbers in the form "0-2,5".
func Range(numbers []int) string {
	out := ""
	for i := 0; i < len(numbers); {
		j := i
		for j+1 < len(numbers) && numbers[j+1] == numbers[j]+1 {
			j++
		}
		if out != "" {
			out += ","
		}
		if out += fmt.Sprint(numbers[i]); j > i {
			out += fmt.Sprintf("-%d", numbers[j])
		}
		i = j + 1
	}
	return out
}

// WholePercent rounds hundredths of a percent to whole percents, to the nearest and
// not to 0; exact tells whether nothing was rounded.
func WholePercent(p unit.Percent) (whole int64, exact bool) {
	whole = (int64(p) + 50) / 100
	if p > 0 {
		whole = max(1, whole)
	}
	return whole, whole*100 == int64(p)
}
