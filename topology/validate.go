package topology

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/document"
)

// validate adds what is wrong with the intent as a whole, each complaint at
// its line. What the reader has refused already is not refused again for being
// empty.
func (r *reader) validate(in *buffer.Intent) {
	var invalid *buffer.InvalidError
	if !errors.As(in.Validate(), &invalid) {
		return
	}
	refused := r.Refused
	chip := near(refused, "chip") || slices.ContainsFunc(invalid.Complaints, func(c buffer.Complaint) bool { return near([]string{c.Path}, "chip") })
	for _, c := range invalid.Complaints {
		path, shown := r.locate(in, c.Path)
		if !near(refused, path) && !(chip && dependsOnChip(path)) {
			r.Complain(r.lineOf(path), shown, c.Value, c.Accepted)
		}
	}
}

// locate returns where in the file a complaint's path stands, and how to show
// it. Ports were expanded from entries; all ports of an entry share what is
// wrong with it, but a name is one port's own.
func (r *reader) locate(in *buffer.Intent, path string) (where, shown string) {
	var port int
	var key string
	if n, _ := fmt.Sscanf(path, "ports[%d].%s", &port, &key); n != 2 {
		return path, path
	}
	where = r.entry[port] + "." + key
	if key == "name" {
		return where, "port " + in.Ports[port].Name
	}
	return where, where
}

// lineOf returns the line of a path, or of the nearest thing around it.
func (r *reader) lineOf(path string) int {
	for p := path; p != ""; p = p[:max(0, strings.LastIndexAny(p, ".["))] {
		if line, ok := r.Lines[p]; ok {
			return line
		}
	}
	return 1
}

// near tells whether one of the refused paths is path, around it or within it.
func near(refused []string, path string) bool {
	within := func(a, b string) bool {
		return a == b || b == document.Whole || strings.HasPrefix(a, b+".") || strings.HasPrefix(a, b+"[")
	}
	for _, r := range refused {
		if within(path, r) || within(r, path) {
			return true
		}
	}
	return false
}

// dependsOnChip tells whether a complaint is about what the chip allows.
func dependsOnChip(path string) bool {
	for _, end := range []string{".alpha", ".static_limit", ".queue_alpha", ".pipe", ".priorities"} {
		if strings.HasSuffix(path, end) {
			return true
		}
	}
	return false
}
