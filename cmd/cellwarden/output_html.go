package main

import (
	"html"
	"io"
	"strings"
)

// pageStyle is the style sheet of a report as a page.
const pageStyle = `body { font: 15px/1.4 system-ui, sans-serif; margin: 2rem auto; max-width: 90rem; padding: 0 1rem; }
h1 { font-size: 1.4rem; }
h2 { font-size: 1.1rem; margin: 1.6rem 0 .4rem; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { border-bottom: 1px solid #ddd; padding: .2rem .8rem .2rem 0; text-align: left; }
tfoot td { border-top: 2px solid #999; }
p { margin: .2rem 0; white-space: pre-wrap; }
`

// writeHTML prints the report as a whole page: the first line as its title and
// heading, the other lines as paragraphs.
func (r *report) writeHTML(w io.Writer) error {
	title, head := "cellwarden", r.head
	if len(head) > 0 {
		title, head = head[0], head[1:]
	}
	var b strings.Builder
	b.WriteString("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>" +
		html.EscapeString(title) + "</title>\n<style>\n" + pageStyle + "</style>\n</head>\n<body>\n")
	if len(r.head) > 0 {
		b.WriteString("<h1>" + html.EscapeString(title) + "</h1>\n")
	}
	paragraphs(&b, head)
	for _, s := range r.sections {
		b.WriteString("<h2>" + html.EscapeString(s.title) + "</h2>\n" + s.table().RenderHTML() + "\n")
	}
	paragraphs(&b, r.foot)
	b.WriteString("</body>\n</html>\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// paragraphs writes each line as a paragraph; empty lines separate nothing here.
func paragraphs(b *strings.Builder, lines []string) {
	for _, l := range lines {
		if l != "" {
			b.WriteString("<p>" + html.EscapeString(l) + "</p>\n")
		}
	}
}
