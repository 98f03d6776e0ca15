package main

import (
	"io"
	"slices"

	"github.com/cellwarden/cellwarden/report/page"
)

// writeHTML prints the report as a whole page: the first line as its title and
// heading, the other lines as paragraphs. It looks as the pages with pictures do.
func (r *report) writeHTML(w io.Writer) error {
	p := page.Tables{Title: "cellwarden", Foot: withText(r.foot), Tables: pageTables(r.sections)}
	if len(r.head) > 0 {
		p.Title, p.Head = r.head[0], withText(r.head[1:])
	}
	return p.Write(w)
}

// withText returns the lines that are not empty: these separate nothing on a page.
func withText(lines []string) []string {
	return slices.DeleteFunc(slices.Clone(lines), func(l string) bool { return l == "" })
}
