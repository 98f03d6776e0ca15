// Package plan has the verbs that plan a switch and answer questions about its plan: plan, capacity, sweep and
// init; diff has a package of its own.
package plan

import (
	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/internal/cli/diff"
)

// Commands are the verbs of this group.
func Commands() []*cobra.Command {
	return []*cobra.Command{
		planCommand(), capacityCommand(), diff.DiffCommand(), sweepCommand(), initCommand(),
	}
}
