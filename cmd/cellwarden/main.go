// Command cellwarden plans the packet buffer of a switch. It sizes the headroom of
// lossless traffic and admits all ports into the cells of the chip, or refuses
// the plan. An admitted plan is applied to a simulated ASIC or to a switch over
// gNMI.
//
// The verbs are packages of internal/cli, by group. A verb reads its flags, calls
// the library and prints the result. This package joins them to one command, and
// does what belongs to the process: signals, standard files and the exit code.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/capacity"
	"github.com/cellwarden/cellwarden/internal/cli"
	auditcli "github.com/cellwarden/cellwarden/internal/cli/audit"
	"github.com/cellwarden/cellwarden/internal/cli/diff"
	fabriccli "github.com/cellwarden/cellwarden/internal/cli/fabric"
	"github.com/cellwarden/cellwarden/internal/cli/inputs"
	linkcli "github.com/cellwarden/cellwarden/internal/cli/link"
	"github.com/cellwarden/cellwarden/internal/cli/many"
	markingcli "github.com/cellwarden/cellwarden/internal/cli/marking"
	plancli "github.com/cellwarden/cellwarden/internal/cli/plan"
	provecli "github.com/cellwarden/cellwarden/internal/cli/prove"
	pushcli "github.com/cellwarden/cellwarden/internal/cli/push"
	referencecli "github.com/cellwarden/cellwarden/internal/cli/reference"
	sizecli "github.com/cellwarden/cellwarden/internal/cli/size"
	"github.com/cellwarden/cellwarden/internal/cli/target"
	"github.com/cellwarden/cellwarden/internal/cli/unknown"
	watchcli "github.com/cellwarden/cellwarden/internal/cli/watch"
	_ "github.com/cellwarden/cellwarden/internal/early" // before other packages
	"github.com/cellwarden/cellwarden/internal/files"
	"github.com/cellwarden/cellwarden/thresholds/method"
)

func main() { os.Exit(process(command)) }

// command runs the command line of this process.
func command(ctx context.Context) int { return run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr) }

// process does the work of this process and returns the exit code. The first
// SIGINT or SIGTERM ends the context: the command stops at a place where its files
// and the switch are whole. The second ends the process at once, also where nobody
// looks at the context; outputs that are not complete are removed. The set of open outputs travels in the context,
// because the goroutine of signals and the command share it.
func process(work func(context.Context) int) int {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	set := files.New()
	// Two places: signal.Notify drops a signal that nobody receives, and the second one may come while the first is
	// handled.
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-signals
		stop()
		second := <-signals
		set.Discard()
		os.Exit(signalled(second))
	}()
	return work(context.WithValue(ctx, cli.FilesKey{}, set))
}

// signalled is the exit code of a process that a signal ends, as a shell has it: 130
// for SIGINT.
func signalled(s os.Signal) int {
	n, ok := s.(syscall.Signal)
	if !ok {
		return cli.ExitFailure
	}
	return 128 + int(n)
}

// run is main without the process around it, so that tests can call it. It returns
// the exit code. An error without text was already printed as part of a report.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	root := rootFor(args)
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	// Errors repeat texts of files and switches. Their control characters must not reach a terminal.
	stderr = cli.EscapeTo(stderr)
	root.SetErr(stderr)
	// A test calls run without process, and then the set is the run's own.
	set, ok := ctx.Value(cli.FilesKey{}).(*files.Set)
	if !ok {
		set = files.New()
	}
	defer set.Discard() // what a command did not commit
	err := root.ExecuteContext(cli.WithFiles(ctx, set, stdout))
	if err != nil && err.Error() != "" {
		fmt.Fprintln(stderr, "cellwarden:", err)
	}
	return cli.CodeOf(err)
}

// makers make verbs, by their names: a run makes the one that it is about.
type makers map[string]func() *cobra.Command

// groups are the verbs as --help lists them. The order of the groups is that of a first use: plan, prove, push, audit.
// Cobra sorts the verbs of a group.
var groups = []struct {
	id, title string
	verbs     makers
}{
	{"plan", "Plan a switch and ask about its plan:", makers{"plan": plancli.PlanCommand,
		"capacity": plancli.CapacityCommand, "diff": diff.DiffCommand, "sweep": plancli.SweepCommand,
		"init": plancli.InitCommand}},
	{"prove", "Prove a plan in simulation, find the numbers of a chip, prove that a fabric cannot lock:", makers{
		"verify": provecli.VerifyCommand, "sim": provecli.SimCommand, "probe": provecli.ProbeCommand,
		"calibrate": provecli.CalibrateCommand, "risk": provecli.RiskCommand, "identify": unknown.IdentifyCommand,
		"fabric": fabriccli.FabricCommand}},
	{"push", "Bring a plan to a switch and keep it there:", makers{"apply": pushcli.ApplyCommand,
		"resume": pushcli.ResumeCommand, "drift": pushcli.DriftCommand, "render": pushcli.RenderCommand,
		"target": target.New}},
	{"audit", "Read a switch's configuration and counters, and find errors in them:", makers{
		"audit": auditcli.AuditCommand, "import": auditcli.ImportCommand, "watch": watchcli.WatchCommand}},
	{"link", "Size one link, and compare its two ends:", makers{"headroom": sizecli.HeadroomCommand,
		"ecn": markingcli.ECNCommand, "link": linkcli.LinkCommand}},
	{"reference", "Look things up:", makers{"explain": referencecli.ExplainCommand, "asic": referencecli.ASICCommand,
		"schema": referencecli.SchemaCommand, "serve": referencecli.ServeCommand, "man": referencecli.ManCommand,
		"version": referencecli.VersionCommand}},
}

// needsAll are verbs that print all verbs.
const needsAll = "man"

// rootFor builds the command for these arguments: with one verb if they begin with it, because all flags of all verbs
// take longer than many a question. An error about --set names all verbs.
func rootFor(args []string) *cobra.Command {
	if len(args) == 0 || slices.ContainsFunc(args, func(a string) bool { return strings.HasPrefix(a, "--set") }) {
		return rootCommand()
	}
	for _, g := range groups {
		if g.verbs[args[0]] != nil && args[0] != needsAll {
			return rootWith(args[0])
		}
	}
	return rootCommand()
}

// rootCommand builds the command with all its verbs. Every call gives a new command, because cobra keeps the values of
// flags in it: tests and the verbs of many switches call it again.
func rootCommand() *cobra.Command { return rootWith("") }

// rootWith builds the command with a verb, or with all for "". Cobra prints no error and no usage by itself, because
// run prints each error once.
func rootWith(only string) *cobra.Command {
	// Cobra asks about arguments only when no verb matched. Its own error has another form than all others, which say what
	// is wanted. Without a verb there is nothing to do but to say what there is.
	root := cli.Command("cellwarden", cli.UnknownVerb, func(cmd *cobra.Command, _ []string) error { return cmd.Help() })
	// A verb with one or two wrong letters is named in the error.
	root.SuggestionsMinimumDistance, root.PersistentPreRunE = 2, cli.CheckFlags
	// run prints errors, after they were escaped; a wrong flag must not be followed by a screen of usage.
	root.SilenceErrors, root.SilenceUsage = true, true
	cli.RegisterLog(root)
	cli.RegisterColor(root)
	for _, g := range groups {
		root.AddGroup(&cobra.Group{ID: g.id, Title: g.title})
		for name, verb := range g.verbs {
			if only == "" || only == name {
				c := verb()
				c.GroupID = g.id
				root.AddCommand(c)
			}
		}
	}
	// After all verbs of one switch are there: it wraps those that a whole fabric can be asked about. It gets this
	// function, because each switch is answered by a command of its own, whose flags hold nothing of the switch before.
	many.Verbs(root, rootCommand)
	addHelp(root)
	if only == "" {
		root.AddCommand(goneCommands()...)
		// With a Version cobra adds --version, which comes before any verb. Its template would say "cellwarden version"
		// before it, and scripts want the number.
		root.Version = cli.ReadVersion().String()
		root.SetVersionTemplate("{{.Version}}\n")
	} else {
		root.CompletionOptions.DisableDefaultCmd = true // a verb that is asked for needs no other
	}
	root.SetFlagErrorFunc(cli.ExplainFlag)
	completeValues(root)
	return root
}

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

// completeValues offers the values of flags that have the same meaning in every verb. A verb's own values are
// registered by the verb. The error of cobra is that a flag has its values already, and then those count.
func completeValues(root *cobra.Command) {
	fixed := func(list []string) cobra.CompletionFunc {
		return cobra.FixedCompletions(list, cobra.ShellCompDirectiveNoFileComp)
	}
	values := map[string]cobra.CompletionFunc{"method": fixed(method.Methods()), "only": fixed(capacity.QuestionNames()),
		"chip": inputs.CompleteChips}
	for _, c := range root.Commands() {
		for name, list := range values {
			if c.Flags().Lookup(name) != nil {
				_ = c.RegisterFlagCompletionFunc(name, list)
			}
		}
	}
}
