package many

import (
	"bytes"
	"fmt"
	"html/template"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/fabric"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/cli/drawn"
	"github.com/cellwarden/cellwarden/internal/picture"
	"github.com/cellwarden/cellwarden/report"
)

// This file writes the page of a fabric: the picture with what pauses, and the rows of plan and of link.

// plan plans every switch, and prints the rows of all kinds. With -o html or --html the answer is a page with a picture
// of the fabric.
func plan(a *asked) error {
	rows, err := a.answers()
	if err != nil {
		return err
	}
	// --html means a page, as for one switch. Its value is the path of the page, with "-" for standard output.
	to := a.cmd.Flags().Lookup("html")
	if !to.Changed && a.format() != "html" {
		return a.print(rows)
	}
	// Without a picture the page has its tables, and says why. An error is one of the routes or of their tables, which
	// the user has to mend; a picture that would be too full is none.
	svg, what, err := a.picture()
	if err != nil {
		return err
	}
	// A page is good only if all switches fit. It goes to other people, so that its names have no folders.
	code := worst(rows).code
	s := &cli.Screen{Mood: cli.MoodOf(code == cli.ExitFine), Head: append([]string{a.headline(rows),
		fmt.Sprintf("fabric    %s: %s, %s", filepath.Base(a.Name()), cli.Plural(len(a.switches), "switch", "switches"),
			cli.Plural(len(a.cables), "cable", "cables"))}, what...),
		Sections: []cli.Section{tableOf(rows, "Switches", filepath.Base)}}
	if svg != nil {
		s.Picture = template.HTML(svg.SVG()) // package picture escapes its texts
	}
	// Cables are compared only where all switches fit: others have no plans to compare.
	if code == cli.ExitFine {
		linked, _, _, err := a.linked()
		if err != nil {
			return err
		}
		// The findings of link are a second table, and its first line one of the head.
		s.Head = append(s.Head, "cables    "+linked.Head[0])
		s.Sections = append(s.Sections, linked.Sections...)
	}
	var b bytes.Buffer
	if err = s.Write(&b, cli.Output{Format: "html"}, nil); err == nil {
		err = cli.Store(a.cmd, to.Value.String(), b.Bytes())
	}
	// The exit code is that of the plans, also when the page was written. The reason for another code than 0 is on the
	// page, so no line is printed for it.
	return cli.Ended(err, code)
}

// Picture draws a fabric as the page of plan does, and says what it shows of pauses; nil if it would be a grey area.
func Picture(cmd *cobra.Command, f *fabric.File) (*picture.Picture, []string, error) {
	a, err := askedOf(cmd, f, nil, "")
	if err != nil {
		return nil, nil, err
	}
	return a.picture()
}

// picture draws the fabric; nil if it would be a grey area. The lines say what it shows of pauses. The picture shows
// the fabric also where no pauses can be shown. An error says that the routes could not be followed.
func (a *asked) picture() (*picture.Picture, []string, error) {
	shown, text, err := a.pausing()
	if err != nil {
		return nil, nil, err
	}
	what, p := []string{text}, drawn.Fabric(a.switches, a.cables, shown)
	if p == nil {
		what = append(what, fmt.Sprintf("picture   not drawn: %s and %s would be a grey area (at most %d of a tier, and %d)",
			cli.Plural(len(a.switches), "switch", "switches"), cli.Plural(len(a.cables), "cable", "cables"), drawn.MostSwitches,
			drawn.MostCables))
	}
	return p, what, nil
}

// pausing finds what to show of pauses; nothing without routes. The first host of the file stands for a host that takes
// no more frames. The line is for the head of the page. An error is wrong usage where a table cannot be read.
func (a *asked) pausing() (p drawn.Pauses, text string, err error) {
	if !a.Routed() {
		return p, "pauses    the file has no routes: not shown", nil
	}
	// Routes can be those of dumps that the file names.
	if err := a.Tables(Dumps(a.cmd, a.Name())); err != nil {
		return p, "", cli.ExitWith(cli.ExitUsage, err)
	}
	// It needs the tables: without them the routes would be those of the file alone.
	doc, err := a.Deadlock(a.cmd.Context())
	if err != nil {
		return p, "", cli.Failure(err)
	}
	// One circle is drawn, that of the first priority that has one.
	if p := doc.Circle(); p != nil {
		return drawn.Pauses{Circle: true, Levels: [][]report.FabricHop{p.Cycle}}, fmt.Sprintf("pauses    CAN LOCK: "+
			"priority %d in a circle of %d channels, drawn in red", p.Priority, len(p.Cycle)), nil
	}
	// A host is taken as an example; fabric pauses answers for any.
	at := slices.IndexFunc(a.cables, func(c fabric.Cable) bool { return c.A.Host || c.B.Host })
	if at < 0 {
		return p, "pauses    NO CYCLE on these routes", nil
	}
	host := a.cables[at].A
	if !host.Host {
		host = a.cables[at].B
	}
	// Level 0 has the channels to the host itself, and each further one those that can wait for the one before.
	levels, err := a.Spread(host.Node)
	if err != nil || len(levels) == 0 {
		return p, "pauses    NO CYCLE on these routes; no frame goes to " + host.Node, err
	}
	return drawn.Pauses{Host: host.Node, Levels: levels}, fmt.Sprintf("pauses    NO CYCLE on these routes. If %s pauses for "+
		"ever, %s can stop, in %d steps at most: the first two are red", host.Node,
		cli.Plural(len(slices.Concat(levels...)), "channel", "channels"), len(levels)-1), nil
}
