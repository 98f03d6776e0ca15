package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/internal/cli"
)

// questions are what the verbs answer: the first line of their help. A verb that has none begins its help with its
// short text; a test finds the verb that was forgotten.
var questions = map[string]string{
	"cellwarden capacity":        "How long can the cables of a switch be, and how many more ports fit?",
	"cellwarden diff":            "What changes from one plan to another, and how much traffic does the change stop?",
	"cellwarden init":            "How do I begin a topology for a chip?",
	"cellwarden plan":            "Do all ports of a switch fit into the buffer of its chip, and what is left?",
	"cellwarden sweep":           "For which values of some keys does a topology fit?",
	"cellwarden calibrate":       "Which numbers of a chip follow from what was measured on a switch?",
	"cellwarden identify":        "By which rules does a switch admit packets, if nobody tells?",
	"cellwarden probe":           "At which packet does a group pause, drop and resume?",
	"cellwarden risk":            "How likely is it that a shared headroom pool overflows?",
	"cellwarden fabric":          "What can happen in a whole fabric, which no switch shows alone?",
	"cellwarden fabric deadlock": "Can pauses of lossless traffic lock on these routes?",
	"cellwarden fabric waves":    "In which order are the switches of a fabric changed?",
	"cellwarden fabric pauses":   "Who can stop if a host takes no more frames?",
	"cellwarden fabric import":   "How do the cables that another tool knows become the file of a fabric?",
	"cellwarden sim":             "What happens to the frames of a scenario, and are its expectations met?",
	"cellwarden verify":          "Is a plan lossless in the worst case of every link?",
	"cellwarden apply":           "How does a plan get to a switch, and does the switch hold it?",
	"cellwarden drift":           "Does a switch still hold its plan?",
	"cellwarden render":          "How does a plan look as native configuration of a switch?",
	"cellwarden resume":          "Which pushes were interrupted, and how are they finished or undone?",
	"cellwarden target":          "How does a switch with a plan answer over gNMI, without a switch at hand?",
	"cellwarden audit":           "What is wrong with the buffer configuration of a switch?",
	"cellwarden import":          "How is the configuration of a switch written as a topology?",
	"cellwarden watch":           "Has a switch lost lossless packets, and how much of its headroom has it used?",
	"cellwarden ecn":             "Does a switch mark (ECN) before it pauses (PFC)?",
	"cellwarden headroom":        "How much headroom does one lossless group need on a link?",
	"cellwarden link":            "Do the two ends of a link agree on what is lossless?",
	"cellwarden asic":            "Which chips and kinds of switches are known?",

	"cellwarden asic list":     "Which chips are known, and for which of them can be planned?",
	"cellwarden asic show":     "Which numbers does a chip have, and where do they come from?",
	"cellwarden asic profiles": "Which values of a plan does each vendor's gNMI accept?",

	"cellwarden completion": "How does a shell complete the commands and the flags?",
	"cellwarden help":       "What does a command do, and with which flags?",

	"cellwarden explain": "Where do the numbers of a port come from?",
	"cellwarden man":     "How does man(1) show the help of every command?",
	"cellwarden schema":  "Which keys does a file or a document have?",
	"cellwarden serve":   "What would change, if I drag a cable?",
	"cellwarden version": "Which version is this?",
}

// exitCodes is the help of the exit codes. It is a command without work to do, which cobra lists as a topic of help
// and not as a verb.
const exitCodes = "exit-codes"

// addHelp gives the root its help, a help of exit codes, and the command of the shell's completion.
func addHelp(root *cobra.Command) {
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) { cli.Help(cmd, questions[cmd.CommandPath()]) })
	root.SetUsageFunc(cli.Usage)
	root.AddCommand(&cobra.Command{Use: exitCodes, Short: "What the exit codes of all commands mean",
		Long: cli.ExitCodeList})
	// Cobra's own help command answers a wrong verb with the usage and exit code 0, so that a script would not notice.
	root.SetHelpCommand(&cobra.Command{
		Use: "help [COMMAND]", Short: "Print the help of a command or a topic", GroupID: "reference",
		Example: "  cellwarden help plan\n  cellwarden help " + exitCodes,
		RunE: func(cmd *cobra.Command, args []string) error {
			// Find also gives the deepest verb that it knows and what is left: "help plan nonsense" is as wrong as "help
			// nonsense".
			of, rest, err := root.Find(args)
			if err != nil || len(rest) > 0 {
				return fmt.Errorf("%q is no command and no topic (want one of cellwarden --help)", args[0])
			}
			// Cobra adds --help when a command runs, and this one does not run.
			of.InitDefaultHelpFlag()
			return of.Help()
		},
	})
	root.SetCompletionCommandGroupID("reference")
}
