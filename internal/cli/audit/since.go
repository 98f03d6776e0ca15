package audit

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/cellwarden/cellwarden/audit"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/revision"
	"github.com/cellwarden/cellwarden/nos/sonic/devicetree"
)

// This file audits a change of device files: what the work tree, or a patch, brings in. Only the folders that depend on
// a changed file are audited, before the change and after it.

// side is one side of a change.
type side struct {
	folders []devicetree.Folder // that depend on a changed file
	all     int                 // folders, those that do not included
}

// compared audits what the work tree, or the patch, brings in. Findings are compared by what they are about, and not by
// their lines, which move.
func (a *auditor) compared(path string) error {
	ctx := a.cmd.Context()
	tree, below, err := devicetree.Open(path)
	if err != nil {
		return cli.ExitWith(cli.ExitUsage, fmt.Errorf("--since: %w", err))
	}
	defer tree.Close()
	rev := a.since
	if rev == "" {
		rev = "HEAD"
	}
	base, err := revision.OpenIn(ctx, a.temporary, tree.Path, rev, a.needed(below)...)
	if err != nil {
		return cli.ExitWith(cli.ExitUsage, fmt.Errorf("--since: %w", err))
	}
	defer base.Close()
	a.out.since = rev
	after, changed := tree, []string(nil)
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
	sides, err := affected(ctx, below, changed, before, after)
	if err != nil {
		return cli.ExitWith(cli.ExitFailure, err)
	}
	if sides[0].all+sides[1].all == 0 {
		return cli.ExitWith(cli.ExitUsage, fmt.Errorf("%s: %w", path, errNoFolder))
	}
	a.out.sinceFolders = sides[1].all
	was := auditor{auditFlags: a.auditFlags, cmd: a.cmd, chip: a.chip}
	if err := was.folders(ctx, before, sides[0].folders, a.options()); err != nil {
		return err
	}
	if err := a.folders(ctx, after, sides[1].folders, a.options()); err != nil {
		return err
	}
	a.out.keepNew(was.out.Findings)
	return nil
}

// temporary makes a folder that is removed however the process ends, but for a signal that it does not see.
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

// patched returns the base with the patch, and the files that it changes.
func (a *auditor) patched(ctx context.Context, dir string, base *revision.Tree) (*revision.Tree, []string, error) {
	name, data, err := cli.ReadInput(a.cmd, a.patch)
	if err != nil {
		return nil, nil, fmt.Errorf("--patch: %w", err)
	}
	out, err := revision.OpenIn(ctx, a.temporary, dir, base.Commit)
	if err != nil {
		return nil, nil, err
	}
	if err := out.Patch(ctx, data); err != nil {
		return out, nil, fmt.Errorf("%s: %w", name, err)
	}
	changed, err := revision.Differences(base, out)
	return out, changed, err
}

// affected returns the folders of each side that depend on a changed file, on this side or the other.
func affected(ctx context.Context, below string, changed []string, trees ...*devicetree.Tree) ([]side, error) {
	var out []side
	depends := map[string]bool{}
	for _, t := range trees {
		folders, _, err := t.Folders(ctx, below)
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // a folder may be new, or gone
			return nil, err
		}
		for i := range folders {
			if t.DependsOn(&folders[i], changed) {
				depends[folders[i].Path] = true
			}
		}
		out = append(out, side{folders, len(folders)})
	}
	for i := range out {
		out[i].folders = slices.DeleteFunc(out[i].folders, func(f devicetree.Folder) bool { return !depends[f.Path] })
	}
	return out, nil
}

// keepNew keeps the findings that were not there before, and counts those that were.
func (r *auditReport) keepNew(before []audit.Finding) {
	known := map[string]bool{}
	for i := range before {
		known[before[i].Key()] = true
	}
	left := map[string]bool{}
	for i := range r.Findings {
		left[r.Findings[i].Key()] = true
	}
	r.Before = len(known)
	for key := range known {
		if !left[key] {
			r.Mended++
		}
	}
	r.Findings = slices.DeleteFunc(r.Findings, func(f audit.Finding) bool { return known[f.Key()] })
}
