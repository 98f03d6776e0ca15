package audit

import (
	"bytes"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/audit"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/thresholds/table"
)

// lint is the part of audit that reads headroom tables: the rules, the codes and the forms of the report are those of
// audit. This file finds the files.

// lintFlags are the flags of the lint command, as text.
type lintFlags struct {
	cell, chip, failOn string
	format             cli.Output
}

// lintLong is the description of the command in --help.
const lintLong = `lint reads headroom tables and lists suspect rows: it is the part of audit that needs no
configuration. A PATH is a file, a directory with .ini files below it, or - for standard input. A suspect row need not
be wrong: the tables do not state their assumptions.

errors:   headroom-below-flight, xoff-shrinks-with-length, xoff-shrinks-with-speed, row-unreadable, row-duplicate
warnings: headroom-below-frame, xon-offset-odd, row-odd, a row-duplicate with the same values
notes:    xoff-same-for-lengths, xoff-same-for-speeds, cell-misaligned (with --cell or --chip), a table without rows

cellwarden audit --explain CODE says what a code means.

` + cli.ExitCodes

// lintCommand returns the lint command.
func lintCommand() *cobra.Command {
	var f lintFlags
	c := &cobra.Command{
		Use:   "lint PATH...",
		Short: "Find suspect rows in headroom tables (pg_profile_lookup.ini)",
		Long:  lintLong,
		Example: `  cellwarden lint device/
  cellwarden lint --chip tomahawk pg_profile_lookup.ini -o json`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, paths []string) error { return f.run(cmd, paths) },
	}
	c.Flags().StringVar(&f.cell, "cell", "", "size of a cell, such as 208B (or --chip): also check the alignment")
	c.Flags().StringVar(&f.chip, "chip", "", "take the cell's size from this chip: a name or a chip file")
	failOnFlag(c, &f.failOn)
	auditOutput(c, &f.format)
	return c
}

// run checks all files and returns exit code 4 if a finding is as severe as --fail-on says.
func (f *lintFlags) run(cmd *cobra.Command, paths []string) error {
	cell, err := cli.CellFlag(cli.Named(cmd), f.cell, f.chip)
	if err = errors.Join(err, checkAuditFormat(f.format), checkFailOn(f.failOn)); err != nil {
		return err
	}
	files, err := tableFiles(paths)
	if err != nil {
		return cli.ExitWith(cli.ExitUsage, err)
	}
	found := auditReport{auditChecked: auditChecked{Tables: len(files)}}
	for _, file := range files {
		name, data, err := cli.ReadInput(cmd, file.path)
		if err != nil {
			return cli.ExitWith(cli.ExitUsage, err)
		}
		found.Findings = append(found.Findings, lintFile(file, name, data, cell)...)
	}
	audit.Sort(found.Findings)
	return found.end(cmd, f.format, f.failOn)
}

// tableFile is a file to read. A file that was found in a directory may be no headroom
// table.
type tableFile struct {
	path  string
	guess bool // found in a directory by its ending: it may be another kind of file
}

// tableName is SONiC's name for a headroom table.
const tableName = "pg_profile_lookup.ini"

// tableFiles returns the files that the paths name or contain, each once. SONiC's
// device directories link many names to one table, and its findings would repeat.
func tableFiles(paths []string) ([]tableFile, error) {
	var files []tableFile
	seen := map[string]bool{}
	add := func(f tableFile) error {
		real, err := filepath.EvalSymlinks(f.path)
		if err == nil && !seen[real] {
			seen[real] = true
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
				return add(tableFile{p, d.Name() != tableName})
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
func lintFile(file tableFile, name string, data []byte, cell cells.Size) []audit.Finding {
	rows, bad := table.Scan(name, bytes.NewReader(data))
	if file.guess && len(rows.Rows) == 0 && len(bad) > 0 {
		f := audit.Find(audit.RowUnreadable, audit.Place{File: name}, "", "headroom table",
			"no line is a row of a headroom table; treated as another kind of file")
		f.Severity, f.Certain = audit.Note, false
		return []audit.Finding{f}
	}
	return audit.Table(rows, bad, cell)
}
