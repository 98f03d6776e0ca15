package main

import "github.com/spf13/cobra"

// auditCommands are the verbs of this group.
func auditCommands() []*cobra.Command {
	return []*cobra.Command{
		auditCommand(), lintCommand(), importCommand(), watchCommand(),
	}
}
