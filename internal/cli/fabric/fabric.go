// Package fabric has the verb for many switches at once: fabric.
package fabric

import (
	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/cli/many"
)

// fabricLong is the description of the verb without a question. Each question has its own below.
const fabricLong = `fabric answers questions about many switches, their cables and routes. docs/fabric.md describes the file.`

// Commands are the verbs of this package.
func Commands() cli.Verbs { return cli.Verbs{"fabric": fabricCommand} }

// fabricCommand makes the verb. By itself it prints its help; a word that is no question is wrong usage and not an
// argument.
func fabricCommand() *cobra.Command {
	c := &cobra.Command{
		Use:     "fabric",
		Short:   "Ask about many switches and their routes: can pauses lock?",
		Long:    fabricLong,
		Example: "  cellwarden fabric deadlock examples/fabric-leaf-spine.yaml",
		Args:    cli.UnknownVerb,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	// waves is in package many, which brings changes to switches in waves. The others ask about routes.
	c.AddCommand(deadlockCommand(), importCommand(), pausesCommand(), many.WavesCommand())
	return c
}
