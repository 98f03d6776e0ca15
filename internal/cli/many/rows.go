package many

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"github.com/cellwarden/cellwarden/fabric"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/cli/dial"
	"github.com/cellwarden/cellwarden/internal/files"
	"github.com/cellwarden/cellwarden/internal/grouped"
	"github.com/cellwarden/cellwarden/internal/unnamed"
	"github.com/cellwarden/cellwarden/report"
)

// This file answers a question about every switch with a row for each kind: the verb is run for one switch of the kind,
// and its first line, its document and its exit code are those of all.

// row is the answer for switches that are alike. line is empty where there is a document. of has at least one switch.
// code is the exit code of the verb for the first switch of the row.
type row struct {
	of       []*fabric.Switch
	line     string // the first line, or the error
	document json.RawMessage
	code     int
}

// format is the format of -o. A verb without the flag -o prints tables.
func (a *asked) format() string {
	format, _ := a.cmd.Flags().GetString("output")
	return cmp.Or(format, "table")
}

// answers runs the verb for the first switch of each kind, and for each switch that is reached. They are asked in
// parallel; the order is that of the file. Without targets the work is computing, with as many workers as processors;
// with targets it is waiting, with 16. The number of workers changes no byte of the answer.
func (a *asked) answers() ([]row, error) {
	groups, workers := grouped.Lists(a.switches, func(s *fabric.Switch) int { return s.Kind }), runtime.GOMAXPROCS(0)
	if a.reached != nil {
		if err := a.need("target", a.switches...); err != nil {
			return nil, err
		}
		groups, workers = slices.Collect(slices.Chunk(a.switches, 1)), 16
	}
	// It is found once for all switches, because the routes are those of the whole fabric.
	behind, err := a.fanIn()
	if err != nil {
		return nil, err
	}
	var work errgroup.Group
	work.SetLimit(workers)
	rows, ctx := make([]row, len(groups)), a.cmd.Context()
	for i, of := range groups {
		work.Go(func() error {
			set := files.New() // of its own: nothing that one switch is asked about belongs to another
			defer set.Discard()
			// --all is left out because the first line alone is used, --html and --force because rows write no page.
			words := a.words(of[0], "output", "all", "html", "force")
			// The largest number of the switches of a kind is taken, because one answer is for all of them. 0: no routes, or a
			// question that does not need it; no number is passed then.
			most := 0
			for _, s := range of {
				most = max(most, behind[s.Name])
			}
			if most > 0 {
				words = append(words, fmt.Sprintf("--fan-in=%d", most))
			}
			rows[i] = a.answer(context.WithValue(ctx, cli.FilesKey{}, set), words)
			rows[i].of = of
			return ctx.Err()
		})
	}
	if err := work.Wait(); err != nil {
		return nil, cli.Failure(err)
	}
	// In JSON each switch keeps its own document, which no other has. Addresses are all that differs in most answers.
	if a.reached != nil && a.format() != "json" {
		for i := range rows {
			rows[i].line = strings.NewReplacer("gNMI target "+rows[i].of[0].Target, "the switch", rows[i].of[0].Target,
				"the switch").Replace(rows[i].line)
		}
		rows = alike(rows)
	}
	return rows, nil
}

// answer runs a command for one switch. Its output is Markdown, whose first line is the
// verdict without folding, or JSON. An answer without output is an error, and its text the line of the row.
func (a *asked) answer(ctx context.Context, words []string) row {
	format := "md"
	if a.format() == "json" {
		format = "json"
	}
	out, bad, code := a.child(ctx, append(words, "--output="+format))
	switch {
	case out == "":
		return row{code: code, line: strings.Join(strings.Fields(bad), " ")}
	case format == "json":
		return row{code: code, document: json.RawMessage(out)}
	}
	line, _, _ := strings.Cut(out, "\n")
	return row{code: code, line: marked.Replace(strings.TrimRight(line, " "))}
}

// fanIn are the cables of each switch that one of its cables can make pause, for a question about congested cables that
// does not say it itself; nil: another question, or no routes. It comes from the routes of the fabric, which say how
// many cables can send to one.
func (a *asked) fanIn() (map[string]int, error) {
	// Only risk has both flags, and only a question with --congested needs a number. A number that the user gave counts
	// more than the routes.
	asks, says := a.cmd.Flags().Lookup("congested"), a.cmd.Flags().Lookup("fan-in")
	if asks == nil || says == nil || !asks.Changed || says.Changed {
		return nil, nil
	}
	if err := a.Tables(Dumps(a.cmd, a.Name())); err != nil {
		return nil, cli.ExitWith(cli.ExitUsage, err)
	}
	return a.FanIn(), nil
}

// Dumps opens the tables that a fabric names. They are read as they come; below a folder they have the bound of every
// other file. A dump may have any length, so it is not read into memory where files are not confined. The
// caller closes what it opens.
func Dumps(cmd *cobra.Command, file string) func(path string) (io.ReadCloser, error) {
	confined, err := cmd.Flags().GetBool("confine")
	// A fabric from standard input has no folder: the files that it names are confined, unless --confine=false says
	// otherwise.
	if file != "-" && (err != nil || !confined) {
		_, set := cli.FilesOf(cmd)
		return func(path string) (io.ReadCloser, error) { return set.Open(path) }
	}
	read := cli.Beside(cmd, file, false)
	return func(path string) (io.ReadCloser, error) {
		data, err := read(path)
		return io.NopCloser(bytes.NewReader(data)), err
	}
}

// alike joins the rows of switches that say the same. Each switch was asked by itself, and their answers are folded
// afterwards.
func alike(rows []row) (out []row) {
	for _, like := range grouped.Lists(rows, func(r row) any { return [2]any{r.line, r.code} }) {
		r := like[0]
		for _, other := range like[1:] {
			r.of = append(r.of, other.of...)
		}
		out = append(out, r)
	}
	return out
}

// marked are the characters that Markdown has escaped. A verdict is printed as text here.
var marked = strings.NewReplacer("&amp;", "&", "&lt;", "<", `\[`, "[", `\]`, "]", "\\`", "`", `\*`, "*")

// names are the switches of a row.
func (r *row) names() []string {
	return grouped.Each(r.of, func(s *fabric.Switch) string { return s.Name })
}

// topologies are the files of the switches of a row. Switches whose answers are alike may have several.
func (r *row) topologies() string {
	var out []string
	for _, s := range r.of {
		out = grouped.Add(out, s.Topology)
	}
	return cli.Dash(strings.Join(out, ", "))
}

// Verdict is what the first line of a verb's answer claims: what is before its numbers. It is what rows are counted by
// in the first line: two kinds that fit with other numbers both FIT. reached has the verdicts of a verb that asks
// switches, by exit code.
func Verdict(reached map[int]string, first string, code int) string {
	line := first
	if reached != nil {
		line = cmp.Or(reached[code], "FAILED")
		switch {
		case code == cli.ExitFine && strings.Contains(first, "nothing was compared"):
			line = "NOTHING COMPARED"
		case code == cli.ExitFine && strings.Contains(first, " not compared"):
			line += " AS FAR AS COMPARED"
		}
	}
	// The error is in the row.
	if code == cli.ExitUsage {
		line = "BAD INPUT"
	}
	// The verdict ends where the numbers begin. The cuts follow each other, so what is left ends at the first of the
	// three marks.
	for _, end := range []string{": ", ", ", " ("} {
		line, _, _ = strings.Cut(line, end)
	}
	return line
}

// print prints the rows, and ends the command with the exit code of the worst. The last line names a switch of the
// worst row, with the command that prints all of it.
func (a *asked) print(rows []row) error {
	worst := worst(rows)
	code := worst.code
	screen := &cli.Screen{Head: []string{a.headline(rows)}, Mood: cli.MoodOf(code == cli.ExitFine),
		Sections: []cli.Section{tableOf(rows, "", strings.Clone)}}
	// The rows of diff are of pairs, and those of render of folders: there is no such line for them.
	if a.run == nil || a.cmd.Name() == "plan" {
		screen.Foot = []string{fmt.Sprintf("next      cellwarden %s %s:%s prints one of them whole", a.cmd.Name(), a.Name(),
			worst.of[0].Name)}
	}
	if all := a.cmd.Flags().Lookup("all"); all == nil || !all.Changed {
		screen.Brief(18, "switches")
	}
	return screen.Print(a.cmd, cli.Output{Format: a.format()}, a.document(rows, code), code)
}

// tableOf is the table of rows. shown prints the names of topologies.
func tableOf(rows []row, title string, shown func(string) string) cli.Section {
	s := cli.Table("switches", title, "switches", "number", "topology", "exit", "answer")
	for i := range rows {
		r := &rows[i]
		s.Row(fold(r.names()), cli.Count(len(r.of)), shown(r.topologies()), cli.Count(r.code), r.line)
	}
	return s
}

// worst is the worst of rows, by exit code. The order of gravity is that of many switches in dial: 7, a state that is
// not known, is worse than 8.
func worst(rows []row) *row {
	r := slices.MinFunc(rows, func(x, y row) int { return cmp.Compare(dial.Gravity(x.code), dial.Gravity(y.code)) })
	return &r
}

// headline says what was answered of how many switches, what is worst first. Switches are counted, and not rows: a
// kind may have a hundred of them. Groups are by verdict and code together: two codes with one word stay apart.
func (a *asked) headline(rows []row) string {
	type group struct {
		verdict string
		code    int
	}
	var groups grouped.By[group, []string]
	for i := range rows {
		names := groups.Of(group{Verdict(a.reached, rows[i].line, rows[i].code), rows[i].code})
		*names = append(*names, rows[i].names()...)
	}
	// The number of kinds says how many answers that was. With each, every switch was asked, and a number of kinds would
	// mean nothing.
	if len(groups.Keys) == 1 {
		of := ""
		if a.reached == nil {
			of = ", of " + cli.Plural(len(rows), "kind", "kinds")
		}
		return groups.Keys[0].verdict + " on all " + cli.Plural(len(a.switches), "switch", "switches") + of
	}
	// What is worst comes first, and what is in order last.
	slices.SortStableFunc(groups.Keys, func(x, y group) int {
		return cmp.Compare(dial.Gravity(x.code), dial.Gravity(y.code))
	})
	var parts []string
	for g, names := range groups.All() {
		parts = append(parts, fmt.Sprintf("%s on %d of %d switches (%s)", g.verdict, len(*names), len(a.switches),
			fold(*names)))
	}
	return strings.Join(parts, "; ")
}

// document is the answer as JSON. Each row has the document of its verb, so a client decodes what it knows. The exit
// code of the document is the worst of the rows, with which the command ends.
func (a *asked) document(rows []row, code int) report.FabricRowsDocument {
	d := report.FabricRowsDocument{Schema: report.Schema("fabric-rows"), Verb: a.cmd.Name(), File: a.Name(),
		Switches: len(a.switches), Cables: len(a.cables), ExitCode: code}
	for i := range rows {
		r, to := &rows[i], unnamed.Add(&d.Rows)
		to.Switches, to.Topology, to.ExitCode, to.Error, to.Answer = r.names(), r.topologies(), r.code, r.line, r.document
	}
	return d
}
