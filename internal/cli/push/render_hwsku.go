package push

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/devicetree"
	"github.com/cellwarden/cellwarden/internal/hwsku"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/nos/sonic"
)

// hwskuFlags are the flags of render for a folder of sonic-buildimage. folder and samples are directories; topologies
// are roles, of which the first is that of a switch without a type. samples needs folder. Paths are relative to the
// working directory.
type hwskuFlags struct {
	folder, samples string
	topologies      []string
}

// register adds the flags of a folder.
func (f *hwskuFlags) register(c *cobra.Command) {
	c.Flags().StringVar(&f.folder, "hwsku", "", "folder of sonic-buildimage that gets the templates and the headroom table "+
		"of the plan; its files of ports stay")
	c.Flags().StringSliceVar(&f.topologies, "topologies", []string{"t0", "t1"}, "topologies that the folder of --hwsku is for: "+
		strings.Join(devicetree.TopologyNames(), ", ")+"; the first is that of a switch without a type")
	c.Flags().StringVar(&f.samples, "samples", "", "directory for what the templates of --hwsku render to, in the form of "+
		"the sample outputs of sonic-config-engine")
}

// check refuses flags that do not go together. other: there are flags of a rendering that is no folder. A folder has
// its own way of being applied, so flags about a running switch do not belong to it.
func (f *hwskuFlags) check(other bool) error {
	names := devicetree.TopologyNames()
	for _, t := range f.topologies {
		if !slices.Contains(names, t) {
			return fmt.Errorf("--topologies %q (want %s)", t, strings.Join(names, ", "))
		}
	}
	switch {
	case f.folder == "" && f.samples != "":
		return errors.New("--samples: accepted with --hwsku")
	case f.folder != "" && other:
		return errors.New("--part, --strict and the flags --sonic-... (want none with --hwsku: a folder is for each switch " +
			"with its buffer manager, traditional)")
	}
	return nil
}

// write writes the folder, renders it and prints the text of a pull request. The folder is written before it is
// rendered, because the templates include each other by their places in the tree. That python3 with jinja2 is not
// there is no error, but for --samples: the text then says that nothing was rendered. current is a config_db.json or
// "", and topology the file of the plan, which the text of the pull request names.
func (f *hwskuFlags) write(cmd *cobra.Command, p nos.Plan, current, topology string) error {
	now, err := allTables(cmd, current)
	if err != nil {
		return err
	}
	folder, err := hwsku.Of(p, hwsku.Options{Current: now, Topologies: f.topologies})
	if err != nil {
		return cli.BadUsage("--hwsku: nothing was written: %w", err)
	}
	// The files have their names before the folder is rendered, which reads them there.
	if err := writeFiles(cmd, "", f.folder, folder.Files); err != nil {
		return err
	}
	rendered, err := hwsku.Render(cmd.Context(), f.folder, f.topologies)
	// The text of the pull request says what was rendered, or why nothing was.
	seen := hwsku.Measured{Rendered: rendered, NotRendered: err}
	if err == nil {
		seen.Findings, err = folder.Audit(cmd.Context(), f.folder, p.Intent.Chip)
	}
	switch {
	// The samples were asked for, and there are none.
	case err != nil && f.samples != "":
		return cli.ExitWith(cli.ExitFailure, fmt.Errorf("--samples: the folder was written, and no samples: %w", err))
	// ErrNotRendered says that there is no renderer here; any other error is one of the templates themselves.
	case err != nil && !errors.Is(err, hwsku.ErrNotRendered):
		return cli.ExitWith(cli.ExitFailure, fmt.Errorf("%s was written, and does not render: %w", f.folder, err))
	}
	if f.samples != "" {
		var samples []nos.File
		for _, r := range rendered {
			for _, template := range []string{devicetree.Buffers, devicetree.QoS} {
				samples = append(samples, nos.File{Name: hwsku.SampleName(f.folder, template, r.Topology),
					Content: []byte(r.Texts[template])})
			}
		}
		if err := writeFiles(cmd, "", f.samples, samples); err != nil {
			return err
		}
	}
	fmt.Fprint(cmd.OutOrStdout(), folder.PullRequest(p, f.folder, topology, seen))
	var differ []string
	for _, r := range rendered {
		for _, d := range folder.Differences(r) {
			differ = append(differ, r.Topology+": "+d)
		}
	}
	// The folder stays, so that the difference can be looked at.
	if len(differ) > 0 {
		return cli.ExitWith(cli.ExitGaps, fmt.Errorf("%s was written, and renders to another configuration than the "+
			"plan's: %d differences, first %s", f.folder, len(differ), differ[0]))
	}
	return nil
}

// allTables reads the tables of a config_db.json that a folder has; nil without a file. It reads tables beyond those of
// a push, which a folder has templates for.
func allTables(cmd *cobra.Command, file string) (sonic.Database, error) {
	db, err := readCurrent(cmd, file)
	if db == nil || err != nil {
		return nil, err
	}
	// The file is read once more, because readCurrent keeps the tables of a push alone.
	data, err := cli.Named(cmd)(file)
	var whole map[string]json.RawMessage
	if err == nil {
		err = json.Unmarshal(data, &whole)
	}
	for _, name := range hwsku.Tables() {
		if text, there := whole[name]; there && err == nil {
			db[name], err = sonic.ReadTable(text)
		}
	}
	if err != nil {
		return nil, cli.BadUsage("--current: %s: %w", file, err)
	}
	return db, nil
}

// writeFiles writes files into a directory, which is made where it is not there; empty: their names say it. Files that
// exist are replaced with --force alone. All get their names together, or none. flag is in front of the error of the
// directory.
func writeFiles(cmd *cobra.Command, flag, directory string, files []nos.File) error {
	if directory != "" {
		// The mode is that of every folder that a user makes; the umask takes away from it.
		if err := os.MkdirAll(directory, 0o777); err != nil {
			return cli.ExitWith(cli.ExitFailure, fmt.Errorf("%s%w", flag, err))
		}
	}
	for _, file := range files {
		if err := cli.Put(cmd, filepath.Join(directory, file.Name), file.Content); err != nil {
			return cli.ExitWith(cli.ExitFailure, err)
		}
	}
	return cli.Failure(cli.Commit(cmd))
}
