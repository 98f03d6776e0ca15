package fabric

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/internal/cabling"
	"github.com/cellwarden/cellwarden/internal/cli"
)

// import writes the file of a fabric from what other tools know. Package internal/cabling reads it.

// importCommand makes the verb. --write is a path, and empty or - is standard output.
func importCommand() *cobra.Command {
	var to string
	c := cli.Command("fabric import", cli.Args(1, cli.NoBound), func(cmd *cobra.Command, args []string) error {
		return importFiles(cmd, args, to)
	})
	c.Flags().StringVar(&to, "write", "", "write the file here, and print what was read")
	// A file that exists is kept without it: routes may have been added to one by hand.
	cli.ForceFlag(c)
	return c
}

// importFiles reads the files, and writes the fabric. All files are read before anything is written, because a cable
// can be told by two of them. What is wrong with a file, or what two of them say differently, is wrong input (exit
// code 2) and writes nothing.
func importFiles(cmd *cobra.Command, args []string, to string) error {
	// One list for all files: a cable that two of them have is one cable.
	var l cabling.List
	for _, arg := range args {
		name, data, err := cli.ReadInput(cmd, arg)
		if err == nil {
			err = l.Read(name, data)
		}
		if err != nil {
			return cli.ExitWith(cli.ExitUsage, err)
		}
	}
	// An error of the whole names all files: it is what they lack or contradict together.
	text, err := l.Write()
	if err != nil {
		return cli.BadUsage("%s: %w", strings.Join(args, ", "), err)
	}
	// Until it is whole the text has a temporary name, so that an interrupted import leaves no half of a file. Standard
	// output is the file's alone, so that it can be piped: there are no counts and notes then.
	if err := cli.Store(cmd, to, text); err != nil || to == "" || to == "-" {
		return cli.Failure(err)
	}
	lines := []string{fmt.Sprintf("%s: %s, %s, %s", to, cli.Plural(l.Switches(), "switch", "switches"),
		cli.Plural(l.Hosts(), "host", "hosts"), cli.Plural(l.Cables(), "cable", "cables"))}
	// Notes are what was left out of the files, and why.
	lines = append(lines, cli.Prefixed("- ", l.Notes())...)
	// Without routes fabric deadlock refuses the file.
	lines = append(lines, "next: add routes, then cellwarden fabric deadlock "+to)
	_, err = fmt.Fprintln(cmd.OutOrStdout(), strings.Join(lines, "\n"))
	return cli.Failure(err)
}
