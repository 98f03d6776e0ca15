package audit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/cellwarden/cellwarden/finding"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/devicetree"
	"github.com/cellwarden/cellwarden/internal/revision"
)

// This file audits a change: what the work tree, or a patch, brings in. Of device files, only the folders that depend
// on a changed file are audited, before the change and after it. Configurations are few, and all are audited.

// compared audits what the work tree, or the patch, brings in. Findings are compared by what they are about, and not by
// their lines, which move. Both states are read from folders: the revision is unpacked into a temporary one, and a
// patch is applied to another.
func (a *auditor) compared(path string) error {
	ctx := a.cmd.Context()
	// A file is compared by itself. A folder may have hwsku folders, configurations or tables.
	if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && a.patch == "" {
		return a.comparedFile(path)
	}
	tree, below, err := devicetree.Open(path)
	if err != nil {
		return cli.BadUsage("--since: %w", err)
	}
	defer tree.Close()
	rev := cmp.Or(a.since, "HEAD") // a patch without a revision is one of the last commit
	// Only the folders that are audited are unpacked, as a checkout of device files has tens of thousands of files.
	base, err := revision.Open(ctx, a.temporary, tree.Path, rev, a.needed(below)...)
	if err != nil {
		return cli.BadUsage("--since: %w", err)
	}
	defer base.Close()
	a.out.since = rev
	after, changed := tree, []string(nil)
	// The work tree is the state after the change, with what is not yet committed. A patch has no such tree, so one
	// is made.
	if a.patch == "" {
		changed, err = revision.Changed(ctx, tree.Path, base.Commit)
	} else {
		var patched *revision.Tree
		if patched, changed, err = a.patched(ctx, tree.Path, base); patched != nil {
			defer patched.Close()
		}
		if err == nil {
			if after, _, err = devicetree.Open(patched.Path); err == nil {
				defer after.Close()
			}
		}
	}
	if err != nil {
		return cli.ExitWith(cli.ExitUsage, err)
	}
	before, _, err := devicetree.Open(base.Path)
	if err != nil {
		return cli.ExitWith(cli.ExitFailure, err)
	}
	defer before.Close()
	// A folder depends on files that its templates and links lead to, in either state.
	change, err := devicetree.Affected(ctx, before, after, below, changed)
	if err != nil {
		return cli.ExitWith(cli.ExitFailure, err)
	}
	switch {
	// Neither state has a hwsku folder there.
	case change.AllBefore+change.All == 0 && a.patch == "":
		return a.comparedFolder(path)
	case change.AllBefore+change.All == 0:
		return cli.BadUsage("%s: %w", path, errNoFolder)
	}
	// The findings of the state before are subtracted at the end, and never listed.
	was := a.before()
	if !strings.HasPrefix(below+"/", "device/") && a.patch == "" { // of a patch the folders alone are compared
		if err := a.configurationsSince(path, was); err != nil {
			return err
		}
	}
	// Both states are audited with the same options: a difference comes from the files.
	if err := was.folders(ctx, before, change.Before, a.options()); err != nil {
		return err
	}
	if err := a.folders(ctx, after, change.After, a.options()); err != nil {
		return err
	}
	// What was not audited is said, since silence about it would look like health.
	a.out.affected = fmt.Sprintf("%d of %d hwsku folders depend on a file that differs; the others are not audited",
		a.out.Folders, change.All)
	a.out.Findings, a.out.Before, a.out.Mended = finding.Since(was.out.Findings, a.out.Findings)
	return nil
}

// before returns the auditor of the state before the change. It has the same flags, and none of the hooks: only the
// state after the change is reported. The headroom table is that of the revision. One that the revision does not have
// brings its findings in, and one outside of the repository has the same ones before and after. Findings of the
// headroom table are added only to what the table of its own state gives.
func (a *auditor) before() *auditor {
	was := &auditor{auditFlags: a.auditFlags, cmd: a.cmd, chip: a.chip, table: a.table}
	was.add(a.out.Findings...) // so far, those of the table
	if a.auditFlags.table == "" || a.auditFlags.table == "-" || a.since == "" {
		return was
	}
	file, err := revision.ReadFile(a.cmd.Context(), a.since, a.auditFlags.table)
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		was.out.Findings = nil
	}
	if err == nil {
		was.headroomTable(a.auditFlags.table, file.Data)
	}
	return was
}

// comparedFile audits a configuration of the work tree, and what the revision of --since has under the same path. A
// file that the revision lacks brings in all of its findings.
func (a *auditor) comparedFile(path string) error {
	was := a.before()
	// The file was named, so whatever text it has in the revision is read as a configuration.
	if err := was.revision(path, func([]byte) bool { return true }); err != nil {
		return err
	}
	if err := a.file(path); err != nil {
		return err
	}
	a.subtract(was.out.Findings)
	return nil
}

// comparedFolder audits the configurations or the headroom tables of a folder, and those that the revision of --since
// has in it. A folder without any configuration, before or after, may have tables below it.
func (a *auditor) comparedFolder(path string) error {
	was := a.before()
	// So many are of the headroom table and of no configuration.
	of := len(was.out.Findings)
	if err := a.configurationsSince(path, was); err != nil {
		return err
	}
	// The findings of the table are not counted, since they do not say that the folder has a configuration.
	if len(a.configurations(path))+was.out.Configurations == 0 && len(was.out.Findings) == of {
		return a.comparedTables([]string{path})
	}
	a.subtract(was.out.Findings)
	return nil
}

// configurationsSince audits the configurations in a folder, and those that the revision has in it. Only files in the
// folder itself count, as for a folder that is audited without --since.
func (a *auditor) configurationsSince(path string, was *auditor) error {
	names, err := revision.Names(a.cmd.Context(), a.since, path)
	if err != nil {
		return cli.BadUsage("--since: %w", err)
	}
	for _, name := range names {
		if filepath.Dir(name) != filepath.Clean(path) || !strings.HasSuffix(name, ".json") {
			continue
		}
		if err := was.revision(name, func(data []byte) bool { return isConfiguration(name, data) }); err != nil {
			return err
		}
	}
	return a.files(a.configurations(path))
}

// revision audits a file of the revision of --since, if it has the file and the file is wanted. wanted looks at the
// text, since the name of a JSON file says little.
func (a *auditor) revision(name string, wanted func([]byte) bool) error {
	file, err := revision.ReadFile(a.cmd.Context(), a.since, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return cli.BadUsage("--since: %w", err)
	// Nothing is added for a file that is no configuration in the revision: it has no findings there.
	case !wanted(file.Data):
		return nil
	}
	return a.oneOf(name, file.Data)
}

// subtract leaves what the state before the change does not have. Both lists are compared by the keys of findings,
// which have no lines.
func (a *auditor) subtract(was []finding.Finding) {
	// The order is that of a report without --since.
	finding.Sort(a.out.Findings)
	a.out.since = a.since
	a.out.Findings, a.out.Before, a.out.Mended = finding.Since(was, a.out.Findings)
}

// temporary makes a folder that is removed however the process ends, but for a signal that it does not see. The set of
// files removes it with the outputs that were not committed.
func (a *auditor) temporary() (string, error) {
	_, set := cli.FilesOf(a.cmd)
	return set.Temporary("cellwarden-revision")
}

// needed are the folders of a revision that are needed, none for all: a patch may change files that no audit reads.
func (a *auditor) needed(below string) []string {
	if a.patch != "" || below == "." {
		return nil
	}
	return []string{below}
}

// patched returns the base with the patch, and the files that it changes. The tree is returned beside an error of the
// patch, so that the caller can remove it.
func (a *auditor) patched(ctx context.Context, dir string, base *revision.Tree) (*revision.Tree, []string, error) {
	name, data, err := cli.ReadInput(a.cmd, a.patch)
	if err != nil {
		return nil, nil, fmt.Errorf("--patch: %w", err)
	}
	// The whole tree is unpacked, because a patch may change any file.
	out, err := revision.Open(ctx, a.temporary, dir, base.Commit)
	if err != nil {
		return nil, nil, err
	}
	if err := out.Patch(ctx, data); err != nil {
		return out, nil, fmt.Errorf("%s: %w", name, err)
	}
	// The files are compared and not the lines of the patch, so that its format needs no second reader here.
	changed, err := revision.Differences(base, out)
	return out, changed, err
}
