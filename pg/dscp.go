package pg

import (
	"fmt"
	"strconv"
	"strings"
)

// DSCPs is the number of differentiated services code points (RFC 2474, section 3: six bits).
const DSCPs = 64

// CodePoints is a set of DSCPs, one bit each: bit 26 is DSCP 26. The zero set is empty.
type CodePoints uint64

// Points returns a set. A DSCP out of 0 to 63 panics.
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

// List returns the DSCPs in ascending order.
func (c CodePoints) List() []int {
	var out []int
	for d := range DSCPs {
		if c.Has(d) {
			out = append(out, d)
		}
	}
	return out
}

// String returns "24-26,48", or "none".
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

// ParseCodePoints reads what String returns: DSCPs and ranges, "26" or "24-26,48".
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
			return 0, fmt.Errorf("%q is no set of DSCPs (want 0 to %d, and ranges such as 24-26,48)", text,
				DSCPs-1)
		}
		for d := first; d <= last; d++ {
			c |= 1 << d
		}
	}
	return c, nil
}

// DSCPMap classifies packets: it has the code points of each priority. It is SAI's QOS_DSCP_TO_TC map, indexed by
// priority. A DSCP belongs to one priority at most. The device decides about a DSCP that the map leaves out.
type DSCPMap [PerPort]CodePoints

// Priority returns the priority of a DSCP; false if the map leaves it out.
func (m *DSCPMap) Priority(dscp int) (int, bool) {
	for p, c := range m {
		if c.Has(dscp) {
			return p, true
		}
	}
	return 0, false
}

// Trust says from where a port reads the priority of a packet.
type Trust uint8

// The two fields of a packet. Zero: it is not stated.
const (
	TrustUnknown Trust = iota
	TrustPCP           // the priority code point of the VLAN tag; a packet without a tag has priority 0
	TrustDSCP          // the DSCP of the IP header
)

// String prints the trust as a topology has it.
func (t Trust) String() string { return [...]string{"unknown", "pcp", "dscp"}[t] }

// ParseTrust reads "pcp" or "dscp".
func ParseTrust(text string) (Trust, error) {
	for _, t := range []Trust{TrustPCP, TrustDSCP} {
		if text == t.String() {
			return t, nil
		}
	}
	return TrustUnknown, fmt.Errorf("%q is no field of a packet (want pcp, dscp)", text)
}
