package many

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/fabric"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/files"
	"github.com/cellwarden/cellwarden/internal/grouped"
)

// This file compares two fabrics switch by switch, and renders every switch into a folder of its own.

// other is the fabric that a second one is compared with. It has the flags of the first, and is read with them. An
// error of any kind is wrong usage: the second file is an argument.
func (a *asked) other(file string) (*asked, error) {
	b, err := load(a.cmd, []string{file})
	if err == nil && (b == nil || b.only != "") {
		err = cli.ExitWith(cli.ExitUsage, fmt.Errorf("%s is no file of a fabric, and %s is one: want two fabrics, or two "+
			"switches as FABRIC:SWITCH", file, a.Name()))
	}
	if err != nil {
		return nil, err
	}
	b.fresh, b.args, b.way, b.alone = a.fresh, a.args, a.way, a.alone
	return b, nil
}

// pairs are the switches of two fabrics by their names, and the names of those that one of them lacks. both is in the
// order of a, and added in that of b. gone are switches of a alone, in the order of a.
func pairs(a, b *asked) (both [][2]*fabric.Switch, gone, added []string) {
	for _, s := range a.every() {
		if to := b.at[s.Name]; to != nil {
			both = append(both, [2]*fabric.Switch{s, to})
		} else {
			gone = append(gone, s.Name)
		}
	}
	for _, s := range b.every() {
		if a.at[s.Name] == nil {
			added = append(added, s.Name)
		}
	}
	return both, gone, added
}

// diff compares the plans of two fabrics. Pairs of the same kinds are one row. Switches that only one file has are rows
// of their own.
func diff(a *asked) error {
	if len(a.args) != 2 {
		return cli.ExitWith(cli.ExitUsage, errors.New("diff of one fabric (want two, which are compared switch by switch)"))
	}
	b, err := a.other(a.args[1])
	if err != nil {
		return err
	}
	// It is removed when the command ends; plans are no secrets. The two plans of a pair are written over those of the
	// pair before, one pair at a time.
	folder, err := os.MkdirTemp("", "cellwarden-diff")
	if err != nil {
		return cli.Failure(err)
	}
	defer os.RemoveAll(folder)
	both, gone, added := pairs(a, b)
	// Two switches of one kind in each file differ alike. A switch of the second fabric without a topology is of kind -1:
	// compared refuses the first such pair, and its row stands for all.
	var kinds grouped.By[[2]int, row]
	for _, p := range both {
		r := kinds.Of([2]int{p[0].Kind, p[1].Kind})
		if len(r.of) == 0 {
			*r = a.compared(b, p, folder)
		}
		// The switches of a row are those of the second fabric.
		r.of = append(r.of, p[1])
	}
	var rows []row
	for _, r := range kinds.All() {
		rows = append(rows, *r)
	}
	for i, names := range [][]string{gone, added} {
		for _, name := range names {
			rows = append(rows, row{of: []*fabric.Switch{{Name: name}}, code: cli.ExitDrift,
				line: "IN ONE FILE ALONE: " + []*asked{a, b}[i].Name()})
		}
	}
	// The head counts the switches of the rows, which are those of both files. The capacity of 0 makes append take new
	// memory: pairs has given out pointers into the old one.
	a.switches = a.switches[:0:0]
	for i := range rows {
		for _, s := range rows[i].of {
			a.switches = append(a.switches, *s)
		}
	}
	return a.print(rows)
}

// compared is the difference of two switches: that of their plans as JSON. Both plans are written to temporary files,
// because diff reads files; their names are replaced in what it prints. A switch without a topology, and a plan that
// could not be made, are a row with their error and exit code: the other pairs are compared all the same.
func (a *asked) compared(b *asked, p [2]*fabric.Switch, folder string) row {
	// The flags of the command line are those of diff, and the two plans its arguments: the name of the switch, behind the
	// verb, gives way to them.
	words := slices.Delete(a.words(p[0], "output", "all"), 1, 2)
	var back []string // from the temporary files to the switches, which a reader knows
	for i, of := range []*asked{a, b} {
		if err := of.topologies(p[i]); err != nil {
			return row{line: err.Error(), code: cli.CodeOf(err)}
		}
		// A plan that does not fit is compared, too: its JSON has the refusals.
		name := of.member(p[i]).Name
		out, bad, code := of.child(a.cmd.Context(), p[i], []string{"plan", name, "--output=json"})
		if out == "" {
			return row{line: bad, code: code}
		}
		file := filepath.Join(folder, fmt.Sprintf("%d.json", i))
		if err := write(file, out); err != nil {
			return row{line: err.Error(), code: cli.ExitFailure}
		}
		words, back = append(words, file), append(back, file, name)
	}
	// nil: the two plans are files, and belong to no switch of this fabric.
	r := a.answer(a.cmd.Context(), nil, words)
	names := strings.NewReplacer(back...)
	r.line = names.Replace(r.line)
	if r.document != nil {
		r.document = []byte(names.Replace(string(r.document)))
	}
	return r
}

// write writes a temporary file. It replaces what is there, as a whole. The error is that of the disk. apply writes
// the state of a run with it too, which must never be half a file.
func write(file, text string) error {
	// The file gets its name when it is complete.
	set := files.New()
	defer set.Discard()
	out, err := set.Create(file, true)
	if err == nil {
		_, err = out.Write([]byte(text))
	}
	return errors.Join(err, set.Commit())
}

// render renders every switch into a folder of its own. Switches are rendered one by one, because each has its own
// folder, although those of one kind get the same files.
func render(a *asked) error {
	// Standard output has no place for several switches.
	f := a.cmd.Flags().Lookup("dir")
	// There is a switch to name: all has refused a fabric without any.
	if f == nil || !f.Changed {
		return cli.ExitWith(cli.ExitUsage, fmt.Errorf("render of a fabric: want --dir FOLDER, which gets a folder for each "+
			"switch, or one switch, %s:%s", a.Name(), a.switches[0].Name))
	}
	// Each child makes the folder of its switch by itself.
	if err := os.MkdirAll(f.Value.String(), 0o750); err != nil {
		return cli.Failure(err)
	}
	var rows, bad []row
	for _, s := range a.every() {
		// --dir is that of the fabric, and the child gets the folder of its switch below it.
		out, text, code := a.child(a.cmd.Context(), s, append(a.words(s, "dir"), "--dir="+filepath.Join(f.Value.String(),
			s.Name)))
		switch {
		// A switch that cannot be rendered does not stop the others.
		case code != cli.ExitFine:
			bad = append(bad, row{of: []*fabric.Switch{s}, code: code, line: strings.Join(strings.Fields(text+" "+out), " ")})
		// There is one row of all that were rendered, after those that were not.
		case len(rows) == 0:
			rows = []row{{line: "RENDERED: a folder for each in " + f.Value.String()}}
			fallthrough
		default:
			rows[0].of = append(rows[0].of, s)
		}
	}
	return a.print(append(bad, rows...))
}
