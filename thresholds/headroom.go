package thresholds

import (
	"fmt"
	"strings"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/unit"
)

// Link is what a headroom depends on outside the switch: one direction of a
// cable with the port that pauses at one end and the sender at the other.
type Link struct {
	Rate        unit.BitRate // speed of the port
	Cable       unit.Length  // one way
	MTU         unit.Bytes   // longest frame of any class: what the pause frame may have to wait for
	LosslessMTU unit.Bytes   // longest frame of the paused class: what the sender may have begun
}

// Limits of what a Link may say; beyond them somebody mistyped.
const (
	MaxCable                = 1000 * unit.Kilometre
	MinFrame     unit.Bytes = 64    // IEEE 802.3: minimum frame size
	MaxFrameSize unit.Bytes = 16384 // above every jumbo frame in use
)

// Memory is what a headroom depends on inside the switch.
type Memory struct {
	Cell     cells.Size // bytes per cell
	Overhead unit.Bytes // what the chip stores with each packet, beside the packet
}

// Term is one line of an itemised headroom.
type Term struct {
	Name     string     `json:"name"`
	BitTimes int64      `json:"bit_times"` // on the wire; 0 for what is not a delay, such as a table's row
	Bytes    unit.Bytes `json:"bytes"`     // the bit times, rounded up to bytes
	Source   string     `json:"source"`
	Inferred bool       `json:"inferred,omitempty"` // scaled or assumed by cellwarden, not sourced for this speed
}

// Reading is one way to turn bytes on a wire into cells in a memory.
type Reading struct {
	Name  string      `json:"name"`
	How   string      `json:"how"`
	Cells cells.Count `json:"cells"`
	Bytes unit.Bytes  `json:"bytes"` // before rounding to cells where the reading does not count frames
	Used  bool        `json:"used"`  // this is the reading that Cells of the Headroom follows
}

// Headroom is a sized headroom and where it comes from.
type Headroom struct {
	Method    string      // which Sizer made it
	Frame     unit.Bytes  // size of the frames assumed to fill it; 0 where the method does not know
	Terms     []Term      // what it is the sum of, in the order of the events on the link
	BitTimes  int64       // the sum of the terms; 0 where the method does not reckon with time
	Wire      unit.Bytes  // the same in bytes: what arrives after the pause was decided
	Readings  []Reading   // the ways to store Wire; one is used
	Cells     cells.Count // what a priority group is to be given
	XOFF      unit.Bytes  // Cells in bytes: SAI's XOFF_TH
	XONOffset unit.Bytes  // resume this far under the limit; 0 where the method does not say
	Row       *Row        // the table's row, for the table method
	Warnings  []string    // what is inferred or odd about it
}

// Sizer is one method of sizing a headroom. Implementations are values: the
// same link and memory give the same result.
type Sizer interface {
	// Method is the name under which the command line knows it.
	Method() string
	// Size returns the headroom of one lossless group at the end of the link.
	Size(Link, Memory) (Headroom, error)
}

// Validate refuses a link that no cable or frame can be, with all complaints
// in one error.
func (l Link) Validate() error {
	var bad []string
	if l.Rate < unit.Mbps {
		bad = append(bad, fmt.Sprintf("rate %v is below 1M", l.Rate))
	}
	if l.Cable < 0 || l.Cable > MaxCable {
		bad = append(bad, fmt.Sprintf("cable %v is not between 0m and %v", l.Cable, MaxCable))
	}
	if l.MTU < MinFrame || l.MTU > MaxFrameSize {
		bad = append(bad, fmt.Sprintf("MTU %v is not between %v and %v", l.MTU, MinFrame, MaxFrameSize))
	}
	if l.LosslessMTU < MinFrame || l.LosslessMTU > l.MTU {
		bad = append(bad, fmt.Sprintf("lossless MTU %v is not between %v and the port's MTU %v", l.LosslessMTU, MinFrame, l.MTU))
	}
	if len(bad) > 0 {
		return &LinkError{bad}
	}
	return nil
}

// LinkError is everything that is wrong with a link.
type LinkError struct{ Complaints []string }

// Error lists the complaints.
func (e *LinkError) Error() string { return "link refused: " + strings.Join(e.Complaints, "; ") }
