package statements

import (
	"fmt"
	"strconv"
	"strings"
)

// dscpNames are the names of DSCPs (RFC 2474, 2597, 3246, 5865).
var dscpNames = func() map[string]int {
	out := map[string]int{"default": 0, "ef": 46, "va": 44, "voice-admit": 44}
	for class := 1; class <= 7; class++ {
		out[fmt.Sprintf("cs%d", class)] = 8 * class
		for drop := 1; drop <= 3 && class <= 4; drop++ {
			out[fmt.Sprintf("af%d%d", class, drop)] = 8*class + 2*drop
		}
	}
	return out
}()

// precedenceNames are the names of the precedences of IP (RFC 791), as switches write them.
var precedenceNames = map[string]int{"routine": 0, "priority": 1, "immediate": 2, "flash": 3, "flash-override": 4,
	"critical": 5, "internet": 6, "network": 7}

// Codes reads a list of the code points of a kind (dscp, precedence, cos, traffic-class and others): numbers up to a
// largest one, which is at most 63, ranges and names, with commas or blanks between them. Bad are the parts that are
// none of these, and an empty text if there are none; want says what there should be.
func Codes(kind string, words []string, most int) (out []int, bad []string, want string) {
	want = fmt.Sprintf("numbers from 0 to %d", most)
	var names map[string]int
	switch kind {
	case "dscp":
		names, want = dscpNames, want+", or names such as af31"
	case "precedence":
		names, want = precedenceNames, want+", or names such as critical"
	}
	for part := range strings.FieldsFuncSeq(strings.Join(words, ","), func(c rune) bool { return c == ',' }) {
		if n, named := names[strings.ToLower(part)]; named {
			out = append(out, n)
			continue
		}
		list := Numbers(part)
		if len(list) == 0 || list[len(list)-1] > most {
			bad = append(bad, part)
			continue
		}
		out = append(out, list...)
	}
	if len(out)+len(bad) == 0 {
		bad = []string{""}
	}
	return out, bad, want
}

// mostListed is the largest number of a list: the DSCPs of a switch end there.
const mostListed = 63

// Numbers reads a list such as 3,5-6 of numbers from 0 to 63. It leaves out what is no such number or range: the lists
// of switches also have names.
func Numbers(text string) (out []int) {
	for part := range strings.SplitSeq(text, ",") {
		first, last, ranged := strings.Cut(strings.TrimSpace(part), "-")
		if !ranged {
			last = first
		}
		low, bad := strconv.ParseUint(first, 10, 8)
		high, worse := strconv.ParseUint(last, 10, 8)
		if bad == nil && worse == nil && high <= mostListed {
			for n := low; n <= high; n++ {
				out = append(out, int(n))
			}
		}
	}
	return out
}
