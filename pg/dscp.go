package pg

import (
	"fmt"
	"strconv"
	"strings"
)

// DSCPs is how many differentiated services code points there are (RFC 2474,
// section 3: six bits).
const DSCPs = 64

// CodePoints is a set of DSCPs, a bit each: bit 26 is DSCP 26. The zero set is
// empty.
type CodePoints uint64

// Points makes a set. A DSCP that is not 0 to 63 panics.
func Points(dscp ...int) CodePoints {
	var c CodePoints
	for _, d := range dscp {
		if d < 0 || d >= DSCPs {
			panic(fmt.Sprintf("pg: dscp %d", d))
		}
		c |= 1 << d
	}
	return c
}

// Has tells whether a DSCP is in the set.
func (c CodePoints) Has(dscp int) bool { return dscp >= 0 && dscp < DSCPs && c>>dscp&1 != 0 }

// List returns the DSCPs, ascending.
func (c CodePoints) List() []int {
	var out []int
	for d := range DSCPs {
		if c.Has(d) {
			out = append(out, d)
		}
	}
	return out
}

// String prints "24-26,48", or "none".
func (c CodePoints) String() string {
	var parts []string
	for d := 0; d < DSCPs; d++ {
		if !c.Has(d) {
			continue
		}
		first := d
		for c.Has(d + 1) {
			d++
		}
		if first == d {
			parts = append(parts, fmt.Sprint(d))
		} else {
			parts = append(parts, fmt.Sprintf("%d-%d", first, d))
		}
	}
	if len(parts) == 0 {
		return "none"
	}
	return strings.Join(parts, ",")
}

// ParseCodePoints reads what String prints: DSCPs and ranges of them, "26" or
// "24-26,48".
func ParseCodePoints(text string) (CodePoints, error) {
	var c CodePoints
	for part := range strings.SplitSeq(text, ",") {
		low, high, ranged := strings.Cut(strings.TrimSpace(part), "-")
		if !ranged {
			high = low
		}
		first, err1 := strconv.ParseUint(low, 10, 8)
		last, err2 := strconv.ParseUint(high, 10, 8)
		if err1 != nil || err2 != nil || first > last || last >= DSCPs {
			return 0, fmt.Errorf("%q is no set of DSCPs (accepted: 0 to %d, and ranges such as 24-26,48)", text,
				DSCPs-1)
		}
		for d := first; d <= last; d++ {
			c |= 1 << d
		}
	}
	return c, nil
}

// DSCPMap says which packets are of which priority: the code points of each, as
// SAI's QOS_DSCP_TO_TC map turned around. No DSCP may be of two priorities. What
// is of none is left to the device.
type DSCPMap [PerPort]CodePoints

// Priority returns the priority of a DSCP; false if the map does not say.
func (m *DSCPMap) Priority(dscp int) (int, bool) {
	for p, c := range m {
		if c.Has(dscp) {
			return p, true
		}
	}
	return 0, false
}
