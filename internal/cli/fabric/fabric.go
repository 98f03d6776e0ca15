// Package fabric has the verb for many switches at once: fabric.
package fabric

import (
	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/cli/many"
)

// FabricCommand makes the verb. By itself it prints its help; a word that is no question is wrong usage and not an
// argument.
func FabricCommand() *cobra.Command {
	c := cli.Command("fabric", cli.UnknownVerb, func(cmd *cobra.Command, _ []string) error { return cmd.Help() })
	// waves is in package many, which brings changes to switches in waves. The others ask about routes.
	c.AddCommand(deadlockCommand(), importCommand(), pausesCommand(), many.WavesCommand())
	return c
}
