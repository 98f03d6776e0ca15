package main

import "github.com/spf13/cobra"

// proveCommands are the verbs of this group.
func proveCommands() []*cobra.Command {
	return []*cobra.Command{
		verifyCommand(), simCommand(), probeCommand(), calibrateCommand(), riskCommand(),
	}
}
