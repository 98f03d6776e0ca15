// Package size has the verbs that size one link or one queue: headroom, with its tables (--fit) and replay buffers
// (--llr), and ecn. The incasts of capacity --burst are here too.
package size

import "github.com/spf13/cobra"

// Commands are the verbs of this group.
func Commands() []*cobra.Command {
	return []*cobra.Command{
		headroomCommand(), ecnCommand(),
	}
}
