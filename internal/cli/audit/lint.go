package audit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/finding"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/revision"
	"github.com/cellwarden/cellwarden/thresholds/table"
)

// lint is the part of audit that reads headroom tables: the rules, the codes and the forms of the report are those of
// audit. This file finds the files.

// lintFlags are the flags of the lint command, as text.
type lintFlags struct {
	cell, chip, since string
	failOn            finding.Level
	list              cli.FindingFlags
}

// lintLong is the description of the command in --help.
const lintLong = `lint reads headroom tables and lists suspect rows: it is the part of audit that needs no
configuration. A PATH is a file, a directory with .ini files below it, or - for standard input. A suspect row need not
be wrong: the tables do not state their assumptions.

errors:   headroom-below-flight, xoff-shrinks-with-length, xoff-shrinks-with-speed, row-unreadable, row-duplicate
warnings: headroom-below-frame, xon-offset-odd, row-odd, a row-duplicate with the same values
notes:    xoff-same-for-lengths, xoff-same-for-speeds, cell-misaligned (with --cell or --chip), a table without rows

--since lists only what the work tree brings in, compared with a revision of git. --baseline lists only what a file does
not accept. --explain CODE says what a code means.

` + cli.ExitCodes

// lintCommand returns the lint command.
func lintCommand() *cobra.Command {
	var f lintFlags
	c := &cobra.Command{
		Use:   "lint PATH...",
		Short: "Find suspect rows in headroom tables (pg_profile_lookup.ini)",
		Long:  lintLong,
		Example: `  cellwarden lint device/
  cellwarden lint --chip tomahawk pg_profile_lookup.ini -o json
  cellwarden lint --since origin/master device/`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, paths []string) error { return f.run(cmd, paths) },
	}
	c.Flags().StringVar(&f.cell, "cell", "", "size of a cell, such as 208B (or --chip): also check the alignment")
	c.Flags().StringVar(&f.chip, "chip", "", "take the cell's size from this chip: a name or a chip file")
	c.Flags().StringVar(&f.since, "since", "",
		"list only what the work tree brings in, compared with this revision of git")
	cli.FailOnFlag(c, &f.failOn)
	f.list.Register(c, "audit", table.Codes())
	return c
}

// run checks all files and returns exit code 4 if a finding is as severe as --fail-on says.
func (f *lintFlags) run(cmd *cobra.Command, paths []string) error {
	cell, err := cli.CellFlag(cli.Named(cmd), f.cell, f.chip)
	if err = errors.Join(err, f.list.Check(), checkFailOn(f.failOn)); err != nil {
		return err
	}
	files, err := tableFiles(paths)
	if err != nil {
		return cli.ExitWith(cli.ExitUsage, err)
	}
	// The report is that of audit, so that one reader of findings serves both verbs.
	found := auditReport{auditChecked: auditChecked{Tables: len(files)}, since: f.since}
	for _, file := range files {
		name, data, err := cli.ReadInput(cmd, file.path)
		if err != nil {
			return cli.ExitWith(cli.ExitUsage, err)
		}
		// Findings are compared with those of the revision by file: links have to have the same name on both sides.
		if f.since != "" {
			name = file.real
		}
		found.Findings = append(found.Findings, lintFile(file, name, data, cell)...)
	}
	finding.Sort(found.Findings)
	if f.since != "" {
		before, err := f.before(cmd.Context(), paths, cell)
		if err != nil {
			return cli.ExitWith(cli.ExitUsage, fmt.Errorf("--since: %w", err))
		}
		found.Findings, found.Before, found.Mended = finding.Since(before, found.Findings)
	}
	return found.end(cmd, &f.list, f.failOn)
}

// before lints the tables of the revision of --since.
func (f *lintFlags) before(ctx context.Context, paths []string, cell cells.Size) ([]finding.Finding, error) {
	was := revisionTables{ctx: ctx, rev: f.since, cell: cell, seen: map[string]bool{}}
	for _, path := range paths {
		if err := was.path(path); err != nil {
			return nil, err
		}
	}
	return was.found, nil
}

// revisionTables lints the tables of a revision, each once. A table has the name of the file that links to it lead to,
// as in the work tree.
type revisionTables struct {
	ctx   context.Context
	rev   string
	cell  cells.Size
	seen  map[string]bool
	found []finding.Finding
}

// path lints a table, or those below a folder.
func (r *revisionTables) path(path string) error {
	if path == "-" {
		return errors.New("standard input: want a file or a folder in a work tree of git")
	}
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		return errors.Join(err, r.file(path, false))
	}
	names, err := revision.Names(r.ctx, r.rev, path)
	if err != nil {
		return err
	}
	for _, name := range names {
		if strings.HasSuffix(name, ".ini") {
			if err := r.file(name, filepath.Base(name) != tableName); err != nil {
				return err
			}
		}
	}
	return nil
}

// file lints a table. A file that is new has no findings in the revision, and neither has a link that leads to nothing.
func (r *revisionTables) file(name string, guess bool) error {
	file, err := revision.ReadFile(r.ctx, r.rev, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err == nil && !r.seen[file.Path]:
		r.seen[file.Path] = true
		r.found = append(r.found, lintFile(tableFile{guess: guess}, file.Path, file.Data, r.cell)...)
	}
	return err
}

// tableFile is a file to read. A file that was found in a directory may be no headroom
// table.
type tableFile struct {
	path, real string // as it was found, and with links followed
	guess      bool   // found in a directory by its ending: it may be another kind of file
}

// tableName is SONiC's name for a headroom table.
const tableName = "pg_profile_lookup.ini"

// tableFiles returns the files that the paths name or contain, each once. SONiC's
// device directories link many names to one table, and its findings would repeat.
func tableFiles(paths []string) ([]tableFile, error) {
	var files []tableFile
	seen := map[string]bool{}
	add := func(f tableFile) error {
		// The real name decides, because many HwSKUs of one platform share a table by links.
		real, err := filepath.EvalSymlinks(f.path)
		if err == nil && !seen[real] {
			seen[real] = true
			f.real = real
			files = append(files, f)
		}
		return err
	}
	for _, path := range paths {
		if path == "-" {
			files = append(files, tableFile{path: path})
			continue
		}
		err := filepath.WalkDir(path, func(p string, d fs.DirEntry, err error) error {
			switch {
			case err != nil || d.IsDir():
				return err
			case p == path:
				return add(tableFile{path: p})
			case d.Name() == tableName || strings.HasSuffix(d.Name(), ".ini"):
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

// lintFile checks one table. A file that was found in a directory and has no row at all is regarded as another kind of
// file, such as port_config.ini.
func lintFile(file tableFile, name string, data []byte, cell cells.Size) []finding.Finding {
	rows, bad := table.Scan(name, bytes.NewReader(data))
	if file.guess && len(rows.Rows) == 0 && len(bad) > 0 {
		f := table.Codes().New("row-unreadable", finding.Place{File: name}, "headroom table",
			"no line is a row of a headroom table; treated as another kind of file")
		// No row is readable and the file was not named by anyone, so it is most likely another kind of file.
		f.Severity, f.Certain = finding.Note, false
		return []finding.Finding{f}
	}
	return table.Lint(rows, bad, cell)
}
