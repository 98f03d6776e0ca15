package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/thresholds/table"
	"github.com/cellwarden/cellwarden/topology"
	"github.com/cellwarden/cellwarden/unit"
)

// lint checks vendors' headroom tables. Package thresholds/table has the rules; this
// file finds the files and prints the findings.

// lintFlags are the flags of the lint command, as text.
type lintFlags struct {
	cell, chip string
	format     output
}

// lintLong is the description of the command in --help.
const lintLong = `lint reads headroom tables and lists suspect rows. A PATH is a file, a directory with .ini files
below it, or - for standard input. A suspect row need not be wrong: the tables do not state their
assumptions.

errors:   below-light (xoff under 2 x length x 5 ns/m x rate + 1500 bytes), unreadable, duplicate-row
warnings: shrinks-with-length, shrinks-with-speed, column-outlier, a duplicate-row with the same values
notes:    flat, misaligned (with --cell or --chip), a table without rows

` + exitCodes

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
	outputFlag(c, &f.format)
	return c
}

// run checks all files and returns exit code 4 if there is an error among the
// findings.
func (f *lintFlags) run(cmd *cobra.Command, paths []string) error {
	cell, err := cellFlag(named(cmd), f.cell, f.chip)
	if err = errors.Join(err, checkFormat(f.format)); err != nil {
		return err
	}
	files, err := tableFiles(paths)
	if err != nil {
		return exit{exitUsage, err}
	}
	findings := []table.Finding{}
	for _, file := range files {
		name, data, err := readInput(cmd, file.path)
		if err != nil {
			return exit{exitUsage, err}
		}
		findings = append(findings, lintFile(file, name, data, cell)...)
	}
	if err := lintReport(findings, len(files)).write(cmd.OutOrStdout(), f.format,
		lintDocument(findings, len(files))); err != nil {
		return exit{exitFailure, err}
	}
	if slices.ContainsFunc(findings, func(f table.Finding) bool { return f.Severity == table.SevereError }) {
		return silent(exitLint)
	}
	return nil
}

// cellFlag returns the cell size of --cell or --chip; 0 without both.
func cellFlag(open topology.Open, cell, chip string) (cells.Size, error) {
	switch {
	case chip != "" && cell != "":
		return 0, errors.New("--cell and --chip: accepted: one of them")
	case chip != "":
		c, err := loadCells(open, chip)
		if err != nil {
			return 0, fmt.Errorf("--chip: %w", err)
		}
		return c.Cell, nil
	case cell != "":
		b, err := unit.ParseBytes(cell)
		if err != nil {
			return 0, fmt.Errorf("--cell: %w", err)
		}
		m := thresholds.Memory{Cell: cells.Size(b)}
		return m.Cell, m.Validate()
	}
	return 0, nil
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

// lintFile checks one table. A file that was found in a directory and has no row at
// all is regarded as another kind of file, such as port_config.ini.
func lintFile(file tableFile, name string, data []byte, cell cells.Size) []table.Finding {
	rows, bad := table.Scan(name, bytes.NewReader(data))
	if file.guess && len(rows.Rows) == 0 && len(bad) > 0 {
		return []table.Finding{{Code: table.Unreadable, Severity: table.SevereNote, File: name,
			Message: "no line is a row of a headroom table; treated as another kind of file"}}
	}
	return table.Lint(rows, bad, cell)
}

// findingJSON is a finding. null means that it is not about one speed or one
// length.
type findingJSON struct {
	Code     table.Code     `json:"code"`
	Severity table.Severity `json:"severity"`
	File     string         `json:"file"`
	Line     int            `json:"line"` // 0: the whole file
	Speed    *int64         `json:"speed_mbps"`
	Cable    *json.Number   `json:"cable_m"`
	Message  string         `json:"message"`
}

// lintJSON is the findings as a document.
type lintJSON struct {
	Schema   string        `json:"schema"`
	Files    int           `json:"files"`
	Findings []findingJSON `json:"findings"`
}

// lintDocument converts the findings.
func lintDocument(findings []table.Finding, files int) lintJSON {
	out := lintJSON{"cellwarden.lint/v1", files, []findingJSON{}}
	for _, f := range findings {
		j := findingJSON{Code: f.Code, Severity: f.Severity, File: f.File, Line: f.Line, Message: f.Message}
		if f.Rate > 0 {
			j.Speed = new(int64(f.Rate / unit.Mbps))
		}
		if f.AtCable {
			j.Cable = new(metres(f.Cable))
		}
		out.Findings = append(out.Findings, j)
	}
	return out
}

// metres returns a length in metres as a JSON number.
func metres(l unit.Length) json.Number {
	return json.Number(strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%d.%03d", l/unit.Metre, l%unit.Metre), "0"),
		"."))
}

// lintReport lists the findings, and their number by severity and code.
func lintReport(findings []table.Finding, files int) *report {
	s := section{title: "Findings", columns: []string{"severity", "code", "where", "speed", "cable", "message"}}
	counts := section{title: "Sums", columns: []string{"severity", "code", "findings"}}
	sums := map[[2]string]int{}
	for _, f := range findings {
		where, speed, cable := f.File, "", ""
		if f.Line > 0 {
			where += fmt.Sprintf(":%d", f.Line)
		}
		if f.Rate > 0 {
			speed = f.Rate.String()
		}
		if f.AtCable {
			cable = f.Cable.String()
		}
		s.row(string(f.Severity), string(f.Code), where, speed, cable, f.Message)
		sums[[2]string{string(f.Severity), string(f.Code)}]++
	}
	keys := make([][2]string, 0, len(sums))
	for k := range sums {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b [2]string) int { return slices.Compare(a[:], b[:]) })
	for _, k := range keys {
		counts.row(k[0], k[1], count(sums[k]))
	}
	r := &report{head: []string{fmt.Sprintf(
		"%d files, %d findings; a suspect row need not be wrong: its purpose is not known", files, len(findings))}}
	if len(findings) > 0 {
		r.sections = []section{s, counts}
	}
	return r
}
