package push

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/gnmi/push"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/nos/registry"
	"github.com/cellwarden/cellwarden/nos/sonic"
)

// This file writes the changes of a push to files, for a switch that is reached by other
// means than gNMI: on SONiC, config apply-patch reads them.

// check refuses flags that lack each other. --current alone would have no effect, so it is refused without --to-file.
func (f *fileFlags) check() error {
	switch {
	// None of the three was given: it is a push to a device.
	case *f == fileFlags{}:
		return nil
	case f.to == "":
		return errors.New("--dialect and --current are for --to-file (want all three, or --to-file with --dialect)")
	case f.dialect == "":
		return fmt.Errorf("--to-file: no --dialect (want %s)", strings.Join(dialectsToFile(), ", "))
	// Only SONiC's patch depends on the present configuration.
	case f.current != "" && f.dialect != "sonic":
		return fmt.Errorf("--current does not apply to dialect %s (want it with --dialect sonic)", f.dialect)
	}
	return nil
}

// dialectsToFile are the dialects of kinds of switches that have a profile. A push is described by a profile, so a
// dialect without one has none.
func dialectsToFile() []string {
	all := registry.Profiles() // once: each start of the command asks
	return slices.DeleteFunc(registry.Dialects(), func(name string) bool {
		return !slices.ContainsFunc(all, func(p *nos.Profile) bool { return p.Dialect == name })
	})
}

// profileOfDialect is the kind of switch that reads a dialect, or nil. Of several profiles of one dialect it is the
// first.
func profileOfDialect(name string) *nos.Profile {
	for _, p := range registry.Profiles() {
		if p.Dialect == name {
			return p
		}
	}
	return nil
}

// toFiles computes the changes and the files for them. Nothing is written here: the files get their names when the
// report can be printed.
func (d *deviceRun) toFiles() error {
	var err error
	d.result, err = push.Describe(profileOfDialect(d.file.dialect), d.plan, d.options())
	// The configuration of --current is that of another switch: it lacks a port of the plan.
	if errors.Is(err, backend.ErrIdentity) {
		return cli.BadUsage("nothing was written: %w", err)
	}
	if err == nil {
		// The limit of a push holds here too: applying the file stops the same traffic.
		err = d.result.Allowed(d.Disruption)
	}
	if err != nil {
		return err
	}
	for _, f := range filesToApply(d.result.Rendering) {
		name := d.file.to
		// patch.json has parts beside it, patch.first.json and so on: the names keep the order and the folder
		// together.
		if f.part {
			// The extension of the first file is taken off, since the name of a part has its own.
			ext := filepath.Ext(name)
			name = strings.TrimSuffix(name, ext) + "." + f.Name
		}
		d.files = append(d.files, nos.File{Name: name, Purpose: f.Purpose, Content: f.Content})
	}
	return nil
}

// appliedFile is a file in the order in which files are applied. A part has a name of its own. Only the first has the
// name of --to-file itself.
type appliedFile struct {
	nos.File
	part bool
}

// filesToApply lists the files of a rendering that change a switch. On SONiC these are the differences; the whole
// configuration is for render, and reload.json is among them only if a value waits for a reload. Other dialects have no
// differences: all their files are applied as a whole.
func filesToApply(r *nos.Rendering) (out []appliedFile) {
	for i, f := range ordered(r) {
		switch {
		case r.Dialect != sonic.System.Name:
			out = append(out, appliedFile{f, i > 0})
		case slices.Contains(sonicOrder, f.Name) && (f.Name != "reload.json" || len(r.Waiting) > 0):
			out = append(out, appliedFile{f, f.Name != "now.json"})
		}
	}
	return out
}

// sonicOrder is the order in which a SONiC switch has to get the parts of a configuration. The whole comes before
// them. first.json has the cables that the switch needs before now.json, and last.json deletes what nothing points at
// after it. The names are those of the parts of package nos/sonic.
var sonicOrder = []string{"first.json", "now.json", "last.json", "reload.json"}

// ordered are the files of a rendering in the order in which they are applied. The whole configuration is not in
// sonicOrder, has the index -1 and so comes first.
func ordered(r *nos.Rendering) []nos.File {
	out := slices.Clone(r.Files)
	if r.Dialect == "sonic" {
		slices.SortStableFunc(out, func(a, b nos.File) int {
			return slices.Index(sonicOrder, a.Name) - slices.Index(sonicOrder, b.Name)
		})
	}
	return out
}
