package audit

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/audit"
	"github.com/cellwarden/cellwarden/audit/intent"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/finding"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/devicetree"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/nos/registry"
	"github.com/cellwarden/cellwarden/nos/sonic"
	"github.com/cellwarden/cellwarden/thresholds/table"
	"github.com/cellwarden/cellwarden/unit"
)

// auditor collects what is audited. chip, table, cells and cable are what the flags say of all configurations; the zero
// of each is that nothing is said. bad are the rows of the table that could not be read. seen has the real paths of
// tables, because links lead to one from many names.
type auditor struct {
	*auditFlags
	cmd   *cobra.Command
	chip  audit.Chip
	table *table.Table    // of --headroom-table
	cells cells.Size      // of --cell
	seen  map[string]bool // headroom tables that were checked
	bad   []fielderr.Located
	cable unit.Optional[unit.Length]
	out   auditReport
	// each is called with every configuration, for a verb that does more with it; nil: nothing is called. A
	// configuration of a hwsku folder comes with both.
	each   func(*audit.Result, *devicetree.Folder, *devicetree.Configuration)
	wanted func(devicetree.Variant) bool // of hwsku folders; nil: all, or those of --topology
	sonic  bool                          // the verb reads SONiC alone
}

// collect audits all that the command line names. Findings are sorted at the end, so the order of the command line does
// not matter to a reader.
func (f *auditFlags) collect(cmd *cobra.Command, paths []string) (*auditReport, error) {
	a := &auditor{auditFlags: f, cmd: cmd, seen: map[string]bool{}}
	if err := a.collectAll(paths); err != nil {
		return nil, err
	}
	// Findings of tables, folders and configurations come in the order of the audit, and are mixed here.
	finding.Sort(a.out.Findings)
	a.out.slack = f.slack
	// What is taken out here does not decide the exit code either.
	if f.confirmed {
		a.out.Findings = slices.DeleteFunc(a.out.Findings, func(n finding.Finding) bool { return !n.Certain })
	}
	return &a.out, nil
}

// collectAll audits all that the command line names, in its order. Paths are audited one after the other. The first
// that cannot be read ends the run: the user has named it.
func (a *auditor) collectAll(paths []string) error {
	if err := a.prepare(); err != nil {
		return cli.ExitWith(cli.ExitUsage, err)
	}
	switch {
	// check has made sure that there are no paths beside it.
	case a.dial.Target != "":
		if err := a.target(); err != nil {
			return err
		}
	// Before the general case, because tables are compared without a tree of device files, and may be several.
	case a.since != "" && a.patch == "" && areTables(paths):
		return a.comparedTables(paths)
	case a.since != "" || a.patch != "":
		if err := a.compared(paths[0]); err != nil {
			return err
		}
	default:
		for _, path := range paths {
			if err := a.path(path); err != nil {
				return err
			}
		}
	}
	return nil
}

// prepare reads what the flags name. --chip needs a chip with a known cell, since its cells are counted.
func (a *auditor) prepare() error {
	if a.auditFlags.chip != "" {
		chip, err := cli.LoadCells(cli.Named(a.cmd), a.auditFlags.chip)
		if err != nil {
			return fmt.Errorf("--chip: %w", err)
		}
		// The second text is how the chip is known, for the report.
		a.chip = audit.Named(chip, "--chip "+a.auditFlags.chip)
	}
	if a.auditFlags.cell != "" {
		// A chip has a cell of its own, so the two flags together are refused.
		cell, err := cli.CellFlag(cli.Named(a.cmd), a.auditFlags.cell, a.auditFlags.chip)
		if err != nil {
			return err
		}
		a.cells = cell
	}
	// The table comes after the chip and the cell: the size of a cell decides its findings.
	if a.auditFlags.table != "" {
		name, data, err := cli.ReadInput(a.cmd, a.auditFlags.table)
		if err != nil {
			return fmt.Errorf("--headroom-table: %w", err)
		}
		a.headroomTable(name, data)
	}
	if a.auditFlags.cable != "" {
		length, err := unit.ParseLength(a.auditFlags.cable)
		if err != nil {
			return fmt.Errorf("--cable: %w", err)
		}
		a.cable = unit.Given(length)
	}
	return nil
}

// headroomTable takes the table of --headroom-table. Every row that can be read counts, and the others are findings: an
// audit does not end at the first error of a file.
func (a *auditor) headroomTable(name string, data []byte) {
	a.table, a.bad = table.Scan(name, bytes.NewReader(data))
	a.add(table.Lint(a.table, a.bad, a.cell())...)
}

// cell is the cell of --cell or --chip; 0: not known, or a chip whose switch rounds by itself. Spectrum's software
// rounds what is configured, so a table need not be aligned to its cells.
func (a *auditor) cell() cells.Size {
	if a.cells > 0 || a.chip.Spectrum() {
		return a.cells
	}
	return a.chip.Cell()
}

// add adds findings.
func (a *auditor) add(findings ...finding.Finding) {
	a.out.Findings = append(a.out.Findings, findings...)
}

// path audits what is at a path. The ending .ini is that of headroom tables; everything else is known by its text.
func (a *auditor) path(path string) error {
	if path == "-" {
		return a.file(path)
	}
	// What a path is, its name and kind decide; what a file is, its text decides.
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return cli.ExitWith(cli.ExitUsage, err)
	case info.IsDir():
		return a.folder(path)
	case strings.HasSuffix(path, tableEnding):
		return a.tables(path)
	}
	return a.file(path)
}

// file audits CONFIG_DB, rendered parts of it, or the configuration of another system. A text of no system that has a
// row of a headroom table is one. Standard input is a file, too.
func (a *auditor) file(path string) error {
	name, data, err := cli.ReadInput(a.cmd, path)
	if err != nil {
		return cli.ExitWith(cli.ExitUsage, err)
	}
	s, err := a.source(name, data, a.chip)
	// Systems come first: a text that is a configuration is never read as a table.
	if errors.Is(err, registry.ErrUnknown) && hasRows(name, data) {
		// The user has named it, so it is no guess, and each line that is no row is a finding.
		a.checkTable(tableFile{path: path}, name, data)
		return nil
	}
	if err != nil {
		return cli.ExitWith(cli.ExitUsage, err)
	}
	return a.audited(s)
}

// hasRows tells whether a text has a row of a headroom table. The errors of other lines do not matter here: one row
// makes a table.
func hasRows(name string, data []byte) bool {
	rows, _ := table.Scan(name, bytes.NewReader(data))
	return len(rows.Rows) > 0
}

// source reads the configuration of a switch, of the system that --system names or that the text shows. chip may be the
// zero chip, and is then found by the configuration. With sonic set, other systems are refused with what can read them.
func (a *auditor) source(name string, data []byte, chip audit.Chip) (audit.Source, error) {
	var system *nos.System
	var err error
	if a.system != "" {
		system, err = registry.Reader(a.system)
	} else {
		system, err = registry.Of(data)
	}
	switch {
	case a.sonic && errors.Is(err, registry.ErrUnknown):
		return audit.Source{}, fmt.Errorf("%s: the system of the configuration is not known: %w", name, intent.ErrSystem)
	case err != nil:
		return audit.Source{}, fmt.Errorf("%s: %w", name, err)
	case a.sonic && system.Name != sonic.System.Name:
		return audit.Source{}, fmt.Errorf("%s: the configuration is of %s: %w", name, system.Title, intent.ErrSystem)
	}
	reading, err := system.Read(name, data, chip)
	if err != nil {
		return audit.Source{}, err
	}
	return a.read(reading), nil
}

// read is a configuration that was read as what is audited. Part says that a file has only a part of a configuration,
// of which nothing is called missing.
func (a *auditor) read(r *audit.Reading) audit.Source {
	return audit.Source{File: r.File, Reading: r, Chip: a.chip, Table: a.table, Cable: a.cable, Part: r.Part(),
		SizeIncludesHeadroom: a.included}
}

// audited audits one configuration. The result is added to the report, and handed to the hook of a verb that wants more
// of it.
func (a *auditor) audited(s audit.Source) error {
	// A configuration has one role. The name is for its findings: a file does not say which role it has.
	if len(a.topologies) > 0 {
		s.Topology = a.topologies[0]
	}
	r := audit.Run(s)
	// A file has neither folder nor configuration of a folder.
	if a.each != nil {
		a.each(r, nil, nil)
	}
	if a.peer != "" {
		if err := a.peers(r); err != nil {
			return err
		}
	}
	a.out.Configurations++
	// Rest counts findings that the audit of one configuration does not list.
	a.out.NotListed += r.Rest
	a.add(r.Findings...)
	// What a configuration means is kept for the tables, and counted in cells where its chip is known.
	what := r.What()
	if a.slack >= 0 {
		r.Slack(&what)
	}
	if a.verify {
		what.Verified = verifyResult(a.cmd.Context(), r)
	}
	a.out.What = append(a.out.What, what)
	return nil
}

// peers compares with the other end of links. The configuration of the neighbour is read again for each one that is
// audited: they are one, as a rule.
func (a *auditor) peers(r *audit.Result) error {
	name, data, err := cli.ReadInput(a.cmd, a.peer)
	var s audit.Source
	if err == nil {
		s, err = a.source(name, data, audit.Chip{})
	}
	if err != nil {
		return cli.ExitWith(cli.ExitUsage, fmt.Errorf("--peer: %w", err))
	}
	// The flags describe the audited switch. Its neighbour may have another chip, so it is known by its own
	// configuration.
	s.Chip, s.Table, s.Cable, s.Part = audit.Chip{}, nil, unit.Optional[unit.Length]{}, false
	links, unlinked, found := audit.Peers(r, audit.Run(s))
	// unlinked says why no link was compared; of several configurations the last one's stays.
	a.out.Links, a.out.Unlinked = a.out.Links+links, unlinked
	a.add(found...)
	return nil
}
