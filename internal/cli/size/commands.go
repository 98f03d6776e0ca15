package size

import "github.com/spf13/cobra"

// Commands are the verbs of this group.
func Commands() []*cobra.Command {
	return []*cobra.Command{
		headroomCommand(), fitCommand(), llrCommand(), ecnCommand(), burstCommand(),
	}
}
