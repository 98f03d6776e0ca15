package audit

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/finding"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/revision"
	"github.com/cellwarden/cellwarden/thresholds/table"
)

// This file audits headroom tables by themselves: the files that are named, and those below folders without
// configurations. A suspect row need not be wrong, because the tables do not state their assumptions.

// tableName is SONiC's name for a headroom table, and tableEnding ends the names of all.
const (
	tableName   = "pg_profile_lookup.ini"
	tableEnding = ".ini"
)

// tables checks the headroom tables that the paths name or contain, each once: SONiC's device directories link many
// names to one table, and its findings would repeat. A path that is a file is read whatever its name is; in folders the
// ending decides.
func (a *auditor) tables(paths ...string) error {
	for _, path := range paths {
		// The kind of a path is that in the work tree, for a revision too.
		info, err := os.Stat(path)
		if err == nil && !info.IsDir() {
			err = a.tableAt(path, false)
		} else if err == nil {
			err = a.tablesBelow(path)
		}
		if err != nil {
			return cli.ExitWith(cli.ExitUsage, err)
		}
	}
	return nil
}

// tablesBelow checks the tables below a folder.
func (a *auditor) tablesBelow(folder string) (err error) {
	var names []string
	if a.rev != "" {
		names, err = revision.Names(a.cmd.Context(), a.rev, folder)
	} else {
		// WalkDir goes by names, so that the order is the same on every machine.
		err = filepath.WalkDir(folder, func(name string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				names = append(names, name)
			}
			return err
		})
	}
	for _, name := range names {
		if err == nil && strings.HasSuffix(name, tableEnding) {
			err = a.tableAt(name, filepath.Base(name) != tableName)
		}
	}
	return err
}

// tableAt checks a headroom table, unless it was checked under another name. guess says that it was found by its
// ending: it may be another kind of file.
func (a *auditor) tableAt(path string, guess bool) error {
	// The real path is the identity of a table. An error is a link that leads to nothing. In a revision a table that is
	// new has no findings, and neither has such a link.
	var file revision.File
	var err error
	if a.rev == "" {
		file.Path, err = filepath.EvalSymlinks(path)
	} else if file, err = revision.ReadFile(a.cmd.Context(), a.rev, path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil || a.seen[file.Path] {
		return err
	}
	a.seen[file.Path] = true
	name := file.Path
	if a.rev == "" {
		var shown string
		if shown, file.Data, err = cli.ReadInput(a.cmd, path); err != nil {
			return err
		}
		// With --since the two states have the same name for one table, and its findings cancel out.
		if a.since == "" {
			name = shown
		}
	}
	a.checkTable(guess, name, file.Data)
	return nil
}

// checkTable checks the text of a headroom table. The cell is that of the flags; 0 checks no alignment.
func (a *auditor) checkTable(guess bool, name string, data []byte) {
	a.out.Tables++
	a.add(suspects(guess, name, data, a.cellSize())...)
}

// suspects are the suspect rows of a table. A file that was found in a directory and has no row at all is regarded as
// another kind of file, such as port_config.ini. The note is printed and not the errors of all its lines, which would
// be those of another format.
func suspects(guess bool, name string, data []byte, cell cells.Size) []finding.Finding {
	rows, bad := table.Scan(name, bytes.NewReader(data))
	if guess && len(rows.Rows) == 0 && len(bad) > 0 {
		f := table.Codes().New("row-unreadable", finding.Place{File: name}, "headroom table",
			"no line is a row of a headroom table; treated as another kind of file")
		// The code is an error where a table was meant. Here it is a guess, and a note.
		f.Severity, f.Certain = finding.Note, false
		return []finding.Finding{f}
	}
	return table.Lint(rows, bad, cell)
}

// areTables tells whether all paths name headroom tables, or standard input, which may be one.
func areTables(paths []string) bool {
	other := func(p string) bool { return p != "-" && !strings.HasSuffix(p, tableEnding) }
	return len(paths) > 0 && !slices.ContainsFunc(paths, other)
}

// comparedTables checks the headroom tables of the work tree and those of the revision of --since. Every table of the
// work tree is checked, and of the revision those under the same paths.
func (a *auditor) comparedTables(paths []string) error {
	if slices.Contains(paths, "-") {
		return cli.ExitWith(cli.ExitUsage,
			errors.New("--since: standard input (want a file or a folder in a work tree of git)"))
	}
	if err := a.tables(paths...); err != nil {
		return err
	}
	// The same flags hold for both states, so that a finding differs only where the table does.
	was := &auditor{auditFlags: a.auditFlags, cmd: a.cmd, chip: a.chip, rev: a.since, seen: map[string]bool{}}
	if err := was.tables(paths...); err != nil {
		return cli.BadUsage("--since: %w", err)
	}
	// A table that one of the states has is enough: a new or a deleted one is a change.
	if a.out.Tables+was.out.Tables == 0 {
		return cli.BadUsage("%s: %w", paths[0], errNoFolder)
	}
	a.subtract(was.out.Findings)
	return nil
}
