package devicetree

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"path"
	"strings"

	"github.com/cellwarden/cellwarden/audit"
	"github.com/cellwarden/cellwarden/finding"
	"github.com/cellwarden/cellwarden/internal/once"
	"github.com/cellwarden/cellwarden/unit"
)

// sizeIncludes is the one thing that a comment can say: whether the size of a pool includes its xoff.
const sizeIncludes = "size-includes-headroom"

// commentForm is a comment of a template to this audit: {#- cellwarden: size-includes-headroom=true #}.
var commentForm = once.Pattern(`\{#-?\s*cellwarden:([^#]*)#\}`)

// mostComments are those that are read of a file.
const mostComments = 8

// said is what a comment says, and where it stands.
type said struct {
	at   finding.Place
	text string
}

// comments are those of the templates of the buffers of a folder. What cannot be read is told where it is rendered.
func comments(ctx context.Context, tree *Tree, folder string) (out []said) {
	entries, _ := tree.root.List(folder)
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), "buffers") || path.Ext(e.Name()) != ".j2" {
			continue
		}
		at := path.Join(folder, e.Name())
		data, _ := tree.Read(ctx, at)
		for _, found := range commentForm().FindAllSubmatchIndex(data, mostComments) {
			text := strings.TrimRight(string(data[found[2]:found[3]]), "- \t\r\n")
			line := 1 + bytes.Count(data[:found[0]], []byte("\n"))
			out = append(out, said{finding.Place{File: at, Line: line}, strings.TrimSpace(text)})
		}
	}
	return out
}

// sizesSaid is what the comments of a folder say of its sizes. No file of SONiC says it, so that an audit infers
// it from the chip; who wrote the sizes knows. A comment against what packet counts say of the chip does not hold: it
// would hide a pool that is too large.
func (f *folder) sizesSaid(ctx context.Context, tree *Tree) (out unit.Optional[bool]) {
	separate := f.Chip.Known() && !(&audit.Result{Source: audit.Source{Chip: f.Chip}}).PoolIncludes()
	first := said{}
	for _, s := range comments(ctx, tree, cmp.Or(f.Folder.Above, f.Folder.Path)) {
		includes := s.text == sizeIncludes+"=true"
		why := ""
		switch {
		case !includes && s.text != sizeIncludes+"=false":
			why = "is not understood"
		case first.text != "" && s.text != first.text:
			why = fmt.Sprintf("contradicts line %d of %s", first.at.Line, path.Base(first.at.File))
			out = unit.Optional[bool]{}
		case includes && separate:
			why = "is not so on " + f.Chip.Name + ": size and xoff are two parts there (packet counts of sonic-mgmt, SONiC's " +
				"own sums)"
		case first.text == "":
			first, out = s, unit.Given(includes)
		}
		if why != "" {
			f.add(audit.Codes().New("comment-refused", s.at, "cellwarden", fmt.Sprintf("%.80q %s", s.text, why)))
		}
	}
	return out
}
