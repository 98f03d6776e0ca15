package findings

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/finding"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/revision"
	"github.com/cellwarden/cellwarden/topology"
)

// This file compares findings with those of a revision of git: the flag --since.

// SinceFlag adds the flag --since, a revision of git. An empty one is refused: a script whose variable is empty would
// otherwise compare with nothing. Whether git knows the revision is found out when it is read.
func SinceFlag(c *cobra.Command, to *string) {
	cli.TypedFlag(c.Flags(), to, "since", "", func(text string) (string, error) {
		if text == "" {
			return "", errors.New(`"" (want a revision of git, such as origin/main)`)
		}
		return text, nil
	}, "list only what the work tree brings in, compared with this revision of git")
}

// At returns a function that reads files as they were in a revision of git, by the names that they have in a work tree.
func At(cmd *cobra.Command, rev string) topology.Open {
	return func(name string) ([]byte, error) {
		file, err := revision.ReadFile(cmd.Context(), rev, name)
		return file.Data, err
	}
}

// PlanAt plans a topology as it was in a revision of git, with the changes of --set. The plan is nil if the revision
// does not have the file, or if the plan did not fit: nothing was found in it then. Every error is wrong usage.
func PlanAt(cmd *cobra.Command, rev, name string) (plan *buffer.Plan, in buffer.Intent, err error) {
	switch {
	case name == "-" || cli.MemberOf(cmd.Context(), name).Name != "":
		return nil, in, cli.BadUsage("--since with %s (want the topology of one switch, in a work tree of git)",
			cli.ShownName(name))
	case cmd.Flags().Lookup(cli.Confine).Value.String() == "true":
		return nil, in, cli.BadUsage("--since and --confine (want one of them)")
	}
	open := At(cmd, rev)
	data, err := open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, in, nil
	}
	if err == nil { // the files that it names are found by its name
		var top *topology.File
		if top, err = topology.Read(name, data, open, cli.ChangesOf(cmd)...); err == nil {
			in = top.Intent
			plan, err = buffer.NewUntil(cmd.Context().Err, in)
		}
	}
	if err != nil {
		return nil, in, cli.BadUsage("--since %s: %w", rev, err)
	}
	if plan.Err() != nil {
		plan = nil
	}
	return plan, in, nil
}

// NewSince returns the findings that a revision does not have, and a note on the others. A finding of both is found by
// its key, which has no line in it: one that has moved is not new.
func NewSince(rev string, before, now []finding.Finding) (fresh []finding.Finding, note string) {
	// were counts the findings of the revision, and mended those of them that are gone.
	fresh, were, mended := finding.Since(before, now)
	return fresh, fmt.Sprintf("not listed: findings that %s has too (it had %d, %d of them are repaired)", rev, were,
		mended)
}
