package main

import (
	"fmt"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/thresholds/method"
	"github.com/cellwarden/cellwarden/unit"
)

// covers returns the metres of cable that a headroom covers by the standard's
// sum, for the method that has no sum of its own; otherwise 0.
func covers(e thresholds.Explanation, l thresholds.Link) int64 {
	if e.Method != (method.CiscoPractical{}).Method() {
		return 0
	}
	length, err := method.CoveredLength(e.Size-e.XON, l)
	if err != nil {
		return 0
	}
	return int64((length + unit.Metre/2) / unit.Metre)
}

// sizeNotes returns a note if the headroom is not known to be enough for the worst
// case of the link.
func sizeNotes(e thresholds.Explanation, j job) []string {
	if text := thresholds.WorstCaseOf(j.sizer, j.link, j.memory).Note(e.Cells, j.memory.Cell); text != "" {
		return []string{text}
	}
	return nil
}

// headroomJSON is a headroom as a document. Values that the method does not
// compute are left out.
type headroomJSON struct {
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

// headroomDocument converts an explanation.
func headroomDocument(e thresholds.Explanation, j job) headroomJSON {
	d := headroomJSON{Schema: "cellwarden.headroom/v1", Method: e.Method, Frame: e.Mix.Frame(), Mix: e.Mix.String(),
		Terms:    e.Terms,
		BitTimes: e.BitTimes, Wire: e.Wire, Cells: e.Cells, XOFF: e.XOFF, CellBytes: j.memory.Cell,
		Overhead: j.memory.Overhead, Covers: covers(e, j.link),
		Enough:   thresholds.WorstCaseOf(j.sizer, j.link, j.memory).Judge(e.Cells, j.memory.Cell),
		Readings: append([]thresholds.Reading{}, e.Readings...), Sums: e.Sums,
		Warnings: append([]string{}, e.Warnings...)}
	if e.XON > 0 || e.Size > 0 || e.Profile.Stated {
		d.XON, d.Size = &e.XON, &e.Size
	}
	if offset, ok := e.XONOffset.Get(); ok {
		d.XONOffset = &offset
	}
	return d
}

// headroomReport returns the tables: the terms, and the ways of storing them.
func headroomReport(e thresholds.Explanation, j job, explain bool) *report {
	r := &report{
		head:     append([]string{j.String(), headroomSum(e)}, sizeNotes(e, j)...),
		sections: []section{termSection(e, explain)},
	}
	if n := covers(e, j.link); n > 0 {
		r.head = append(r.head, fmt.Sprintf("covers %s m of cable by the sum of ieee802.1qbb", count(n)))
	}
	if len(e.Readings) > 0 {
		s := section{title: "In cells", columns: []string{"reading", "cells", "bytes", "", "how"}}
		for _, x := range e.Readings {
			used := ""
			if x.Used {
				used = "USED"
			}
			s.row(x.Name, count(x.Cells), count(x.Bytes), used, x.How)
		}
		r.sections = append(r.sections, s)
	}
	if len(e.Sums) > 1 {
		r.sections = append(r.sections, delaySumSection(e))
	}
	worst := thresholds.WorstFrame(j.memory, thresholds.WireBytes, j.link.LosslessMTU)
	r.foot = append(r.foot, fmt.Sprintf(
		"frame size that takes most cells for its time on the wire: %v (%s, %v on the wire)", worst,
		plural(int(j.memory.Cell.Packet(worst, j.memory.Overhead)), "cell", "cells"), worst+20))
	for _, w := range e.Warnings {
		r.foot = append(r.foot, "warning: "+w)
	}
	return r
}

// delaySumSection lists the ways to add up the delays of both ends.
func delaySumSection(e thresholds.Explanation) section {
	s := section{title: "Delays of both ends, in two readings",
		columns: []string{"reading", "bit times", "bytes", "cells", "", "how"}}
	for _, x := range e.Sums {
		used := ""
		if x.Used {
			used = "USED"
		}
		s.row(x.Name, count(x.BitTimes), count(x.Wire), count(x.Cells), used, x.How)
	}
	return s
}

// termSection lists the terms, and their parts if explain is set.
func termSection(e thresholds.Explanation, explain bool) section {
	s := section{title: "Terms", columns: []string{"term", "bit times", "bytes", "source"}}
	if explain {
		s.columns = []string{"term", "bit times", "bytes", "kind", "source"}
	}
	var add func(terms []thresholds.Term, indent string)
	add = func(terms []thresholds.Term, indent string) {
		for _, t := range terms {
			times := number("-")
			if t.BitTimes > 0 {
				times = count(t.BitTimes)
			}
			if explain {
				s.row(indent+t.Name, times, count(t.Bytes), string(t.Kind), t.Source)
				add(t.Terms, indent+"  ")
				continue
			}
			source := t.Source
			if t.Kind == thresholds.Inferred {
				source = "INFERRED: " + source
			}
			s.row(t.Name, times, count(t.Bytes), source)
		}
	}
	add(e.Terms, "")
	if e.Wire > 0 && e.BitTimes > 0 {
		s.total = []any{"sum", count(e.BitTimes), count(e.Wire), ""}
	}
	return s
}

// headroomSum is the result in one line.
func headroomSum(e thresholds.Explanation) string {
	text := "method " + e.Method + ": "
	if e.BitTimes > 0 {
		text += fmt.Sprintf("%s bit times, ", count(e.BitTimes))
	}
	if e.Wire > 0 {
		text += fmt.Sprintf("%s bytes on the wire; ", count(e.Wire))
	}
	text += fmt.Sprintf("%s cells, xoff %s bytes", count(e.Cells), count(e.XOFF))
	if e.XON > 0 {
		text += fmt.Sprintf(", xon %s bytes", count(e.XON))
	}
	if e.Size > 0 {
		text += fmt.Sprintf(", size %s bytes", count(e.Size))
	}
	if mix := e.Mix.String(); mix != "" {
		text += ", filled with frames of " + mix
	}
	return text
}
