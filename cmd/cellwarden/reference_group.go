package main

import "github.com/spf13/cobra"

// referenceCommands are the verbs of this group.
func referenceCommands() []*cobra.Command {
	return []*cobra.Command{
		asicCommand(), schemaCommand(), serveCommand(), versionCommand(),
	}
}
