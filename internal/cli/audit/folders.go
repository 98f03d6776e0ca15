package audit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/audit"
	"github.com/cellwarden/cellwarden/finding"
	"github.com/cellwarden/cellwarden/internal/auditcode"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/configdb"
	"github.com/cellwarden/cellwarden/internal/devicetree"
	"github.com/cellwarden/cellwarden/nos/registry"
	"github.com/cellwarden/cellwarden/nos/sonic"
)

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
	configurations := a.beside(path, below, len(folders))
	if len(folders)+len(configurations) == 0 {
		return a.folderOfTables(path)
	}
	// A link that leads out of the tree is not followed, as a checkout can come from a stranger.
	for _, err := range outside {
		a.add(audit.Codes().New(auditcode.RenderError, finding.Place{File: path}, "symbolic link", err.Error()))
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

// beside lists the configurations in a folder, which may have hwsku folders below it. In the tree of device files the
// JSON of a folder is a part of that of a hwsku, and import takes the hwskus alone.
func (a *auditor) beside(path, below string, folders int) []string {
	if folders > 0 && (a.sonic || strings.HasPrefix(below+"/", "device/")) {
		return nil
	}
	return a.configurations(path)
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
	a.add(audit.Codes().New(auditcode.NotConfigDB, finding.Place{File: path}, "configuration", err.Error()))
}

// configurations lists the JSON files in a folder that are the configuration of a switch, in the order of their names.
// Files that cannot be read are passed over: they were not named.
func (a *auditor) configurations(folder string) (out []string) {
	// The only error of Glob is a pattern that is none, and escaped makes one.
	names, _ := filepath.Glob(filepath.Join(escaped(folder), "*.json"))
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

// escaped returns the pattern of a folder's name. The characters are those of filepath.Match.
func escaped(folder string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(folder)
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

// folders audits hwsku folders. Results come in the order of the folders.
func (a *auditor) folders(ctx context.Context, tree *devicetree.Tree, folders []devicetree.Folder,
	o devicetree.Options) error {
	for r, err := range devicetree.Audit(ctx, tree, folders, o) {
		if err != nil {
			return cli.ExitWith(cli.ExitFailure, err)
		}
		// A folder counts once, however many configurations it has.
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
			// Neighbours are made up for the rendering, and so are their cables.
			what.Neighbours = c.Variant.Neighbours
			if a.slack >= 0 {
				c.Result.Slack(&what)
			}
			if a.verify {
				what.Verified = verifyResult(ctx, c.Result)
			}
			a.out.What = append(a.out.What, what)
		}
	}
	return nil
}
