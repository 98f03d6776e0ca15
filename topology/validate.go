package topology

import (
	_ "embed" // the schema
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/document"
	"github.com/cellwarden/cellwarden/thresholds"
)

// validate adds what is wrong with the intent as a whole, each complaint at its line. A value that the reader has
// refused is zero in the intent: that the intent's Validate refuses the zero is no news and is left out. So is what
// depends on a chip that was refused. It keeps the rule that one mistake has one complaint: a reader who mends the
// first line need not find out that the next five were its consequences.
func (r *reader) validate(in *buffer.Intent) {
	var invalid *buffer.InvalidError
	// Ports are sized only where all else was accepted: the cause of most ports that cannot be sized is a value that
	// has its complaint already.
	if !errors.As(in.Validate(), &invalid) {
		if r.Total() == 0 {
			r.size(in)
		}
		return
	}
	refused := r.Refused
	// A chip that was refused is empty: it allows no alpha and has no pipes, and every class would be refused for
	// that.
	chip := near(refused, "chip")
	for _, c := range invalid.Complaints {
		chip = chip || near([]string{c.Path}, "chip")
	}
	for _, c := range invalid.Complaints {
		path, shown := r.locate(in, c.Path)
		noGroups := strings.HasSuffix(path, ".ets_group") && near(refused, "ets")
		if !near(refused, path) && !(chip && dependsOnChip(path)) && !noGroups {
			r.Complain(r.lineOf(path), shown, c.Value, c.Accepted)
		}
	}
}

// size complains about ports that cannot be sized, once for each entry, at its line. Ports of one kind need the same
// headroom, so the first of them stands for all. An entry of the file is several here where the file of a fabric gives
// its ports other cables.
func (r *reader) size(in *buffer.Intent) {
	if !r.validateFrames(in) {
		return // each port would complain once more
	}
	sized := map[buffer.Port]bool{} // of each kind of port, without name and pipe: one that can be sized is sized once
	var last buffer.Port            // the kind that was sized last: most entries are as the one before
	refused := ""                   // the last entry that has its complaint
	for i := range r.entries {
		e := &r.entries[i]
		if e.Count == 0 || e.Path == refused {
			continue
		}
		kind := in.Ports[e.First]
		if kind.Name, kind.Pipe = "", nil; kind == last || sized[kind] {
			continue
		}
		sized[kind], last = true, kind
		if err := in.CheckPort(e.First); err != nil {
			sized[kind], last = false, buffer.Port{} // the complaint names the port
			refused = e.Path
			r.Fail(r.lineOf(e.Path), e.Path, err.Error())
		}
	}
}

// validateFrames refuses frames that fill the headroom and are longer than a lossless class can send: shorter ones take
// more cells. It returns false then. For a class without an mtu the ports decide, and size complains of them.
func (r *reader) validateFrames(in *buffer.Intent) (ok bool) {
	m, framed := in.Sizing.(thresholds.Framed)
	if !framed {
		return true
	}
	ok = true
	for _, c := range in.Classes {
		if longest := m.LongestFrame(); c.Lossless && c.MTU > 0 && longest > c.MTU {
			ok = false
			r.Complain(r.lineOf("headroom.frame"), "headroom.frame", longest.String(),
				fmt.Sprintf("at most the %v that frames of class %q have; shorter frames take more cells", c.MTU, c.Name))
		}
	}
	return ok
}

// locate returns the path in the file for a path in the intent, and how to show it. The intent has a port for each name
// of a range: what is wrong with one of them is wrong with the entry, and is shown as the entry's, once. Only a name is
// the port's own.
func (r *reader) locate(in *buffer.Intent, path string) (where, shown string) {
	// The intent has one word for groups, and the file has the word of its standard.
	if rest, of := strings.CutPrefix(path, "ets.groups"); of {
		path = "ets." + r.etsKey + rest
		return path, path
	}
	var port int
	var key string
	if n, _ := fmt.Sscanf(path, "ports[%d].%s", &port, &key); n != 2 {
		return path, path
	}
	at := slices.IndexFunc(r.entries, func(e Entry) bool { return port < e.First+e.Count })
	where = r.entries[at].Path + "." + key
	if key == "name" {
		return where, "port " + in.Ports[port].Name
	}
	return where, where
}

// lineOf returns the line of a path. A path that is not in the file, such as a key that is missing, has the line of
// the value that would contain it.
func (r *reader) lineOf(path string) int {
	for p := path; p != ""; p = p[:max(0, strings.LastIndexAny(p, ".["))] {
		if line, ok := r.Line(p); ok {
			return line
		}
	}
	return 1
}

// near tells whether one of the refused paths is the path, or around it, or within it.
func near(refused []string, path string) bool {
	// A path ends at a dot or a bracket: ports[1] is not around ports[10].
	within := func(a, b string) bool {
		return a == b || b == document.Whole || strings.HasPrefix(a, b+".") || strings.HasPrefix(a, b+"[")
	}
	return slices.ContainsFunc(refused, func(r string) bool { return within(path, r) || within(r, path) })
}

// dependsOnChip tells whether the chip decides what is accepted at a path. The list is of the ends of paths, because
// a class is a number in them.
func dependsOnChip(path string) bool {
	ends := []string{".alpha", ".static_limit", ".queue_alpha", ".pipe", ".priorities"}
	return slices.ContainsFunc(ends, func(end string) bool { return strings.HasSuffix(path, end) })
}

//go:embed topology.schema.json
var schema []byte

// Schema returns the JSON Schema of topology files, for editors: they complete keys by it and mark what is not
// accepted. [Read] checks more than a schema can say.
func Schema() []byte { return append([]byte(nil), schema...) }
