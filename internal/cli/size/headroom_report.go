package size

import (
	"fmt"
	"slices"

	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/thresholds"
)

// sizeNotes returns a note if the headroom is not known to be enough for the worst
// case of the link. The worst case is that of thresholds.WorstCaseOf, by which verify proves a plan.
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

// headroomReport returns the tables: the terms, and the ways of storing them. explain is --all: parts of terms and
// their sources. The readings are other ways to turn the same bytes into cells; the one that was used is marked.
func headroomReport(e thresholds.Explanation, j job, explain bool) *cli.Screen {
	r := &cli.Screen{
		// A note says that the headroom may not be enough, so it stands beside the number and not below the tables.
		Head:     append([]string{j.String(), headroomSum(e)}, sizeNotes(e, j)...),
		Sections: []cli.Section{TermSection(e, explain)},
	}
	// It says how far a number goes that came from a table or a vendor, by the one sum that has a source for each term.
	if n := report.Covers(e, j.link); n > 0 {
		r.Head = append(r.Head, fmt.Sprintf("covers %s m of cable by the sum of ieee802.1qbb", cli.Count(n)))
	}
	if len(e.Readings) > 0 {
		// Vendors count differently: by the frame, by the cell, with and without what is stored beside a packet.
		s := cli.Table("", "In cells", "reading", "cells", "bytes", "", "how")
		for _, x := range e.Readings {
			s.Row(x.Name, cli.Count(x.Cells), cli.Count(x.Bytes), map[bool]string{true: "USED"}[x.Used], x.How)
		}
		r.Sections = append(r.Sections, s)
	}
	if len(e.Sums) > 1 {
		r.Sections = append(r.Sections, delaySumSection(e))
	}
	// The size stands there also if another one fills the headroom: it shows what that choice leaves out.
	worst := thresholds.WorstFrame(j.memory, thresholds.WireBytes, thresholds.MinFrame, j.link.LosslessMTU)
	r.Foot = append(r.Foot, fmt.Sprintf("frame size that takes most cells for its time on the wire: %v (%s, %v on the "+
		"wire)", worst, cli.Plural(int(j.memory.Cell.Packet(worst, j.memory.Overhead)), "cell", "cells"), worst+20))
	// Warnings are the method's own, such as a number that it takes beyond the speeds of its source.
	r.Foot = append(r.Foot, cli.Prefixed("warning: ", e.Warnings)...)
	// The first screen is made of the whole report, whose notes it keeps.
	r.First = firstHeadroom(e, j, r)
	return r
}

// firstHeadroom is the first screen of a headroom: its terms, in bytes and in time at the speed of the link. The share
// of each term in time is what a reader can change: cable, peer, or frame.
func firstHeadroom(e thresholds.Explanation, j job, all *cli.Screen) *cli.Screen {
	r := &cli.Screen{Head: append(slices.Clone(all.Head), fmt.Sprintf("these cells are %s MB; times are at %v",
		cli.Megabytes(e.XOFF), j.link.Rate))}
	s := cli.Table("", "", "term", "bytes", "time", "source")
	// Parts of terms are left out here: the first screen shows which term is large.
	for _, t := range e.Terms {
		s.Row(t.Name, cli.Count(t.Bytes), cli.Number(cli.DrainText(t.Bytes, j.link.Rate)), string(t.Kind))
	}
	// A method without a sum on the wire, such as a table, has no total.
	if e.Wire > 0 {
		s.Total = []any{"sum", cli.Count(e.Wire), cli.Number(cli.DrainText(e.Wire, j.link.Rate)), ""}
	}
	r.Sections = []cli.Section{s}
	more := "the sources, the parts of the terms"
	if len(e.Readings) > 0 {
		more += ", other ways to count cells"
	}
	// The slice is cut at its length, so that the line is not written into the report's own.
	r.Foot = append(all.Foot[:len(all.Foot):len(all.Foot)], fmt.Sprintf("%-9s --all prints %s", "more", more))
	return r
}

// delaySumSection lists the ways to add up the delays of both ends. Texts and standards differ in which delays of the
// two ends are counted: each reading has its number, and one is used.
func delaySumSection(e thresholds.Explanation) cli.Section {
	s := cli.Table("", "Delays of both ends, by each way to add them up", "reading", "bit times", "bytes", "cells", "",
		"how")
	for _, x := range e.Sums {
		s.Row(x.Name, cli.Count(x.BitTimes), cli.Count(x.Wire), cli.Count(x.Cells), map[bool]string{true: "USED"}[x.Used], x.How)
	}
	return s
}

// TermSection lists the terms, and their parts if explain is set. The sum is in bytes on the wire. A method without
// terms of time, such as a table, has no sum.
func TermSection(e thresholds.Explanation, explain bool) cli.Section {
	// Bit times are those of the link's speed.
	s := cli.Table("", "Terms", "term", "bit times", "bytes", "source")
	// The kind has a column of its own here. Otherwise only inferred terms are marked, before their source.
	if explain {
		s.Columns = []string{"term", "bit times", "bytes", "kind", "source"}
	}
	var add func(terms []thresholds.Term, indent string)
	add = func(terms []thresholds.Term, indent string) {
		for _, t := range terms {
			times := cli.Nonzero(t.BitTimes) // 0: it is known in bytes only, such as the latency of a pipeline
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

// headroomSum is the result in one line. It names the method first, because two methods differ by more than any of
// their parameters.
func headroomSum(e thresholds.Explanation) string {
	// The result in cells is at its end, with the xoff in bytes that a configuration has.
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
	if frames := e.Mix.Words(); frames != "" {
		text += ", for " + frames
	}
	return text
}
