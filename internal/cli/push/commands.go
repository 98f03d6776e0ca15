package push

import "github.com/spf13/cobra"

// Commands are the verbs of this group.
func Commands() []*cobra.Command {
	return []*cobra.Command{
		applyCommand(), resumeCommand(), driftCommand(), renderCommand(), targetCommand(), profilesCommand(),
	}
}
