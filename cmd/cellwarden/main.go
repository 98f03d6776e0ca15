// Command cellwarden plans the packet buffer of a switch: it sizes the
// headroom of lossless traffic, admits the whole into the chip's cells or
// refuses it, and brings an admitted plan to a simulated ASIC or, over gNMI, to
// a real switch.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/buffer"
)

// Exit codes. They are part of the command line's contract.
const (
	exitFine       = 0
	exitFailure    = 1 // a bug, or input and output
	exitUsage      = 2 // usage or bad input
	exitNoFit      = 3 // the plan does not fit
	exitLint       = 4 // lint found an error
	exitDrift      = 5 // a device differs from its plan
	exitRolledBack = 6 // applied and undone
	exitPartial    = 7 // applied in part, or nobody knows
	exitGaps       = 8 // the target cannot express the plan
)

const exitCodes = `Exit codes: 0 fine; 1 failure of a device, a file or cellwarden itself; 2 usage or bad input;
3 does not fit; 4 lint found an error; 5 drift; 6 applied and rolled back; 7 applied in part or state unknown; 8 the target cannot express the plan.`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// exit is an error that has decided on the exit code. An empty text has been
// told to the user already.
type exit struct {
	code int
	err  error
}

func (e exit) Error() string { return e.err.Error() }
func (e exit) Unwrap() error { return e.err }

// silent ends the program with a code after the output has said why.
func silent(code int) error { return exit{code, errors.New("")} }

// run is main without the process around it.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	root := rootCommand()
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	if err != nil && err.Error() != "" {
		fmt.Fprintln(stderr, "cellwarden:", err)
	}
	return codeOf(err)
}

// codeOf returns the exit code of an error. Cobra's own errors are about usage.
func codeOf(err error) int {
	var e exit
	switch {
	case err == nil:
		return exitFine
	case errors.As(err, &e):
		return e.code
	case errors.Is(err, buffer.ErrNoFit):
		return exitNoFit
	default:
		return exitUsage
	}
}

func rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:           "cellwarden",
		Short:         "Plan, admit and apply the packet buffer of a lossless switch",
		Long:          "cellwarden sizes the headroom of lossless (RoCE, FCoE) traffic, admits a whole switch into the cells of its chip or\nrefuses it with the missing cells, proves the plan in simulation, and applies it to a simulated ASIC or to a switch over gNMI.\n\n" + exitCodes,
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	registerLog(root)
	root.CompletionOptions.HiddenDefaultCmd = true
	root.AddCommand(planCommand(), headroomCommand(), ecnCommand(), asicCommand(), applyCommand(), driftCommand(), resumeCommand(), profilesCommand(), renderCommand(), targetCommand(), fitCommand(), lintCommand(), probeCommand(), simCommand(), verifyCommand())
	return root
}
