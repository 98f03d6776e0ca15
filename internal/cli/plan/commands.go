package plan

import "github.com/spf13/cobra"

// Commands are the verbs of this group.
func Commands() []*cobra.Command {
	return []*cobra.Command{
		planCommand(), capacityCommand(), explainCommand(), diffCommand(), sweepCommand(), mergeCommand(), reportCommand(), initCommand(),
	}
}
