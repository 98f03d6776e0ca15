package main

import (
	"fmt"

	publish "github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/thresholds"
)

// sizeNotes returns a note if the headroom is not known to be enough for the worst
// case of the link.
func sizeNotes(e thresholds.Explanation, j job) []string {
	if text := thresholds.WorstCaseOf(j.sizer, j.link, j.memory).Note(e.Cells, j.memory.Cell); text != "" {
		return []string{text}
	}
	return nil
}

// headroomJSON is a headroom as a document.
type headroomJSON = publish.HeadroomDocument

// headroomDocument converts an explanation.
func headroomDocument(e thresholds.Explanation, j job) publish.HeadroomDocument {
	return publish.Headroom(e, j.sizer, j.link, j.memory)
}

// headroomReport returns the tables: the terms, and the ways of storing them.
func headroomReport(e thresholds.Explanation, j job, explain bool) *report {
	r := &report{
		head:     append([]string{j.String(), headroomSum(e)}, sizeNotes(e, j)...),
		sections: []section{termSection(e, explain)},
	}
	if n := publish.Covers(e, j.link); n > 0 {
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
