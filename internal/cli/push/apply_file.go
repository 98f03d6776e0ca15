package push

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/gnmi/native"
	"github.com/cellwarden/cellwarden/nos"

	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/nos/registry"
	"github.com/cellwarden/cellwarden/nos/sonic"
)

// This file writes the changes of a push to files, for a switch that is reached by other
// means than gNMI: on SONiC, config apply-patch reads them.

// fileFlags are the flags of a push to files.
type fileFlags struct{ dialect, to, current string }

// check refuses flags that lack each other.
func (f *fileFlags) check() error {
	switch {
	case *f == fileFlags{}:
		return nil
	case f.to == "":
		return errors.New("--dialect and --current are for --to-file: accepted: all three, or --to-file with --dialect")
	case f.dialect == "":
		return fmt.Errorf("--to-file: no --dialect: accepted: %s", strings.Join(dialectsToFile(), ", "))
	case profileOfDialect(f.dialect) == nil:
		return fmt.Errorf("dialect %q: accepted: %s", f.dialect, strings.Join(dialectsToFile(), ", "))
	case f.current != "" && f.dialect != "sonic":
		return fmt.Errorf("--current does not apply to dialect %s: accepted: with --dialect sonic", f.dialect)
	}
	return nil
}

// dialectsToFile are the dialects of kinds of switches that have a profile.
func dialectsToFile() []string {
	return slices.DeleteFunc(registry.Dialects(), func(name string) bool { return profileOfDialect(name) == nil })
}

// profileOfDialect is the kind of switch that reads a dialect; nil: there is none.
func profileOfDialect(name string) *nos.Profile {
	for _, p := range registry.Profiles() {
		if p.Dialect == name {
			return p
		}
	}
	return nil
}

// writtenJSON is a file of a push to files.
type writtenJSON struct {
	File    string `json:"file"`
	Purpose string `json:"purpose"`

	content []byte
}

// toFiles computes the changes and the files for them.
func (p *Push) toFiles() error {
	target := profileOfDialect(p.file.dialect)
	p.Report = &backend.Report{Device: "profile " + target.Name, State: backend.Unchanged}
	if err := p.describeNative(target); err != nil {
		return err
	}
	if err := p.changes.Allowed(disruptionOf(p.allowed)); err != nil {
		return err
	}
	for _, f := range filesToApply(p.changes.(*nativeChanges).report.Rendering) {
		name := p.file.to
		if f.part {
			ext := filepath.Ext(name)
			name = strings.TrimSuffix(name, ext) + "." + f.Name
		}
		p.files = append(p.files, writtenJSON{name, f.Purpose, f.Content})
	}
	return nil
}

// writeFiles writes the files, all or none.
func (p *Push) writeFiles(cmd *cobra.Command) error {
	for _, f := range p.files {
		out, err := cli.Create(cmd, f.File)
		if err == nil {
			_, err = out.Write(f.content)
		}
		if err != nil {
			return cli.ExitWith(cli.ExitFailure, err)
		}
	}
	return cli.Failure(cli.Commit(cmd))
}

// appliedFile is a file in the order in which files are applied. A part has a name of its own.
type appliedFile struct {
	nos.File
	part bool
}

// filesToApply lists the files of a rendering that change a switch. On SONiC these are the
// differences; the whole configuration is for render.
func filesToApply(r *nos.Rendering) []appliedFile {
	var out []appliedFile
	if r.Dialect != "sonic" {
		for i, f := range r.Files {
			out = append(out, appliedFile{f, i > 0})
		}
		return out
	}
	for _, name := range []string{"first.json", "now.json", "last.json", "reload.json"} {
		i := slices.IndexFunc(r.Files, func(f nos.File) bool { return f.Name == name })
		if i >= 0 && (name != "reload.json" || len(r.Waiting) > 0) {
			out = append(out, appliedFile{r.Files[i], name != "now.json"})
		}
	}
	return out
}

// valueAt returns the function that finds a value of a configuration by its path; nil if the
// configuration is not known.
func valueAt(db sonic.Database) func([]nos.Elem) any {
	if db == nil {
		return nil
	}
	var tree any
	data, err := json.Marshal(db)
	if err == nil {
		err = json.Unmarshal(data, &tree)
	}
	if err != nil {
		panic("cellwarden: " + err.Error()) // it is made of maps and texts
	}
	return func(path []nos.Elem) any {
		at := tree
		for _, e := range path[len(sonic.Path()):] {
			object, _ := at.(map[string]any)
			at = object[e.Name]
		}
		return at
	}
}

// portsOf refuses a plan with ports that the switch's configuration does not have.
func portsOf(language native.Language, db sonic.Database) error {
	s, ok := language.(*native.SONiC)
	if !ok || db == nil {
		return nil
	}
	if err := s.Ports(db); err != nil {
		return cli.ExitWith(cli.ExitUsage, fmt.Errorf("nothing was written: %w", err))
	}
	return nil
}
