package size

import (
	"errors"
	"fmt"
	"maps"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/unnamed"
	"github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/thresholds/method"
	"github.com/cellwarden/cellwarden/thresholds/table"
)

// defaultMemory is the memory that --compare assumes if the size of a cell is not
// given: that of Tomahawk 3, for which Broadcom's full formula was written. Cells of 254 bytes, with 40 bytes stored
// beside each packet. It is always said when it is assumed.
var defaultMemory = thresholds.Memory{Cell: 254, Overhead: 40}

// runCompare sizes one link by every method: those that are made for the chip, and
// apart from them the others. Methods do not compare what they assume, so a row has the frames it is for and a note;
// the numbers alone would invite the wrong conclusion.
func runCompare(cmd *cobra.Command, q request, format cli.Output) error {
	assumed := q.assumeCells()
	var bad []error
	// The link and the memory are the same for all methods; only the sizer changes.
	j := job{link: q.link(&bad), memory: q.memory(&bad)}
	if err := errors.Join(bad...); err != nil {
		return err
	}
	chip, shown := q.chipName(), q.text["chip"]
	// Results are those for this chip, Others those that were made for another one, Refused those without a number.
	doc := report.HeadroomCompareDocument{Schema: report.Schema("headroom-compare"), Chip: chip,
		Results: []report.HeadroomDocument{}, Others: []report.HeadroomDocument{}}
	unnamed.List(&doc.Refused, 0)
	// true: made for this chip, or for every chip.
	lists := map[bool]*cli.Section{true: compareSection("Methods for " + shown),
		false: compareSection("Not made for this chip")}
	if chip == "" {
		// The titles are claims about the chip, and there is none.
		lists[true].Title, lists[false].Title = "Methods for every chip", "Made for some chips only, and no chip is given"
	}
	for _, m := range method.Methods() {
		// Without a chip only the methods for every chip are in the first list.
		own := method.MadeFor(m, chip) == method.FitsChip
		sizer, err := q.by(m)
		var e thresholds.Explanation
		if err == nil {
			e, err = sizer.Explain(j.link, j.memory)
		}
		// The name says that the numbers are those of SONiC's virtual switch and not of the chip.
		if m == (method.SONiC{}).Method() && !q.ofSONiC() {
			m += " (" + virtualSwitch + ")"
		}
		// A method that has no number for this link is a row too: its absence would look like an oversight.
		if err != nil {
			refused := unnamed.Add(&doc.Refused)
			refused.Method, refused.ForChip, refused.Why = m, own, err.Error()
			lists[own].Row(m, "", cli.Number("-"), cli.Number("-"), cli.Number("-"), cli.Number("-"), cli.Number("-"),
				cli.FirstLine(err.Error()))
			continue
		}
		// The document and the notes below ask the job for its method.
		j.sizer = sizer
		// The document of each method is the one that it has as a single answer.
		if one := headroomDocument(e, j); own {
			doc.Results = append(doc.Results, one)
		} else {
			doc.Others = append(doc.Others, one)
		}
		// 0: the method does not compute it. No headroom is 0 bytes on the wire.
		lists[own].Row(m, e.Mix.String(), cli.Nonzero(e.Wire), cli.Nonzero(e.XON), cli.Count(e.XOFF), cli.Nonzero(e.Size),
			cli.Count(e.Cells), note(append(sizeNotes(e, j), e.Warnings...)))
	}
	r := &cli.Screen{Head: []string{j.String()}, Sections: []cli.Section{*lists[true], *lists[false]}}
	if assumed != "" {
		r.Head = append(r.Head, assumed)
	}
	return r.Print(cmd, format, doc, cli.ExitFine)
}

// compareSection is a list of methods without rows. A dash is a number that the method does not compute.
func compareSection(title string) *cli.Section {
	return &cli.Section{Title: title, Columns: []string{"method", "frames", "wire bytes", "xon bytes", "xoff bytes",
		"size bytes", "cells", "note"}}
}

// chipName is the chip by which methods know whether they are made for it: a name of
// the catalogue or of SONiC, or the one that a chip file gives; empty if none is given. A chip file whose cells are not
// known is treated as a name: its own name would promise what it does not have.
func (q request) chipName() string {
	text := q.text["chip"]
	if text == "" {
		return ""
	}
	// A chip file has a path for a text; the name in it decides which methods are made for it. An error is that of the
	// memory, which has complained of it.
	if chip, err := q.chip(text); err == nil && chip.Cell > 0 {
		return chip.Name
	}
	return text
}

// by returns a method, with the parameters that are its own. Parameters of other methods are left out, since every flag
// belongs to some method here.
func (q request) by(name string) (thresholds.Sizer, error) {
	// No table is built in: it is a file of the switch.
	if name == (&table.Table{}).Method() && !q.has("table") {
		return nil, errors.New("no table (want --headroom-table)")
	}
	// A copy: each method has its own name in it, and SONiC's another chip.
	one := request{maps.Clone(q.text), q.flags, q.open, q.read}
	one.text["method"] = name
	if name == (method.SONiC{}).Method() && !q.ofSONiC() {
		one.text["chip"] = virtualSwitch
		// The virtual switch has the cells of its own formula, and the link's cell would be refused.
		delete(one.text, "cell")
	}
	return one.sizer(true)
}

// virtualSwitch is the chip for SONiC's formula if SONiC has no values for the
// link's chip.
const virtualSwitch = "vs"

// ofSONiC tells whether SONiC has values for the request's chip.
func (q request) ofSONiC() bool {
	_, known := method.LookupSONiCChip(q.text["chip"])
	return known
}

// note is the first warning, and the number of further ones. The others are in the JSON, and in the answer of the
// method alone.
func note(warnings []string) string {
	if len(warnings) == 0 {
		return ""
	}
	text := cli.FirstLine(warnings[0])
	if more := len(warnings) - 1; more > 0 {
		text += fmt.Sprintf(" (+%d more)", more)
	}
	return text
}
