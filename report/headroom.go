package report

import (
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/thresholds/method"
	"github.com/cellwarden/cellwarden/unit"
)

// HeadroomDocument is the headroom of one link as it is published. Values that the method does not
// compute are left out.
type HeadroomDocument struct {
	Schema    string            `json:"schema"`
	Method    string            `json:"method"`
	Frame     unit.Bytes        `json:"frame_bytes"`
	Mix       string            `json:"frame_mix,omitempty"`
	Terms     []thresholds.Term `json:"terms"`
	BitTimes  int64             `json:"total_bit_times"`
	Wire      unit.Bytes        `json:"wire_bytes"`
	Cells     cells.Count       `json:"xoff_cells"`
	XOFF      unit.Bytes        `json:"xoff_bytes"`
	XON       *unit.Bytes       `json:"xon_bytes,omitempty"`
	XONOffset *unit.Bytes       `json:"xon_offset_bytes,omitempty"`
	Size      *unit.Bytes       `json:"size_bytes,omitempty"`
	CellBytes cells.Size        `json:"cell_bytes"`
	Overhead  unit.Bytes        `json:"overhead_bytes"`
	// Covers is the length of cable that the headroom covers by the standard's
	// sum, to the nearest metre.
	Covers int64 `json:"covers_m,omitempty"`
	// Enough says whether the headroom is enough for the worst case of verify.
	Enough   thresholds.Sufficiency `json:"enough"`
	Readings []thresholds.Reading   `json:"readings"`
	// Sums are the ways to add up the delays of both ends. One of them is used.
	Sums     []thresholds.SumReading `json:"delay_sums,omitempty"`
	Warnings []string                `json:"warnings"`
}

// Headroom returns the document of what a sizer computed for a link and a memory.
func Headroom(e thresholds.Explanation, s thresholds.Sizer, l thresholds.Link, m thresholds.Memory) HeadroomDocument {
	d := HeadroomDocument{Schema: Schema("headroom"), Method: e.Method, Frame: e.Mix.Frame(), Mix: e.Mix.String(),
		Terms: e.Terms, BitTimes: e.BitTimes, Wire: e.Wire, Cells: e.Cells, XOFF: e.XOFF, CellBytes: m.Cell,
		Overhead: m.Overhead, Covers: Covers(e, l), Enough: thresholds.WorstCaseOf(s, l, m).Judge(e.Cells, m.Cell),
		Readings: append([]thresholds.Reading{}, e.Readings...), Sums: e.Sums, Warnings: append([]string{}, e.Warnings...)}
	if e.XON > 0 || e.Size > 0 || e.Profile.Stated {
		d.XON, d.Size = &e.XON, &e.Size
	}
	if offset, ok := e.XONOffset.Get(); ok {
		d.XONOffset = &offset
	}
	return d
}

// Covers returns the whole metres of cable that a headroom covers by the standard's
// sum, for the method that has no sum of its own; otherwise 0.
func Covers(e thresholds.Explanation, l thresholds.Link) int64 {
	if e.Method != (method.CiscoPractical{}).Method() {
		return 0
	}
	length, err := method.CoveredLength(e.Size-e.XON, l, thresholds.SumOfEnds)
	if err != nil {
		return 0
	}
	return int64(length / unit.Metre) // one metre more is not covered
}

// HeadroomCompareDocument is the headroom of one link by every sizing method.
type HeadroomCompareDocument struct {
	Schema  string             `json:"schema"`
	Chip    string             `json:"chip"`    // empty: none is given
	Results []HeadroomDocument `json:"results"` // of methods that are made for the chip
	Others  []HeadroomDocument `json:"not_made_for_chip"`
	// Refused are the methods that cannot size the link.
	Refused []struct {
		Method  string `json:"method"`
		ForChip bool   `json:"made_for_chip"`
		Why     string `json:"why"`
	} `json:"refused"`
}
