package thresholds

import (
	"fmt"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/unit"
)

// SourceKind is the kind of a number's source.
type SourceKind string

// The sorts of sources.
const (
	Standard    SourceKind = "standard"     // a clause of IEEE 802
	VendorTable SourceKind = "vendor table" // a row of a published table
	Driver      SourceKind = "driver"       // an SDK, a kernel, a NOS plug-in, a vendor's paper
	Measured    SourceKind = "measured"     // a measurement by the operator
	Operator    SourceKind = "operator"     // a value given by the operator
	Inferred    SourceKind = "inferred"     // scaled or assumed by cellwarden
)

// Term is one term of an itemised headroom. A term can be the sum of further Terms.
type Term struct {
	Name string `json:"name"`
	// on the link; 0 for a term that is not a delay, such as a table's row
	BitTimes int64      `json:"bit_times"`
	Bytes    unit.Bytes `json:"bytes"` // rounded up
	Kind     SourceKind `json:"kind"`
	Source   string     `json:"source"`
	Terms    []Term     `json:"terms,omitempty"`
}

// Reading is one way of converting bytes on a link to cells in a memory.
type Reading struct {
	Name  string      `json:"name"`
	How   string      `json:"how"`
	Cells cells.Count `json:"cells"`
	Bytes unit.Bytes  `json:"bytes"` // before rounding to cells, for readings that do not count frames
	Used  bool        `json:"used"`  // the headroom's Cells follow this reading
}

// SumReading is one way to add up the delays of the two ends of a link, and the headroom that it gives.
type SumReading struct {
	Name     string      `json:"name"`
	How      string      `json:"how"`
	BitTimes int64       `json:"total_bit_times"`
	Wire     unit.Bytes  `json:"wire_bytes"`
	Cells    cells.Count `json:"xoff_cells"`
	Used     bool        `json:"used"`
}

// Explanation is a headroom with its terms and their sources.
type Explanation struct {
	Headroom
	Terms    []Term    // in the order of the events on the link
	Readings []Reading // ways of storing Wire; one of them is used
	// Sums are the ways to add up the delays of the ends, one of which is used; empty for a method that has only one way.
	Sums     []SumReading
	Warnings []string // about inferred and unusual values
}

// WarnInferred adds a warning for every inferred term.
func (e *Explanation) WarnInferred() {
	for _, t := range e.Terms {
		if t.Kind == Inferred {
			e.Warnings = append(e.Warnings, fmt.Sprintf("%s: %s", t.Name, t.Source))
		}
	}
}
