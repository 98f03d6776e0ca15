package audit

import (
	"context"
	"fmt"

	"github.com/cellwarden/cellwarden/finding"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/revision"
	"github.com/cellwarden/cellwarden/nos/sonic/devicetree"
)

// This file audits a change of device files: what the work tree, or a patch, brings in. Only the folders that depend on
// a changed file are audited, before the change and after it.

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
	// A patch without a revision is one of the last commit.
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
	change, err := devicetree.Affected(ctx, before, after, below, changed)
	if err != nil {
		return cli.ExitWith(cli.ExitFailure, err)
	}
	// Neither state has a folder to audit: the path is wrong. No folder that depends on the change is a result.
	if change.AllBefore+change.All == 0 {
		return cli.ExitWith(cli.ExitUsage, fmt.Errorf("%s: %w", path, errNoFolder))
	}
	// The same flags for both, and none of the hooks: only the state after the change is reported.
	was := auditor{auditFlags: a.auditFlags, cmd: a.cmd, chip: a.chip}
	if err := was.folders(ctx, before, change.Before, a.options()); err != nil {
		return err
	}
	if err := a.folders(ctx, after, change.After, a.options()); err != nil {
		return err
	}
	a.out.affected = fmt.Sprintf("%d of %d hwsku folders depend on a file that differs; the others are not audited",
		a.out.Folders, change.All)
	a.out.Findings, a.out.Before, a.out.Mended = finding.Since(was.out.Findings, a.out.Findings)
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
