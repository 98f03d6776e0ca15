package main

import "github.com/spf13/cobra"

// planCommands are the verbs of this group.
func planCommands() []*cobra.Command {
	return []*cobra.Command{
		planCommand(), capacityCommand(), explainCommand(), diffCommand(), sweepCommand(), mergeCommand(), reportCommand(), initCommand(),
	}
}
