// Package pg describes one priority group (PG): the buffer of a port for one or several priorities that it receives. A
// group has reserved cells (PG-min), a limit on shared cells and, if it is lossless, headroom for what arrives after it
// has sent XOFF. The names are SAI's.
//
// [Config] is a group's configuration, [Gate] its pause state, and [DSCPMap]
// the classification of packets by their DSCP.
package pg

import (
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/thresholds"
)

// PerPort is the number of priorities in IEEE 802.1Q, and the largest number of groups of a port.
const PerPort = 8

// Config is the configuration of a group, in cells of its chip.
type Config struct {
	Reserved  cells.Count      // PG-min: cells of its own
	Limit     thresholds.Limit // limit on the shared cells that the group uses
	Lossless  bool             // it sends XOFF and does not drop
	Headroom  cells.Count      // cells for what arrives after XOFF; 0 for a lossy group
	XONOffset cells.Count      // it resumes when it is this far below its shared limit
}

// Of returns the group of a priority, as on a SONiC switch. Every lossless priority has a group of its own, with the
// same number. All priorities of a lossy class share the group of the lowest.
func Of(priority int, lowest int, lossless bool) int {
	if lossless {
		return priority
	}
	return lowest
}
