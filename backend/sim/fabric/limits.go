package fabric

import (
	"fmt"

	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/clock"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/unit"
)

// Priorities is the number of priorities, groups and queues of a port.
const Priorities = 8

// The most that a network may have of each part. What it costs in all has limits
// too: see maxSetupBytes and maxSetupSteps.
const (
	MaxHosts    = 1 << 16
	MaxSwitches = 1 << 14
	maxPorts    = 1 << 19 // of all switches
	MaxFlows    = 200_000
	maxPairs    = 1 << 26 // ingress times egress ports, of switches with slices
	maxAccounts = 1 << 22 // groups and queues of a switch in all its slices
)

// The frames of Ethernet that a flow may send. Links without preamble and gap
// are those of other simulators, which send shorter frames too.
const (
	shortestFrame unit.Bytes = 64
	LongestFrame  unit.Bytes = 16384
)

const (
	fastest  = 100 * unit.Tbps
	longest  = 1000 * unit.Second // of any delay
	lastTime = unit.Time(clock.Never / 4)
)

// mostErrors is the largest number of bits for each wrong one.
const mostErrors = int64(1e18)

// maxFrame is the longest frame in bytes: a packet stores its length in 16
// bits.
const maxFrame = 1<<16 - 1

// within tells whether a number is in a range.
func within[T ~int | ~int64 | ~uint8](n, lowest, highest T) bool { return lowest <= n && n <= highest }

// need complains about a number out of a range.
func need[T ~int | ~int64 | ~uint8](bad *fielderr.List, path string, n, lowest, highest T) {
	if !within(n, lowest, highest) {
		bad.Add(path, fmt.Sprint(n), fmt.Sprintf("%v to %v", lowest, highest))
	}
}

// isIndex complains unless i is the index of one of n things.
func isIndex(bad *fielderr.List, i, n int, path, things string) bool {
	switch {
	case i >= 0 && i < n:
		return true
	case n == 0:
		bad.Add(path, fmt.Sprint(i), "there are no "+things)
	default:
		bad.Add(path, fmt.Sprint(i), fmt.Sprintf("0 to %d, one of %d %s", n-1, n, things))
	}
	return false
}
