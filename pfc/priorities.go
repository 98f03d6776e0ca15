package pfc

import (
	"math/bits"
	"strconv"
)

// PerLink is the number of priorities in IEEE 802.1Q, and of the times in a frame.
const PerLink = 8

// Priorities is a set of priorities, bit N for priority N, as in the low byte
// of a frame's class-enable vector: 0x08 is priority 3. Zero is the empty set.
type Priorities uint8

// All is every priority.
const All Priorities = 0xff

// Of returns the set of the given priorities, each 0 to 7. Another number is a bug in the program and panics.
func Of(priorities ...int) (set Priorities) {
	for _, p := range priorities {
		if p < 0 || p >= PerLink {
			panic("pfc: priority " + strconv.Itoa(p) + " is not 0 to 7")
		}
		set |= 1 << p
	}
	return set
}

// Has tells whether the set contains a priority; false for numbers other than 0 to 7.
func (s Priorities) Has(priority int) bool {
	return priority >= 0 && priority < PerLink && s>>priority&1 == 1
}

// Lowest returns the lowest priority of the set; 8 if it is empty. With s &= s
// - 1 it iterates over a set without allocating.
func (s Priorities) Lowest() int { return bits.TrailingZeros8(uint8(s)) }

// String lists the priorities: "3,4"; "none" for the empty set.
func (s Priorities) String() string {
	if s == 0 {
		return "none"
	}
	text := make([]byte, 0, 2*PerLink)
	for ; s != 0; s &= s - 1 {
		text = append(text, '0'+byte(s.Lowest()), ',')
	}
	return string(text[:len(text)-1])
}
