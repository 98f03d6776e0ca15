package prove

import "github.com/spf13/cobra"

// Commands are the verbs of this group.
func Commands() []*cobra.Command {
	return []*cobra.Command{
		verifyCommand(), simCommand(), probeCommand(), calibrateCommand(), riskCommand(),
	}
}
