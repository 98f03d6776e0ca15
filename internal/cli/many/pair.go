package many

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/fabric"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/cli/dial"
	"github.com/cellwarden/cellwarden/internal/grouped"
)

// This file compares two fabrics switch by switch, and renders every switch into a folder of its own.

// other is the fabric that a second one is compared with. It has the flags of the first, and is read with them. An
// error of any kind is wrong usage: the second file is an argument.
func (a *asked) other(file string) (*asked, error) {
	b, err := load(a.cmd, []string{file})
	if err == nil && (b == nil || b.only != "") {
		err = fmt.Errorf("%s is no file of a fabric, and %s is one: want two fabrics, or two switches as FABRIC:SWITCH", file,
			a.Name())
	}
	return b, err
}

// pairs are the switches of two fabrics by their names, and the names of those that one of them lacks. both is in the
// order of a, and added in that of b. gone are switches of a alone, in the order of a.
func pairs(a, b *asked) (both [][2]*fabric.Switch, gone, added []string) {
	for _, s := range a.switches {
		if to := b.at[s.Name]; to != nil {
			both = append(both, [2]*fabric.Switch{s, to})
		} else {
			gone = append(gone, s.Name)
		}
	}
	for _, s := range b.switches {
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
		return cli.BadUsage("diff of one fabric (want two, which are compared switch by switch)")
	}
	b, err := a.other(a.args[1])
	if err != nil {
		return err
	}
	both, gone, added := pairs(a, b)
	var rows []row
	// Two switches of one kind in each file differ alike. A switch of the second fabric without a topology is of kind -1:
	// compared refuses the first such pair, and its row stands for all.
	for _, like := range grouped.Lists(both, func(p [2]*fabric.Switch) any { return [2]int{p[0].Kind, p[1].Kind} }) {
		r := a.compared(b, like[0])
		// The switches of a row are those of the second fabric.
		for _, p := range like {
			r.of = append(r.of, p[1])
		}
		rows = append(rows, r)
	}
	for i, names := range [][]string{gone, added} {
		for _, name := range names {
			rows = append(rows, row{of: []*fabric.Switch{{Name: name}}, code: cli.ExitDrift,
				line: "IN ONE FILE ALONE: " + []*asked{a, b}[i].Name()})
		}
	}
	// The head counts the switches of the rows, which are those of both files.
	a.switches = nil
	for i := range rows {
		a.switches = append(a.switches, rows[i].of...)
	}
	return a.print(rows)
}

// compared is the difference of two switches, each with the name FABRIC:SWITCH. A switch without a topology is a row
// with its error and exit code: the other pairs are compared all the same.
func (a *asked) compared(b *asked, p [2]*fabric.Switch) row {
	if err := b.need("topology", p[1]); err != nil {
		return row{line: err.Error(), code: cli.CodeOf(err)}
	}
	return a.answer(a.cmd.Context(), append(a.words(p[0], "output", "all"), b.member(p[1]).Name))
}

// render renders every switch into a folder of its own. Switches are rendered one by one, because each has its own
// folder, although those of one kind get the same files.
func render(a *asked) error {
	// Standard output has no place for several switches.
	f := a.cmd.Flags().Lookup("dir")
	// There is a switch to name: all has refused a fabric without any.
	if f == nil || !f.Changed {
		return cli.BadUsage("render of a fabric: want --dir FOLDER, which gets a folder for each "+
			"switch, or one switch, %s:%s", a.Name(), a.switches[0].Name)
	}
	// Each child makes the folder of its switch by itself.
	if err := os.MkdirAll(f.Value.String(), 0o750); err != nil {
		return cli.Failure(err)
	}
	var rows []row
	for _, s := range a.switches {
		// --dir is that of the fabric, and the child gets the folder of its switch below it.
		out, text, code := a.child(a.cmd.Context(), append(a.words(s, "dir"), "--dir="+filepath.Join(f.Value.String(),
			s.Name)))
		r := row{of: []*fabric.Switch{s}, code: code, line: "RENDERED: a folder for each in " + f.Value.String()}
		// A switch that cannot be rendered does not stop the others.
		if code != cli.ExitFine {
			r.line = strings.Join(strings.Fields(text+" "+out), " ")
		}
		rows = append(rows, r)
	}
	// There is one row of all that were rendered, after those that were not.
	rows = alike(rows)
	slices.SortStableFunc(rows, func(x, y row) int { return cmp.Compare(dial.Gravity(x.code), dial.Gravity(y.code)) })
	return a.print(rows)
}
