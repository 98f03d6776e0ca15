package many

import (
	"bytes"
	"fmt"
	"html/template"
	"path/filepath"

	"github.com/cellwarden/cellwarden/fabric"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/cli/drawn"
	"github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/report/page"
)

// This file writes the page of a fabric: the picture with what pauses, and the rows of plan and of link.

// plan plans every switch. With -o html the answer is a page with a picture of the fabric. Without a page it prints the
// rows of all kinds.
func plan(a *asked) error {
	// --html means a page, as for one switch. nil: the verb has no page. Its value is the path of the page, with "-" for
	// standard output.
	to := a.cmd.Flags().Lookup("html")
	if to == nil || !to.Changed && a.format() != "html" {
		return a.rowsOf(a.kinds())
	}
	rows, err := a.answers(a.kinds())
	if err != nil {
		return err
	}
	// A page is good only if all switches fit.
	code := worst(rows)
	p := &page.Tables{Title: a.headline(rows), Tone: map[bool]string{true: "good", false: "bad"}[code == cli.ExitFine]}
	// Without a picture the page has its tables, and says why. An error is one of the routes or of their tables, which
	// the user has to mend; a picture that would be too full is none.
	svg, what, err := a.picture()
	if err != nil {
		return err
	}
	if svg != nil {
		p.Picture = template.HTML(svg.SVG()) // package picture escapes its texts
	}
	// The page goes to other people, so that these names have no folders.
	p.Head = append([]string{fmt.Sprintf("fabric    %s: %s, %s", filepath.Base(a.Name()), cli.Plural(len(a.switches), "switch",
		"switches"), cli.Plural(len(a.cables), "cable", "cables"))}, what...)
	sections := []cli.Section{tableOf(rows, "Switches", filepath.Base)}
	// Cables are compared only where all switches fit: others have no plans to compare.
	if code == cli.ExitFine {
		wires, _, _, err := a.wires(true)
		if err != nil {
			return err
		}
		// The findings of link are a second table, and its first line one of the head.
		results, doc := a.compareAll(wires)
		p.Head = append(p.Head, "cables    "+linkHead(&doc, wires, results))
		if f := a.foldedFindings(wires, results); len(f.Rows) > 0 {
			sections = append(sections, f)
		}
	}
	p.Tables = cli.PageTables(sections)
	return a.store(p, to.Value.String(), code)
}

// store writes the page to a file, or to standard output. The exit code is that of the plans, also when the page was
// written. The reason for another code than 0 is on the page, so no line is printed for it.
func (a *asked) store(p *page.Tables, to string, code int) error {
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		return cli.Failure(err)
	}
	if err := cli.Store(a.cmd, to, b.Bytes()); err != nil {
		return cli.Failure(err)
	}
	if code != cli.ExitFine {
		return cli.Silent(code)
	}
	return nil
}

// pausing finds what to show of pauses; nil without routes. The first host of the file stands for a host that takes
// no more frames. The lines are for the head of the page. An error is wrong usage where a table cannot be read.
func (a *asked) pausing(hosts []fabric.Port) (*drawn.Pauses, []string, error) {
	if !a.Routed() {
		return nil, []string{"pauses    the file has no routes: not shown"}, nil
	}
	// Routes can be those of dumps that the file names.
	if err := a.Tables(Dumps(a.cmd, a.Name())); err != nil {
		return nil, nil, cli.ExitWith(cli.ExitUsage, err)
	}
	// It needs the tables: without them the routes would be those of the file alone.
	doc, err := a.Deadlock(a.cmd.Context())
	if err != nil {
		return nil, nil, cli.Failure(err)
	}
	// One circle is drawn, that of the first priority that has one.
	for i := range doc.Priorities {
		if cycle := doc.Priorities[i].Cycle; len(cycle) > 0 {
			return &drawn.Pauses{Circle: true, Levels: [][]report.FabricHop{cycle}}, []string{fmt.Sprintf("pauses    CAN LOCK: "+
				"priority %d in a circle of %d channels, drawn in red", doc.Priorities[i].Priority, len(cycle))}, nil
		}
	}
	if len(hosts) == 0 {
		return nil, []string{"pauses    NO CYCLE on these routes"}, nil
	}
	// A host is taken as an example; fabric pauses answers for any.
	host := hosts[0].Node
	// Level 0 has the channels to the host itself, and each further one those that can wait for the one before.
	levels, err := a.Spread(host)
	if err != nil || len(levels) == 0 {
		return nil, []string{"pauses    NO CYCLE on these routes; no frame goes to " + host}, err
	}
	// n is the number of channels that can stop in all.
	n := 0
	for _, l := range levels {
		n += len(l)
	}
	return &drawn.Pauses{Host: host, Levels: levels}, []string{fmt.Sprintf("pauses    NO CYCLE on these routes. If %s pauses for "+
		"ever, %s can stop, in %d steps at most: the first two are red", host, cli.Plural(n, "channel", "channels"),
		len(levels)-1)}, nil
}
