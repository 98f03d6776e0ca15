package thresholds

import (
	"fmt"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/unit"
)

// SourceKind says what sort of source a number has.
type SourceKind string

// The sorts of sources.
const (
	Standard    SourceKind = "standard"     // a clause of IEEE 802
	VendorTable SourceKind = "vendor table" // a row that somebody shipped
	Driver      SourceKind = "driver"       // an SDK, a kernel, a NOS plug-in, a vendor's paper
	Measured    SourceKind = "measured"     // a measurement that the operator gave
	Operator    SourceKind = "operator"     // given by the operator
	Inferred    SourceKind = "inferred"     // scaled or assumed by cellwarden
)

// Term is one line of an itemised headroom; Terms are the lines that it is the
// sum of, if it is one.
type Term struct {
	Name     string     `json:"name"`
	BitTimes int64      `json:"bit_times"` // on the wire; 0 for what is not a delay, such as a table's row
	Bytes    unit.Bytes `json:"bytes"`     // rounded up
	Kind     SourceKind `json:"kind"`
	Source   string     `json:"source"`
	Terms    []Term     `json:"terms,omitempty"`
}

// Reading is one way to turn bytes on a wire into cells in a memory.
type Reading struct {
	Name  string      `json:"name"`
	How   string      `json:"how"`
	Cells cells.Count `json:"cells"`
	Bytes unit.Bytes  `json:"bytes"` // before rounding to cells where the reading does not count frames
	Used  bool        `json:"used"`  // this is the reading that Cells of the Headroom follows
}

// SumReading is one way to add up the delays of the two ends of a link, and the
// headroom by it.
type SumReading struct {
	Name     string      `json:"name"`
	How      string      `json:"how"`
	BitTimes int64       `json:"total_bit_times"`
	Wire     unit.Bytes  `json:"wire_bytes"`
	Cells    cells.Count `json:"xoff_cells"`
	Used     bool        `json:"used"`
}

// Explanation is a headroom and where it comes from.
type Explanation struct {
	Headroom
	Terms    []Term    // what it is the sum of, in the order of the events on the link
	Readings []Reading // the ways to store Wire; one is used

	// Sums are the ways to add up the delays of the ends, of which one is used; empty
	// for a method that has but one.
	Sums []SumReading

	Warnings []string // what is inferred or odd about it
}

// WarnInferred adds a warning for every term that is inferred.
func (e *Explanation) WarnInferred() {
	for _, t := range e.Terms {
		if t.Kind == Inferred {
			e.Warnings = append(e.Warnings, fmt.Sprintf("%s: %s", t.Name, t.Source))
		}
	}
}
