package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/internal/cli"
)

// addHelp gives the root its help, a help of exit codes, and the command of the shell's completion.
func addHelp(root *cobra.Command) {
	root.SetHelpFunc(cli.Help)
	root.SetUsageFunc(cli.Usage)
	// A command without work to do, which cobra lists as a topic of help and not as a verb.
	root.AddCommand(&cobra.Command{Use: "exit-codes", Short: "What the exit codes of all commands mean",
		Long: cli.ExitCodeList})
	// Cobra's own help command answers a wrong verb with the usage and exit code 0, so that a script would not notice.
	help := cli.Command("help", nil, func(cmd *cobra.Command, args []string) error {
		// Find also gives the deepest verb that it knows and what is left: "help plan nonsense" is as wrong as "help
		// nonsense".
		of, rest, err := root.Find(args)
		if err != nil || len(rest) > 0 {
			return fmt.Errorf("%q is no command and no topic (want one of cellwarden --help)", args[0])
		}
		// Cobra adds --help when a command runs, and this one does not run.
		of.InitDefaultHelpFlag()
		return of.Help()
	})
	help.GroupID = "reference"
	root.SetHelpCommand(help)
	root.SetCompletionCommandGroupID("reference")
}
