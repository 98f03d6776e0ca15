package topology

import (
	"strings"
	"unicode"

	"github.com/cellwarden/cellwarden/buffer"
)

// Comments are the lines of comment of a topology that is written: where its values come from. They are above what
// they are about.
type Comments struct {
	// ChipFile is the name of the file of a chip that is not of the catalogue, so that several topologies of a folder
	// have each their own; empty: chip.json.
	ChipFile string
	Head     []string // above everything
	// Path has comments by the path of what they are about: chip, headroom, headroom.rows[0], pool, egress_pools[0],
	// classes[0], dscp, ports.
	Path map[string][]string
	// Ports returns the comments of an entry of ports, or nil.
	Ports func(ports []buffer.Port) []string
}

// commentWidth is the longest line of a comment, as far as its words allow.
const commentWidth = 118

// comment writes lines of comment. Their text may be that of other files: a character that is not printed is shown as
// a question mark, so that no comment ends before its line does.
func (w *writer) comment(indent string, lines []string) {
	for _, line := range lines {
		// A line break of another file's text would end the comment, and what follows would be read as YAML.
		line = strings.Map(func(r rune) rune {
			if !unicode.IsPrint(r) {
				return '?'
			}
			return r
		}, strings.ToValidUTF8(line, "?"))
		for n, part := range wrapped(line, commentWidth-len(indent)) {
			// Two blanks tell the rest of a wrapped line from a line of its own.
			if n > 0 {
				part = "  " + part
			}
			w.out.WriteString(indent + strings.TrimRight("# "+part, " ") + "\n")
		}
	}
}

// wrapped splits a line at blanks, into parts of at most width bytes where its words allow that. Bytes are counted
// and not columns, so a line with letters beyond ASCII is a little shorter than it could be.
func wrapped(line string, width int) []string {
	var out []string
	for len(line) > width {
		cut := strings.LastIndexByte(line[:width], ' ')
		// A word that is longer than the line stays whole: it may be a path or a command to copy.
		if cut <= 0 {
			if cut = strings.IndexByte(line, ' '); cut <= 0 {
				break
			}
		}
		out, line = append(out, line[:cut]), line[cut+1:]
	}
	return append(out, line)
}
