package audit

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/audit"
	"github.com/cellwarden/cellwarden/audit/intent"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/finding"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/cli/inputs"
	"github.com/cellwarden/cellwarden/internal/configdb"
	"github.com/cellwarden/cellwarden/internal/devicetree"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/nos/registry"
	"github.com/cellwarden/cellwarden/nos/sonic"
	"github.com/cellwarden/cellwarden/thresholds/table"
	"github.com/cellwarden/cellwarden/unit"
)

// auditor collects what is audited. chip and table are what the flags say of all configurations; the zero of each is
// that nothing is said. bad are the rows of the table that could not be read. seen has the real paths of
// tables, because links lead to one from many names.
type auditor struct {
	*auditFlags
	cmd   *cobra.Command
	chip  audit.Chip
	table *table.Table    // of --headroom-table
	rev   string          // revision of git whose tables are checked; "": those of the work tree
	seen  map[string]bool // headroom tables that were checked
	bad   []fielderr.Located
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
	case a.dial.Address != "":
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
		chip, err := inputs.LoadCells(cli.Named(a.cmd), a.auditFlags.chip)
		if err != nil {
			return fmt.Errorf("--chip: %w", err)
		}
		// The second text is how the chip is known, for the report.
		a.chip = audit.Named(chip, "--chip "+a.auditFlags.chip)
	}
	// The table comes after the chip and the cell: the size of a cell decides its findings.
	if a.auditFlags.table != "" {
		name, data, err := cli.ReadInput(a.cmd, a.auditFlags.table)
		if err != nil {
			return fmt.Errorf("--headroom-table: %w", err)
		}
		a.headroomTable(name, data)
	}
	return nil
}

// headroomTable takes the table of --headroom-table. Every row that can be read counts, and the others are findings: an
// audit does not end at the first error of a file.
func (a *auditor) headroomTable(name string, data []byte) {
	a.table, a.bad = table.Scan(name, bytes.NewReader(data))
	a.add(table.Lint(a.table, a.bad, a.cellSize())...)
}

// cellSize is the cell of --cell or --chip; 0: not known, or a chip whose switch rounds by itself. Spectrum's software
// rounds what is configured, so a table need not be aligned to its cells.
func (a *auditor) cellSize() cells.Size {
	if a.cell > 0 || a.chip.Spectrum() {
		return a.cell
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
	if errors.Is(err, registry.ErrUnknown) {
		// One row makes a table. The user has named it, so it is no guess, and each line that is no row is a finding.
		if rows, _ := table.Scan(name, bytes.NewReader(data)); len(rows.Rows) > 0 {
			a.checkTable(false, name, data)
			return nil
		}
	}
	if err != nil {
		return cli.ExitWith(cli.ExitUsage, err)
	}
	return a.audited(s)
}

// source reads the configuration of a switch, of the system that --system names or that the text shows. chip may be the
// zero chip, and is then found by the configuration. With sonic set, other systems are refused with what can read them.
func (a *auditor) source(name string, data []byte, chip audit.Chip) (audit.Source, error) {
	system, err := registry.Choose(a.system, data)
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
func (a *auditor) read(r *audit.Meaning) audit.Source {
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
	a.means(r, false)
	return nil
}

// means keeps what a configuration means for the tables, counted in cells where its chip is known. Neighbours are made
// up for a rendering, and so are their cables.
func (a *auditor) means(r *audit.Result, neighbours bool) {
	what := r.What()
	what.Neighbours = neighbours
	if a.slack >= 0 {
		r.Slack(&what)
	}
	if a.verify {
		what.Verified = verifyResult(a.cmd.Context(), r)
	}
	a.out.What = append(a.out.What, what)
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

// errNoFolder says that a folder has nothing to audit. It lists what a folder may have, because that is what a user has
// got wrong.
var errNoFolder = errors.New("no hwsku folder with templates, no JSON of a configuration such as config_db.json and " +
	"no headroom table (want device/VENDOR/PLATFORM/HWSKU of sonic-buildimage, or a folder above)")

// folder audits the hwsku folders below a folder, the configurations in it, or the headroom tables below it. hwsku
// folders come first; a folder without any is one of configurations, and one without these of tables.
func (a *auditor) folder(path string) error {
	tree, below, err := devicetree.Open(path)
	if err != nil {
		return cli.ExitWith(cli.ExitUsage, err)
	}
	defer tree.Close()
	ctx := a.cmd.Context()
	folders, outside, err := tree.Folders(ctx, below)
	if err != nil {
		return cli.ExitWith(cli.ExitFailure, err)
	}
	// In the tree of device files the JSON of a folder is a part of that of a hwsku, and import takes the hwskus alone.
	var configurations []string
	if len(folders) == 0 || !a.sonic && !strings.HasPrefix(below+"/", "device/") {
		configurations = a.configurations(path)
	}
	if len(folders)+len(configurations) == 0 {
		return a.folderOfTables(path)
	}
	// A link that leads out of the tree is not followed, as a checkout can come from a stranger.
	for _, err := range outside {
		a.add(audit.Codes().New("render-error", finding.Place{File: path}, "symbolic link", err.Error()))
	}
	// A folder with one configuration is as the file itself, whose error ends the run.
	if len(folders) == 0 && len(configurations) == 1 {
		return a.file(configurations[0])
	}
	if err := a.files(configurations); err != nil || len(folders) == 0 {
		return err
	}
	return a.folders(ctx, tree, folders, a.options())
}

// folderOfTables checks the headroom tables below a folder without configurations. import reads no tables by
// themselves.
func (a *auditor) folderOfTables(path string) error {
	before := len(a.seen)
	if !a.sonic {
		if err := a.tables(path); err != nil {
			return err
		}
	}
	// seen and not the findings: a table without a finding is something to audit, too.
	if len(a.seen) == before {
		return cli.ExitWith(cli.ExitUsage, fmt.Errorf("%s: %w", path, errNoFolder))
	}
	return nil
}

// options are how folders are audited. Progress is shown on a terminal, because rendering templates takes long.
func (a *auditor) options() devicetree.Options {
	// The zero chip leaves each folder its own.
	o := devicetree.Options{Chip: a.chip, Progress: cli.Progress[int](a.cmd.ErrOrStderr()),
		SizeIncludesHeadroom: a.included}
	// The hook of a verb decides alone; it looks at --topology by itself.
	if a.wanted != nil {
		o.Wanted = a.wanted
	} else if len(a.topologies) > 0 {
		o.Wanted = func(v devicetree.Variant) bool { return slices.Contains(a.topologies, v.Topology.Name) }
	}
	return o
}

// files audits several configurations. What is wrong with the text of one is a finding, so that the others are audited.
// An error is one of a flag, such as --peer, and not of a file.
func (a *auditor) files(paths []string) error {
	for _, path := range paths {
		name, data, err := cli.ReadInput(a.cmd, path)
		if err != nil {
			a.unread(path, err)
			continue
		}
		if err := a.oneOf(name, data); err != nil {
			return err
		}
	}
	return nil
}

// oneOf audits one of several configurations. A text that cannot be read is a finding of its own; an error is one of
// --peer.
func (a *auditor) oneOf(name string, data []byte) error {
	s, err := a.source(name, data, a.chip)
	if err != nil {
		a.unread(name, err)
		return nil
	}
	return a.audited(s)
}

// unread adds the finding of a configuration that cannot be read. The code is that of a file that is no CONFIG_DB,
// whatever system it was to be.
func (a *auditor) unread(path string, err error) {
	a.add(audit.Codes().New("not-config-db", finding.Place{File: path}, "configuration", err.Error()))
}

// configurations lists the JSON files in a folder that are the configuration of a switch, in the order of their names.
// Files that cannot be read are passed over: they were not named.
func (a *auditor) configurations(folder string) (out []string) {
	// The only error of Glob is a pattern that is none. What is special in one is that of filepath.Match.
	escaped := strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(folder)
	names, _ := filepath.Glob(filepath.Join(escaped, "*.json"))
	for _, name := range names {
		// A folder or a pipe can have the ending .json, and reading a pipe would wait.
		info, err := os.Stat(name)
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		if _, data, err := cli.ReadInput(a.cmd, name); err == nil && isConfiguration(name, data) {
			out = append(out, name)
		}
	}
	return out
}

// isConfiguration tells whether a JSON file is the configuration of a switch, or was to be one and cannot be read: then
// an audit says why. A file of the name config_db.json is meant to be one in any case. Other JSON of SONiC is one if it
// has a table that an audit reads.
func isConfiguration(name string, data []byte) bool {
	system, err := registry.Of(data)
	if err != nil || system.Name != sonic.System.Name || filepath.Base(name) == "config_db.json" {
		return true
	}
	// Only the tables of an audit are read, so a file with others alone is empty here.
	db, err := configdb.Read(name, data, sonic.AuditTables()...)
	if err == nil {
		return !db.Empty()
	}
	// A text that cannot be read is one if it names a table: the audit then says what is wrong with it.
	return slices.ContainsFunc(sonic.AuditTables(), func(table string) bool {
		return bytes.Contains(data, []byte(`"`+table))
	})
}
