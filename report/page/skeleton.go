package page

import (
	"embed"
	"html/template"
	"io"
	"strings"
	"sync"

	"github.com/cellwarden/cellwarden/internal/picture"
)

//go:embed *.html
var texts embed.FS

//go:embed page.css
var style string

// templates has a template for each kind of page, between "open" and "close", and "answer", the contents of a plan's.
var templates = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(functions).ParseFS(texts, "*.html"))
})

var functions = template.FuncMap{
	// A short text is not broken, for example behind the hyphen of Ethernet1-4.
	"short":  func(text string) bool { return len(text) <= 24 && strings.ContainsAny(text, "-/") },
	"right":  right,
	"long":   func(t Table) bool { return t.long() },
	"label":  func(t Table, column int) string { return t.label(column) },
	"blocks": blocks,
	"join":   func(texts []string) string { return strings.Join(texts, ", ") },
	"beside": func(t Table, row, column int) *beside { return t.beside(row, column) },
}

// skeleton is a page for its template: what is before the contents, and the contents.
type skeleton struct {
	Title string
	Style template.CSS
	Page  any
}

// write writes a page that is one file, which loads nothing.
func write(w io.Writer, kind, title string, contents any) error {
	return templates().ExecuteTemplate(w, kind, skeleton{Title: title, Style: template.CSS(Style()), Page: contents})
}

// Style is the style sheet of all pages, for a page of the caller's.
func Style() string { return picture.Style() + style }
