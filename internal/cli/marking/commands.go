// Package marking has the verb that compares marking (ECN) with pausing (PFC): ecn.
package marking

import "github.com/spf13/cobra"

// Commands are the verbs of this group.
func Commands() []*cobra.Command {
	return []*cobra.Command{
		ecnCommand(),
	}
}
