package buffer

import (
	"slices"
	"strconv"
	"strings"
)

// FoldPorts folds interface names into ranges: Ethernet1/1-32, with /4 for a step of four, as topology files read them.
func FoldPorts(names []string) string {
	sorted := slices.Clone(names)
	slices.SortFunc(sorted, ComparePorts)
	var out []string
	for len(sorted) > 0 {
		n, text := foldRun(sorted)
		out = append(out, text)
		sorted = sorted[n:]
	}
	return strings.Join(out, ",")
}

// foldRun returns how many of the sorted names form one range, and the range.
func foldRun(names []string) (int, string) {
	prefix, first, ok := splitPort(names[0])
	if !ok || len(names) == 1 {
		return 1, names[0]
	}
	step, last, n := 0, first, 1
	for ; n < len(names); n++ {
		p, number, ok := splitPort(names[n])
		if !ok || p != prefix || (n > 1 && number-last != step) {
			break
		}
		step, last = number-last, number
	}
	switch {
	case n == 1 || (n == 2 && step != 1):
		return 1, names[0]
	case step == 1:
		return n, prefix + strconv.Itoa(first) + "-" + strconv.Itoa(last)
	default:
		return n, prefix + strconv.Itoa(first) + "-" + strconv.Itoa(last) + "/" + strconv.Itoa(step)
	}
}

// splitPort parts a name into the text before its last number and the
// number; a number with leading zeros cannot be folded.
func splitPort(name string) (prefix string, number int, ok bool) {
	cut := strings.LastIndexFunc(name, func(r rune) bool { return r < '0' || r > '9' }) + 1
	number, err := strconv.Atoi(name[cut:])
	if err != nil || strconv.Itoa(number) != name[cut:] {
		return "", 0, false
	}
	return name[:cut], number, true
}
