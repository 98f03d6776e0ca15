// Package prove has the verbs that prove a plan in simulation or find the numbers of a chip: verify, sim, probe,
// calibrate and risk.
package prove

import "github.com/spf13/cobra"

// Commands are the verbs of this group.
func Commands() []*cobra.Command {
	return []*cobra.Command{
		verifyCommand(), simCommand(), probeCommand(), calibrateCommand(), riskCommand(),
	}
}
