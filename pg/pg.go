// Package pg is about one priority group (PG): the buffer that a port keeps
// for one or several priorities of what it receives.
//
// A group has a reserved part of its own (PG-min), a limit on what it may use
// of the shared pool, and, if it is lossless, headroom for what is still in
// flight after it has sent XOFF. The names are SAI's.
package pg

import (
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/thresholds"
)

// PerPort is the number of priorities that IEEE 802.1Q knows, and of the
// groups that a port has at most.
const PerPort = 8

// Config is what a group is given, in cells of its chip.
type Config struct {
	Reserved  cells.Count      // PG-min: cells of its own
	Limit     thresholds.Limit // on the shared cells that it uses
	Lossless  bool             // sends XOFF instead of dropping
	Headroom  cells.Count      // cells it may use after XOFF; 0 for a lossy group
	XONOffset cells.Count      // it resumes this far under its shared limit
}

// Of returns the group that the priorities of a class share, numbered as on a
// SONiC switch: every lossless priority has a group of its own and the same
// number, while all priorities of a lossy class go to the group of the lowest.
func Of(priority int, lowest int, lossless bool) int {
	if lossless {
		return priority
	}
	return lowest
}
