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

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/audit"
	"github.com/cellwarden/cellwarden/finding"
	"github.com/cellwarden/cellwarden/internal/configdb"
	"github.com/cellwarden/cellwarden/nos/sonic/devicetree"

	"github.com/cellwarden/cellwarden/audit/intent"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/nos/registry"
	"github.com/cellwarden/cellwarden/thresholds/table"
	"github.com/cellwarden/cellwarden/unit"
)

// auditor collects what is audited.
type auditor struct {
	*auditFlags
	cmd   *cobra.Command
	chip  audit.Chip
	table *table.Table
	bad   []table.LineError
	cable unit.Optional[unit.Length]
	out   auditReport
	// each is called with every configuration, for a verb that does more with it; nil: nothing is called. A configuration
	// of a hwsku folder comes with both.
	each   func(*audit.Result, *devicetree.Folder, *devicetree.AuditedConfiguration)
	wanted func(devicetree.Variant) bool // of hwsku folders; nil: all, or those of --topology
	sonic  bool                          // the verb reads SONiC alone
}

// collect audits all that the command line names.
func (f *auditFlags) collect(cmd *cobra.Command, paths []string) (*auditReport, error) {
	a := &auditor{auditFlags: f, cmd: cmd}
	if err := a.collectAll(paths); err != nil {
		return nil, err
	}
	finding.Sort(a.out.Findings)
	if f.confirmed {
		a.out.Findings = slices.DeleteFunc(a.out.Findings, func(n finding.Finding) bool { return !n.Certain })
	}
	return &a.out, nil
}

// collectAll audits all that the command line names, in its order.
func (a *auditor) collectAll(paths []string) error {
	if err := a.prepare(); err != nil {
		return cli.ExitWith(cli.ExitUsage, err)
	}
	switch {
	case a.dial.Target != "":
		if err := a.target(); err != nil {
			return err
		}
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

// prepare reads what the flags name.
func (a *auditor) prepare() error {
	if a.auditFlags.chip != "" {
		chip, err := cli.LoadCells(cli.Named(a.cmd), a.auditFlags.chip)
		if err != nil {
			return fmt.Errorf("--chip: %w", err)
		}
		a.chip = audit.Named(chip, "--chip "+a.auditFlags.chip)
	}
	if a.auditFlags.table != "" {
		name, data, err := cli.ReadInput(a.cmd, a.auditFlags.table)
		if err != nil {
			return fmt.Errorf("--table: %w", err)
		}
		a.table, a.bad = table.Scan(name, bytes.NewReader(data))
		a.add(table.Lint(a.table, a.bad, a.cell())...)
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

// cell is the cell of --chip; 0: not known, or a chip whose switch rounds by itself.
func (a *auditor) cell() cells.Size {
	if a.chip.Spectrum() {
		return 0
	}
	return a.chip.Cell()
}

// add adds findings.
func (a *auditor) add(findings ...finding.Finding) {
	a.out.Findings = append(a.out.Findings, findings...)
}

// path audits what is at a path.
func (a *auditor) path(path string) error {
	if path == "-" {
		return a.file(path)
	}
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return cli.ExitWith(cli.ExitUsage, err)
	case info.IsDir():
		return a.folder(path)
	case strings.HasSuffix(path, ".ini"):
		return a.tableFile(path)
	}
	return a.file(path)
}

// tableFile checks a headroom table by itself.
func (a *auditor) tableFile(path string) error {
	name, data, err := cli.ReadInput(a.cmd, path)
	if err != nil {
		return cli.ExitWith(cli.ExitUsage, err)
	}
	rows, bad := table.Scan(name, bytes.NewReader(data))
	a.add(table.Lint(rows, bad, a.cell())...)
	a.out.Tables++
	return nil
}

// file audits CONFIG_DB, rendered parts of it, or the configuration of another system.
func (a *auditor) file(path string) error {
	s, err := a.source(path, a.chip)
	if err != nil {
		return cli.ExitWith(cli.ExitUsage, err)
	}
	return a.audited(s)
}

// source reads the configuration of a switch, of the system that --system names or that the text shows.
func (a *auditor) source(path string, chip audit.Chip) (audit.Source, error) {
	name, data, err := cli.ReadInput(a.cmd, path)
	if err != nil {
		return audit.Source{}, err
	}
	kind := registry.Name("")
	if a.system != "" {
		kind, err = registry.Parse(a.system)
	} else {
		kind, err = registry.Of(data)
	}
	switch {
	case a.sonic && errors.Is(err, registry.ErrUnknown):
		return audit.Source{}, fmt.Errorf("%s: the system of the configuration is not known: %w", name, intent.ErrSystem)
	case err != nil:
		return audit.Source{}, fmt.Errorf("%s: %w", name, err)
	case a.sonic && kind != registry.SONiC:
		return audit.Source{}, fmt.Errorf("%s: the configuration is of %s: %w", name, kind.Title(), intent.ErrSystem)
	}
	if kind != registry.SONiC {
		reading, err := registry.Read(kind, name, data, chip)
		return audit.Source{File: name, Reading: reading, Chip: chip, Cable: a.cable}, err
	}
	db, err := configdb.Read(name, data, audit.Tables()...)
	if err != nil {
		return audit.Source{}, err
	}
	if db.Empty() {
		return audit.Source{}, fmt.Errorf("%s: none of the tables of CONFIG_DB that an audit reads: accepted: %s and others",
			name, strings.Join(audit.Tables()[:6], ", "))
	}
	return a.ofConfigDB(name, db), nil
}

// ofConfigDB is a CONFIG_DB as what is audited.
func (a *auditor) ofConfigDB(name string, db *configdb.Database) audit.Source {
	return audit.Source{File: name, DB: db, Chip: a.chip, Table: a.table, Cable: a.cable,
		Part: db.Table("BUFFER_POOL") == nil || db.Table("PORT_QOS_MAP") == nil}
}

// configuration audits one CONFIG_DB.
func (a *auditor) configuration(name string, db *configdb.Database) error {
	return a.audited(a.ofConfigDB(name, db))
}

// audited audits one configuration.
func (a *auditor) audited(s audit.Source) error {
	if len(a.topologies) > 0 {
		s.Topology = a.topologies[0]
	}
	r := audit.Run(s)
	if a.each != nil {
		a.each(r, nil, nil)
	}
	if a.peer != "" {
		if err := a.peers(r); err != nil {
			return err
		}
	}
	a.out.Configurations++
	a.out.NotListed += r.Rest
	a.add(r.Findings...)
	what := r.What()
	if a.verify {
		what.Verified = verifyResult(a.cmd.Context(), r)
	}
	a.out.What = append(a.out.What, what)
	return nil
}

// peers compares with the other end of links.
func (a *auditor) peers(r *audit.Result) error {
	s, err := a.source(a.peer, audit.Chip{})
	if err != nil {
		return cli.ExitWith(cli.ExitUsage, fmt.Errorf("--peer: %w", err))
	}
	s.Chip, s.Table, s.Cable, s.Part = audit.Chip{}, nil, unit.Optional[unit.Length]{}, false
	links, found := audit.Peers(r, audit.Run(s))
	a.out.Links += links
	a.add(found...)
	return nil
}

// errNoFolder says that a folder has nothing to audit.
var errNoFolder = errors.New("no hwsku folder with templates, and no config_db.json: accepted: " +
	"device/VENDOR/PLATFORM/HWSKU " +
	"of sonic-buildimage, or a folder above")

// folder audits the hwsku folders below a folder, or the config_db.json in it.
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
	for _, err := range outside {
		a.add(audit.Codes().New(audit.RenderError, path, 0, "symbolic link", err.Error()))
	}
	if len(folders) == 0 {
		if file := filepath.Join(path, "config_db.json"); exists(file) {
			return a.file(file)
		}
		return cli.ExitWith(cli.ExitUsage, fmt.Errorf("%s: %w", path, errNoFolder))
	}
	return a.folders(ctx, tree, folders, a.options())
}

// options are how folders are audited.
func (a *auditor) options() devicetree.AuditOptions {
	o := devicetree.AuditOptions{Chip: a.chip, Progress: cli.Progress[int](a.cmd.ErrOrStderr())}
	if a.wanted != nil {
		o.Wanted = a.wanted
	} else if len(a.topologies) > 0 {
		o.Wanted = func(v devicetree.Variant) bool { return slices.Contains(a.topologies, v.Topology.Name) }
	}
	return o
}

// exists tells whether there is a file.
func exists(path string) bool {
	info, err := os.Stat(path)
	return !errors.Is(err, fs.ErrNotExist) && err == nil && !info.IsDir()
}

// folders audits hwsku folders.
func (a *auditor) folders(ctx context.Context, tree *devicetree.Tree, folders []devicetree.Folder, o devicetree.AuditOptions) error {
	for r, err := range devicetree.Audit(ctx, tree, folders, o) {
		if err != nil {
			return cli.ExitWith(cli.ExitFailure, err)
		}
		a.out.Folders++
		a.out.Configurations += len(r.Configurations)
		a.out.NotListed += r.Rest
		a.add(r.Findings...)
		for i := range r.Configurations {
			c := &r.Configurations[i]
			if a.each != nil {
				a.each(c.Result, &r.Folder, c)
			}
			what := c.Result.What()
			what.Neighbours = c.Variant.Neighbours
			if a.verify {
				what.Verified = verifyResult(ctx, c.Result)
			}
			a.out.What = append(a.out.What, what)
		}
	}
	return nil
}
