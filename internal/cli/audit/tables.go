package audit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
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

// tableFile is a file to read. A file that was found in a directory may be no headroom table.
type tableFile struct {
	path, real string // as it was found, and with links followed
	guess      bool   // found in a directory by its ending: it may be another kind of file
}

// tableName is SONiC's name for a headroom table, and tableEnding ends the names of all.
const (
	tableName   = "pg_profile_lookup.ini"
	tableEnding = ".ini"
)

// tables checks the headroom tables that the paths name or contain, each once. With --since a table has the name of the
// file that its links lead to, as it has in the revision.
func (a *auditor) tables(paths ...string) error {
	files, err := a.tableFiles(paths)
	if err != nil {
		return cli.ExitWith(cli.ExitUsage, err)
	}
	for _, file := range files {
		name, data, err := cli.ReadInput(a.cmd, file.path)
		if err != nil {
			return cli.ExitWith(cli.ExitUsage, err)
		}
		// So the two states have the same name for one table, and its findings cancel out.
		if a.since != "" {
			name = file.real
		}
		a.checkTable(file, name, data)
	}
	return nil
}

// checkTable checks one headroom table. The cell is that of the flags; 0 checks no alignment.
func (a *auditor) checkTable(file tableFile, name string, data []byte) {
	a.out.Tables++
	a.add(suspects(file.guess, name, data, a.cell())...)
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

// tableFiles returns the files that the paths name or contain, and that were not audited yet. SONiC's device
// directories link many names to one table, and its findings would repeat. A path that is a file is read whatever its
// name is; in folders the ending decides.
func (a *auditor) tableFiles(paths []string) ([]tableFile, error) {
	var files []tableFile
	add := func(f tableFile) error {
		// The real path is the identity of a table. An error is a link that leads to nothing.
		real, err := filepath.EvalSymlinks(f.path)
		if err == nil && !a.seen[real] {
			a.seen[real] = true
			f.real = real
			files = append(files, f)
		}
		return err
	}
	for _, path := range paths {
		// WalkDir goes by names, so that the order is the same on every machine.
		err := filepath.WalkDir(path, func(p string, d fs.DirEntry, err error) error {
			switch {
			case err != nil || d.IsDir():
				return err
			// A file that was named is no guess.
			case p == path:
				return add(tableFile{path: p})
			case strings.HasSuffix(d.Name(), tableEnding):
				return add(tableFile{path: p, guess: d.Name() != tableName})
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return files, nil
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
	// The same cell is used for both states, so that a finding differs only where the table does.
	was := revisionTables{ctx: a.cmd.Context(), rev: a.since, cell: a.cell(), seen: map[string]bool{}}
	for _, path := range paths {
		if err := was.path(path); err != nil {
			return cli.ExitWith(cli.ExitUsage, fmt.Errorf("--since: %w", err))
		}
	}
	// A table that one of the states has is enough: a new or a deleted one is a change.
	if a.out.Tables+len(was.seen) == 0 {
		return cli.ExitWith(cli.ExitUsage, fmt.Errorf("%s: %w", paths[0], errNoFolder))
	}
	a.subtract(was.found)
	return nil
}

// revisionTables checks the tables of a revision, each once. A table has the name of the file that links to it lead
// to, as in the work tree. cell is 0 if it is not known. seen has paths in the revision, with links followed.
type revisionTables struct {
	ctx   context.Context
	rev   string
	cell  cells.Size
	seen  map[string]bool
	found []finding.Finding
}

// path checks a table, or those below a folder. The kind of the path is that in the work tree.
func (r *revisionTables) path(path string) error {
	// A path that the work tree does not have is an error: the kind of it is not known then.
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		return errors.Join(err, r.file(path, false))
	}
	names, err := revision.Names(r.ctx, r.rev, path)
	if err != nil {
		return err
	}
	for _, name := range names {
		if strings.HasSuffix(name, tableEnding) {
			if err := r.file(name, filepath.Base(name) != tableName); err != nil {
				return err
			}
		}
	}
	return nil
}

// file checks a table. A file that is new has no findings in the revision, and neither has a link that leads to
// nothing.
func (r *revisionTables) file(name string, guess bool) error {
	file, err := revision.ReadFile(r.ctx, r.rev, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err == nil && !r.seen[file.Path]:
		r.seen[file.Path] = true
		r.found = append(r.found, suspects(guess, file.Path, file.Data, r.cell)...)
	}
	return err
}
