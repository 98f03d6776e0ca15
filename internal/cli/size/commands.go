// Package size has the verb that sizes one link: headroom, with its tables (--fit) and replay buffers (--llr). The
// incasts of capacity --burst are here too.
package size

import "github.com/spf13/cobra"

// Commands are the verbs of this group.
func Commands() []*cobra.Command {
	return []*cobra.Command{
		headroomCommand(),
	}
}
