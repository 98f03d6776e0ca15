package main

import "github.com/spf13/cobra"

// linkCommands are the verbs of this group.
func linkCommands() []*cobra.Command {
	return []*cobra.Command{
		linkCommand(),
	}
}
