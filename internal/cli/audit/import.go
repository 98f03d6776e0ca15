package audit

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/audit"
	"github.com/cellwarden/cellwarden/audit/intent"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/devicetree"
	"github.com/cellwarden/cellwarden/internal/grouped"
	"github.com/cellwarden/cellwarden/topology"
)

// import makes a topology of a SONiC switch's configuration, with the reader of audit; audit/intent makes the intent.

// importFlags are the flags of the import command. file is the path of --write, "" for standard output; model is
// traditional or dynamic, "" for both. The format of the report is that of the findings of audit: table or json.
type importFlags struct {
	audit       auditFlags // of what is read
	model, file string
}

// ImportCommand makes the verb. It shares the flags of audit that say what is read, and has none of those about
// findings.
func ImportCommand() *cobra.Command {
	var f importFlags
	c := cli.Command("import", cli.Args(0, 1), f.run)
	flags := c.Flags()
	flags.StringVar(&f.audit.chip, "chip", "", "the chip: a name or a chip file (default: known by platform or HwSKU)")
	f.audit.register(c)
	cli.WordFlag(c, &f.model, "model", "", []string{"traditional", "dynamic"},
		"import hwsku folders for this buffer model only: traditional, dynamic")
	flags.StringVar(&f.file, "write", "", "write the topology to this file, or several to a folder (ending in /)")
	flags.StringVarP(&f.audit.list.Output.Format, "output", "o", "table", "output format: table, json")
	cli.ForceFlag(c)
	// The only errors are a flag that is not there, and one that has a completion already.
	_ = c.RegisterFlagCompletionFunc("output", cobra.FixedCompletions([]string{"table", "json"},
		cobra.ShellCompDirectiveNoFileComp))
	return c
}

// run reads, writes the topologies and reports. Exit code 8 says that a topology does not say all of a configuration.
// The topology is written all the same: its comments have what it lacks.
func (f *importFlags) run(cmd *cobra.Command, paths []string) error {
	if err := f.check(paths); err != nil {
		return err
	}
	// The checks of audit hold too. Its findings do not decide here: import says what a topology cannot say.
	if err := f.audit.check(paths); err != nil {
		return err
	}
	// An error of reading ends the import; that of one configuration is kept with it.
	found, err := f.read(cmd, paths)
	if err != nil {
		return err
	}
	// A file and standard output take one topology alone.
	if f.file == "" || !f.folder() {
		// read returns at least one.
		if len(found) > 1 {
			return severalTopologies(found)
		}
		if err := found[0].err; err != nil {
			return cli.BadUsage("%s: %w", found[0].from, err)
		}
	}
	if err := f.write(cmd, found); err != nil {
		return err
	}
	return f.report(cmd, found)
}

// check refuses flags that do not go together. The check of audit's own flags follows it.
func (f *importFlags) check(paths []string) error {
	switch printed := f.audit.list.Output.Format; {
	case printed != "table" && printed != "json":
		return fmt.Errorf("--output %q (want table, json; --write names the file of the topology)", printed)
	// Without --write the report goes to standard error, where no program expects a document.
	case printed == "json" && f.file == "":
		return errors.New("-o json: accepted with --write: standard output has the topology")
	// audit takes a table as a path, import only as what configurations refer to.
	case len(paths) == 1 && strings.HasSuffix(paths[0], ".ini"):
		return fmt.Errorf("%s: a headroom table is no configuration (want a config_db.json, with --headroom-table %s)",
			paths[0], paths[0])
	}
	return nil
}

// imported is one configuration, and what became of it. The embedded import is nil after an error. err is why nothing
// was imported, nil if it was; then the embedded fields can be read.
type imported struct {
	from   string // file or folder
	of     string // which configuration of a folder: t0, t0-dynamic; empty for a file
	folder string // of a hwsku, below the others
	*intent.Import
	err  error
	file string // that it was written to; empty: standard output
}

// read audits and imports. A folder is imported for its topologies, and not for what an audit tries beside them. Each
// configuration is handed over by the auditor's hook, with the folder that it comes from.
func (f *importFlags) read(cmd *cobra.Command, paths []string) ([]*imported, error) {
	var found []*imported
	// With sonic set, other systems and tables by themselves are refused.
	a := &auditor{auditFlags: &f.audit, cmd: cmd, sonic: true}
	a.each = func(r *audit.Result, folder *devicetree.Folder, c *devicetree.Configuration) {
		one := &imported{from: r.Source.File}
		if folder != nil {
			if !folder.Has(devicetree.Buffers) && !folder.Has(devicetree.BuffersDynamic) {
				return // the QoS of one use of the folder above, which has the buffers
			}
			// A configuration of a hwsku folder is named by its folder, its role and its buffer model.
			one.folder, one.of = r.Source.File, c.Variant.Topology.Name
			if c.Dynamic {
				one.of += "-dynamic"
			}
			// A file has no buffer model to choose, so --model is about folders alone.
			if f.model != "" && c.Dynamic != (f.model == "dynamic") {
				return
			}
		}
		// The error of one configuration does not end the import of a folder.
		one.Import, one.err = intent.Of(r)
		found = append(found, one)
	}
	a.wanted = func(v devicetree.Variant) bool {
		named := slices.Contains(f.audit.topologies, v.Topology.Name)
		// Renderings with neighbours have names and cables that the audit made up. The rendering without a role
		// repeats the one that the templates name as their default, so it is imported on request alone.
		return !v.Neighbours && (named || len(f.audit.topologies) == 0 && v.Topology != devicetree.Default)
	}
	if err := a.collectAll(paths); err != nil {
		return nil, err
	}
	// audit reports the rows that it cannot read and goes on. A topology from the rest of a table would be short of
	// rows.
	if len(a.bad) > 0 {
		return nil, cli.BadUsage("--headroom-table: %w", &a.bad[0])
	}
	// Folders that only have the QoS of one use of a folder above them are left out, too.
	if len(found) == 0 {
		return nil, cli.BadUsage("no configuration: the folder has none for the topologies and " +
			"the model of --topology and --model")
	}
	return found, nil
}

// severalTopologies says what a folder has, for the user to choose. The error lists what can be chosen by the names
// that --topology and --model take.
func severalTopologies(found []*imported) error {
	// Ten names show how to choose; device/ of SONiC has hundreds of them.
	names := grouped.Each(found[:min(len(found), 10)], func(one *imported) string {
		return strings.TrimPrefix(one.from+" "+one.of, " ")
	})
	if len(found) > len(names) {
		names = append(names, "…")
	}
	return cli.BadUsage("%d configurations (want one (--topology, --model), or --write "+
		"<folder>/ for all: %s)", len(found), strings.Join(names, ", "))
}

// folder tells whether --write names a folder. A path that does not exist is a folder if it ends in a slash.
func (f *importFlags) folder() bool {
	// An error is a path that does not exist yet, and then its ending decides.
	info, err := os.Stat(f.file)
	return strings.HasSuffix(f.file, "/") || err == nil && info.IsDir()
}

// name is the file of a topology. of is the role and the buffer model: t0.yaml, t0-dynamic.yaml.
func (f *importFlags) name(one *imported, found []*imported) string {
	switch {
	case f.file == "" || !f.folder():
		return f.file
	case one.folder == "" && len(found) == 1:
		return filepath.Join(f.file, "topology.yaml")
	// Several configurations that are no hwskus are the files of one folder, and keep their names.
	case one.folder == "":
		name := filepath.Base(one.from)
		return filepath.Join(f.file, strings.TrimSuffix(name, filepath.Ext(name))+".yaml")
	// With several HwSKUs, the files keep the vendor and the platform in their path: HwSKUs of two vendors can have one
	// name, and two HwSKUs a file of one role.
	case slices.ContainsFunc(found, func(o *imported) bool { return o.folder != found[0].folder }):
		_, below, _ := strings.Cut("/"+one.folder, "/device/")
		return filepath.Join(f.file, filepath.FromSlash(path.Join(below, one.of+".yaml")))
	}
	return filepath.Join(f.file, one.of+".yaml")
}

// write writes the topologies. A chip that is not in the catalogue gets a file beside its topology, with its name:
// leaf1.chip.json beside leaf1.yaml. Nothing has its name before all are written, so an error leaves no half of a
// folder.
func (f *importFlags) write(cmd *cobra.Command, found []*imported) error {
	for _, one := range found {
		if one.err != nil {
			continue
		}
		// Of many configurations, one that no topology can express is reported and left out; a single one is an error.
		file := f.name(one, found)
		w, err := topology.WriteCommented(one.Intent, one.comments(file))
		if err != nil {
			one.err = fmt.Errorf("%w: %w", intent.ErrNotExpressed, err)
			if len(found) == 1 {
				return cli.Failure(one.err)
			}
			continue
		}
		if one.file = file; file == "" {
			// Standard output has room for one file. The topology names the file of its chip, which would not be there.
			if len(w.Files) > 0 {
				return cli.BadUsage("%s: the chip is not in the catalogue, and gets a file beside "+
					"the topology (want --write FILE)", one.from)
			}
			if _, err := cmd.OutOrStdout().Write(w.Topology); err != nil {
				return cli.Failure(err)
			}
			continue
		}
		if err := writeTopology(cmd, one.file, w); err != nil {
			return cli.Failure(err)
		}
	}
	// All files get their names now. If one exists already and --force is not given, Create has refused it before.
	return cli.Failure(cli.Commit(cmd))
}

// writeTopology begins the files of a topology. The folders of a path are made, because --write names those that are to
// be.
func writeTopology(cmd *cobra.Command, file string, w topology.Written) error {
	// The umask of the user takes away what others may not do.
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return err
	}
	all := map[string][]byte{file: w.Topology}
	// The names are without a folder: the topology names the file of its chip so.
	for name, content := range w.Files {
		all[filepath.Join(filepath.Dir(file), name)] = content
	}
	// The order does not matter, because the files get their names together.
	for name, content := range all {
		if err := cli.Put(cmd, name, content); err != nil {
			return err
		}
	}
	return nil
}
