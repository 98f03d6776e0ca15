// Package plan has the verbs that plan a switch and answer questions about its plan: plan, capacity, diff,
// sweep and init.
package plan

import "github.com/spf13/cobra"

// Commands are the verbs of this group.
func Commands() []*cobra.Command {
	return []*cobra.Command{
		planCommand(), capacityCommand(), diffCommand(), sweepCommand(), initCommand(),
	}
}
