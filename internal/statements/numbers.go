package statements

import (
	"strconv"
	"strings"
)

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
