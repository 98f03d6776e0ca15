package main

import (
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/thresholds/method"
	"github.com/cellwarden/cellwarden/thresholds/table"
)

// defaultMemory is the memory that --compare assumes without --cell and --chip:
// that of Tomahawk 3, for which Broadcom's full formula was written.
var defaultMemory = thresholds.Memory{Cell: 254, Overhead: 40}

// runCompare sizes one link by every method.
func runCompare(cmd *cobra.Command, q request, format output) error {
	assumed := ""
	if !q.has("cell", "chip") {
		q.text["cell"], q.text["overhead"] = fmt.Sprintf("%dB", defaultMemory.Cell), defaultMemory.Overhead.String()
		assumed = "no chip given: cells of Tomahawk 3 assumed"
	}
	var bad []error
	link, memory := q.link(&bad), q.memory(&bad)
	if err := errors.Join(bad...); err != nil {
		return err
	}
	doc := compareJSON{Schema: "cellwarden.headroom-compare/v1", Results: []headroomJSON{}, Refused: []refusedJSON{}}
	s := section{title: "Methods", columns: []string{"method", "frames", "wire bytes", "xon bytes", "xoff bytes",
		"size bytes", "cells", "note"}}
	for _, m := range method.Methods() {
		e, err := q.by(m, link, memory)
		if m == (method.SONiC{}).Method() && !q.ofSONiC() {
			m += " (" + virtualSwitch + ")"
		}
		if err != nil {
			doc.Refused = append(doc.Refused, refusedJSON{m, err.Error()})
			s.row(m, "", number("-"), number("-"), number("-"), number("-"), number("-"), firstLine(err.Error()))
			continue
		}
		doc.Results = append(doc.Results, headroomDocument(e, job{link: link, memory: memory}))
		s.row(m, e.Mix.String(), known(e.Wire), known(e.XON), count(e.XOFF), known(e.Size), count(e.Cells), note(e))
	}
	r := &report{head: []string{job{link: link, memory: memory}.String()}, sections: []section{s}}
	if assumed != "" {
		r.head = append(r.head, assumed)
	}
	return failure(r.write(cmd.OutOrStdout(), format, doc))
}

// by sizes the link by a method, with the parameters that this method has.
func (q request) by(name string, link thresholds.Link, memory thresholds.Memory) (thresholds.Explanation, error) {
	one := request{maps.Clone(q.text), q.flags}
	one.text["method"] = name
	var sizer thresholds.Sizer
	var err error
	if name == (&table.Table{}).Method() {
		if !q.has("table") {
			return thresholds.Explanation{}, errors.New("--table FILE says which")
		}
		sizer, err = one.table()
	} else {
		if name == (method.SONiC{}).Method() && !q.ofSONiC() {
			one.text["chip"] = virtualSwitch
			delete(one.text, "cell")
		}
		sizer, err = method.NewSizer(name, one.text["chip"], one.options(true))
	}
	if err != nil {
		return thresholds.Explanation{}, err
	}
	return sizer.Explain(link, memory)
}

// virtualSwitch is the chip for SONiC's formula if SONiC has no values for the
// link's chip.
const virtualSwitch = "vs"

// ofSONiC tells whether SONiC has values for the request's chip.
func (q request) ofSONiC() bool {
	_, known := method.LookupSONiCChip(q.text["chip"])
	return known
}

// compareJSON is the comparison as a document.
type compareJSON struct {
	Schema  string         `json:"schema"`
	Results []headroomJSON `json:"results"`
	Refused []refusedJSON  `json:"refused"`
}

// refusedJSON is a method that cannot size the link.
type refusedJSON struct {
	Method string `json:"method"`
	Why    string `json:"why"`
}

// known prints a number that a method may not compute.
func known[T ~int64](n T) number {
	if n == 0 {
		return "-"
	}
	return count(n)
}

// note is the first warning, and the number of further ones.
func note(e thresholds.Explanation) string {
	if len(e.Warnings) == 0 {
		return ""
	}
	text := firstLine(e.Warnings[0])
	if more := len(e.Warnings) - 1; more > 0 {
		text += fmt.Sprintf(" (+%d more)", more)
	}
	return text
}

// firstLine shortens a text for the last column of a table.
func firstLine(text string) string {
	text, _, _ = strings.Cut(text, "\n")
	if r := []rune(text); len(r) > 100 {
		return string(r[:99]) + "…"
	}
	return text
}
