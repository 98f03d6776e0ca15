// Package inputs reads what the flags and arguments of verbs name: topologies, with a plan of them, probes, counters
// and chips. Each file is opened within the bounds of --confine.
package inputs

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/diagnosis"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/topology"
	"github.com/cellwarden/cellwarden/unit"
)

// ReadTopology reads a topology with the changes of --set, and returns the texts of these. Errors of the file and of a
// change are wrong usage.
func ReadTopology(cmd *cobra.Command, name string) (*topology.File, []string, error) {
	file, err := TopologyWith(cmd, name, false, cli.ChangesOf(cmd)...)
	return file, cli.Changed(cmd), err
}

// TopologyWith reads a topology with changes. elsewhere confines the files that it names to its folder. Every error is
// wrong usage.
func TopologyWith(cmd *cobra.Command, name string, elsewhere bool, changes ...topology.Override) (*topology.File,
	error) {
	shown, data, err := cli.ReadInput(cmd, name)
	if err != nil {
		return nil, cli.ExitWith(cli.ExitUsage, err)
	}
	file, err := topology.Read(shown, data, cli.Beside(cmd, name, elsewhere), changes...)
	if err != nil {
		return nil, cli.ExitWith(cli.ExitUsage, err)
	}
	return file, nil
}

// ReadProbe reads the file of a probe, whose own files are beside it, or in its folder with --confine.
func ReadProbe(cmd *cobra.Command, file string) (p topology.Probe, err error) {
	name, data, err := cli.ReadInput(cmd, file)
	if err == nil {
		p, err = topology.ParseProbe(name, data, cli.Beside(cmd, file, false))
	}
	// A topology that does not fit is a correct file: its plan is refused, so there is no group to fill.
	if errors.As(err, new(*buffer.Refusal)) {
		return p, cli.ExitWith(cli.ExitNoFit, fmt.Errorf("nothing was probed: %w", err))
	}
	if err != nil {
		return p, cli.ExitWith(cli.ExitUsage, err)
	}
	return p, nil
}

// ReadCounters reads the dumps that a flag names: what a switch has counted, in their order. Dumps count in cells or in
// bytes, by system; cell is the size of a cell of the plan's chip. Every error is wrong usage.
func ReadCounters(cmd *cobra.Command, flag string, dumps []string, cell unit.Bytes) ([]diagnosis.Sample, error) {
	samples := make([]diagnosis.Sample, len(dumps))
	for i, file := range dumps {
		name, data, err := cli.ReadInput(cmd, file)
		if err == nil {
			if samples[i], err = diagnosis.ReadCounters(data, diagnosis.CounterOptions{Cell: cell}); err != nil {
				err = fmt.Errorf("%s: %w", name, err)
			}
		}
		if err != nil {
			return nil, cli.BadUsage("--%s: %w", flag, err)
		}
	}
	return samples, nil
}

// LoadPlan reads a topology and plans it, for a command that does nothing with a plan that does not fit. A bad topology
// gives the same error and exit code everywhere. nothing says what the command has not done, such as "nothing was
// sent"; beside it the error names the changes of the file. elsewhere is that of TopologyWith. Planning a large switch
// can take seconds, so it looks at the context of the command.
func LoadPlan(cmd *cobra.Command, file, nothing string, elsewhere bool) (*buffer.Plan, buffer.Intent, error) {
	top, err := TopologyWith(cmd, file, elsewhere, cli.ChangesOf(cmd)...)
	if err != nil {
		return nil, buffer.Intent{}, err
	}
	in := top.Intent
	// The error is one of an intent that cannot be planned at all, and not of ports that do not fit.
	plan, err := buffer.NewUntil(cmd.Context().Err, in)
	if err != nil {
		return nil, in, cli.BadUsage("%s: %w", cli.ShownName(file), err)
	}
	if err := plan.Err(); err != nil {
		return nil, in, cli.ExitWith(cli.ExitNoFit, fmt.Errorf("%s%s: %w", nothing, cli.ChangedText(cli.Changed(cmd)),
			err))
	}
	return plan, in, nil
}
