package main

import "github.com/spf13/cobra"

// pushCommands are the verbs of this group.
func pushCommands() []*cobra.Command {
	return []*cobra.Command{
		applyCommand(), resumeCommand(), driftCommand(), renderCommand(), targetCommand(), profilesCommand(),
	}
}
