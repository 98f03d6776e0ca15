package size

import (
	"fmt"

	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/report"
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

// headroomDocument converts an explanation.
func headroomDocument(e thresholds.Explanation, j job) report.HeadroomDocument {
	return report.Headroom(e, j.sizer, j.link, j.memory)
}

// headroomReport returns the tables: the terms, and the ways of storing them.
func headroomReport(e thresholds.Explanation, j job, explain bool) *cli.Screen {
	r := &cli.Screen{
		Head:     append([]string{j.String(), headroomSum(e)}, sizeNotes(e, j)...),
		Sections: []cli.Section{TermSection(e, explain)},
	}
	if n := report.Covers(e, j.link); n > 0 {
		r.Head = append(r.Head, fmt.Sprintf("covers %s m of cable by the sum of ieee802.1qbb", cli.Count(n)))
	}
	if len(e.Readings) > 0 {
		s := cli.Section{Title: "In cells", Columns: []string{"reading", "cells", "bytes", "", "how"}}
		for _, x := range e.Readings {
			used := ""
			if x.Used {
				used = "USED"
			}
			s.Row(x.Name, cli.Count(x.Cells), cli.Count(x.Bytes), used, x.How)
		}
		r.Sections = append(r.Sections, s)
	}
	if len(e.Sums) > 1 {
		r.Sections = append(r.Sections, delaySumSection(e))
	}
	// The size stands there also if another one fills the headroom: it shows what that choice leaves out.
	worst := thresholds.WorstFrame(j.memory, thresholds.WireBytes, j.link.LosslessMTU)
	r.Foot = append(r.Foot, fmt.Sprintf(
		"frame size that takes most cells for its time on the wire: %v (%s, %v on the wire)", worst,
		cli.Plural(int(j.memory.Cell.Packet(worst, j.memory.Overhead)), "cell", "cells"), worst+20))
	for _, w := range e.Warnings {
		r.Foot = append(r.Foot, "warning: "+w)
	}
	return r
}

// delaySumSection lists the ways to add up the delays of both ends.
func delaySumSection(e thresholds.Explanation) cli.Section {
	s := cli.Section{Title: "Delays of both ends, in two readings",
		Columns: []string{"reading", "bit times", "bytes", "cells", "", "how"}}
	for _, x := range e.Sums {
		used := ""
		if x.Used {
			used = "USED"
		}
		s.Row(x.Name, cli.Count(x.BitTimes), cli.Count(x.Wire), cli.Count(x.Cells), used, x.How)
	}
	return s
}

// TermSection lists the terms, and their parts if explain is set.
func TermSection(e thresholds.Explanation, explain bool) cli.Section {
	s := cli.Section{Title: "Terms", Columns: []string{"term", "bit times", "bytes", "source"}}
	if explain {
		s.Columns = []string{"term", "bit times", "bytes", "kind", "source"}
	}
	var add func(terms []thresholds.Term, indent string)
	add = func(terms []thresholds.Term, indent string) {
		for _, t := range terms {
			times := cli.Number("-")
			// 0: the term is known in bytes only, such as the latency of a pipeline.
			if t.BitTimes > 0 {
				times = cli.Count(t.BitTimes)
			}
			if explain {
				s.Row(indent+t.Name, times, cli.Count(t.Bytes), string(t.Kind), t.Source)
				add(t.Terms, indent+"  ")
				continue
			}
			source := t.Source
			if t.Kind == thresholds.Inferred {
				source = "INFERRED: " + source
			}
			s.Row(t.Name, times, cli.Count(t.Bytes), source)
		}
	}
	add(e.Terms, "")
	// Methods that count in cells or bytes have no sum of bit times.
	if e.Wire > 0 && e.BitTimes > 0 {
		s.Total = []any{"sum", cli.Count(e.BitTimes), cli.Count(e.Wire), ""}
	}
	return s
}

// headroomSum is the result in one line.
func headroomSum(e thresholds.Explanation) string {
	text := "method " + e.Method + ": "
	if e.BitTimes > 0 {
		text += fmt.Sprintf("%s bit times, ", cli.Count(e.BitTimes))
	}
	if e.Wire > 0 {
		text += fmt.Sprintf("%s bytes on the wire; ", cli.Count(e.Wire))
	}
	text += fmt.Sprintf("%s cells, xoff %s bytes", cli.Count(e.Cells), cli.Count(e.XOFF))
	// 0 of xon and size is a method that does not compute them.
	if e.XON > 0 {
		text += fmt.Sprintf(", xon %s bytes", cli.Count(e.XON))
	}
	if e.Size > 0 {
		text += fmt.Sprintf(", size %s bytes", cli.Count(e.Size))
	}
	if mix := e.Mix.String(); mix != "" {
		text += ", filled with frames of " + mix
	}
	return text
}
