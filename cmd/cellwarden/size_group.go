package main

import "github.com/spf13/cobra"

// sizeCommands are the verbs of this group.
func sizeCommands() []*cobra.Command {
	return []*cobra.Command{
		headroomCommand(), fitCommand(), llrCommand(), ecnCommand(), burstCommand(),
	}
}
