// Package fabric has the verb for many switches at once: fabric.
package fabric

import (
	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/fabric"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/cli/many"
)

// fabricLong is the description of the verb without a question. Each question has its own below.
const fabricLong = `fabric answers questions about many switches, their cables and routes. docs/fabric.md describes the file.

`

// Commands are the verbs of this package.
func Commands() []*cobra.Command { return []*cobra.Command{fabricCommand()} }

// fabricCommand makes the verb. By itself it prints its help; a word that is no question is wrong usage and not an
// argument.
func fabricCommand() *cobra.Command {
	c := &cobra.Command{
		Use:     "fabric",
		Short:   "Ask about many switches and their routes: can pauses lock?",
		Long:    fabricLong + cli.ExitCodes,
		Example: "  cellwarden fabric deadlock examples/fabric-leaf-spine.yaml",
		Args:    cli.UnknownVerb,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	// waves is in package many, which brings changes to switches in waves. The others ask about routes.
	c.AddCommand(deadlockCommand(), importCommand(), pausesCommand(), many.WavesCommand())
	return c
}

// read reads the file of a fabric for a question about its routes, with the dumps of tables that it names: they have no
// bound of length, so they are opened and not read as a whole; with --confine they are below the folder of the file.
func read(cmd *cobra.Command, file string, format cli.Output) (*fabric.File, error) {
	var data []byte
	var f *fabric.File
	err := cli.CheckFormat(format)
	name := file
	if err == nil {
		name, data, err = cli.ReadInput(cmd, file)
	}
	if err == nil {
		f, err = fabric.Read(name, data)
	}
	if err == nil {
		err = f.Tables(many.Dumps(cmd, file))
	}
	if err != nil {
		return nil, cli.ExitWith(cli.ExitUsage, err)
	}
	return f, nil
}

// assumed are what an answer rests on, as lines.
func assumed(texts []string) (out []string) {
	for _, text := range texts {
		out = append(out, "assumed: "+text)
	}
	return out
}
