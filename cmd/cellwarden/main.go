// Command cellwarden plans the packet buffer of a switch: it sizes the
// headroom of lossless traffic, admits the whole into the chip's cells or
// refuses it, and brings an admitted plan to a simulated ASIC or, over gNMI, to
// a real switch.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

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
