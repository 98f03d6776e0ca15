package dial

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/backend/gnmi/push"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/cli/inputs"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/nos/registry"
)

// This file runs a verb on many switches: it reads the targets file, plans each topology
// once and prints the progress. Package backend/gnmi/push does the work in parallel.

// ManyFlags are the flags of a verb that can work on many switches. File is the path of --targets, "-" for standard
// input, "" for a verb of one switch. parallel is 1 to mostParallel.
type ManyFlags struct {
	File     string
	parallel int
}

// Register adds --targets and --parallel. One switch or many: the flags exclude each other, and cli.CheckFlags says so.
func (f *ManyFlags) Register(c *cobra.Command) {
	c.Flags().StringVar(&f.File, "targets", "", "file with one switch per line: ADDRESS [prefix-target=NAME] "+
		"[profile=NAME] [topology=FILE]; # begins a comment; - is standard input")
	c.Flags().IntVar(&f.parallel, "parallel", 16, "number of switches of --targets to work on at a time, 1 to 1024")
	c.MarkFlagsMutuallyExclusive("targets", "target")
}

// mostParallel is the largest --parallel: each switch that is worked on has a connection and a plan in memory.
const mostParallel = 1024

// Parallel is the number of switches to work on at a time.
func (f *ManyFlags) Parallel() (int, error) {
	if f.parallel < 1 || f.parallel > mostParallel {
		return 0, fmt.Errorf("--parallel: %d (want 1 to %d)", f.parallel, mostParallel)
	}
	return f.parallel, nil
}

// Read reads the targets file. It reports all errors of the file at once, as wrong usage.
func (f *ManyFlags) Read(cmd *cobra.Command) (all []push.Target, err error) {
	if _, err := f.Parallel(); err != nil {
		return nil, cli.ExitWith(cli.ExitUsage, err)
	}
	name, data, err := cli.ReadInput(cmd, f.File)
	if err == nil {
		all, err = push.ParseTargets(name, data)
	} else {
		err = fmt.Errorf("--targets: %w", err)
	}
	if err != nil {
		return nil, cli.ExitWith(cli.ExitUsage, err)
	}
	return all, nil
}

// Planned is what a verb does with a switch: its kind and the plan of its topology. Err is why there is none. It is
// also set for a plan that does not fit: no verb of many switches goes on with one.
type Planned struct {
	File    string // of the topology
	Plan    *buffer.Plan
	In      buffer.Intent
	Profile *nos.Profile // nil: recognised
	Err     error
}

// PlanOf plans a topology. elsewhere: its author may be another, and the files that it names are then in its folder.
func PlanOf(cmd *cobra.Command, file string, elsewhere bool) Planned {
	p := Planned{File: file}
	p.Plan, p.In, p.Err = inputs.LoadPlan(cmd, file, file, elsewhere)
	return p
}

// Plans returns what is done with each switch: by its line, or else by the argument file and the flag --profile. Each
// topology is planned once, and one that does not fit fails only the switches that use it. Hundreds of switches share a
// few files, and a plan takes longer than reading its line.
func Plans(cmd *cobra.Command, all []push.Target, file string, named *nos.Profile) []Planned {
	out, files := make([]Planned, len(all)), map[string]Planned{}
	for i, t := range all {
		name := cmp.Or(t.Topology, file)
		p, done := files[name]
		if !done {
			p = PlanOf(cmd, name, true)
			files[name] = p
		}
		if p.Profile = named; t.Profile != "" {
			var err error
			p.Profile, err = registry.LoadProfile(t.Profile)
			p.Err = errors.Join(err, p.Err)
		}
		out[i] = p
	}
	return out
}

// Outcome is the result of one switch. Code is the exit code that a command for this switch alone would have had. State
// is a word or two for the line of progress and for Counts.
type Outcome struct {
	Address string // with the name of the switch at a gateway
	State   string
	Err     error
	Code    int
	Hint    string // the next command for the user; empty: none
}

// ErrorText folds an error into a line.
func (o Outcome) ErrorText() string {
	if o.Err == nil {
		return ""
	}
	return strings.Join(strings.Fields(o.Err.Error()), " ")
}

// gravity orders exit codes, the worst first. A switch in an unknown state is worse than
// a plan that was never sent. An exit code that is not in it counts as the worst of all, as slices.Index gives -1.
var gravity = []int{cli.ExitPartial, cli.ExitRolledBack, cli.ExitFailure, cli.ExitGaps, cli.ExitNoFit, cli.ExitUsage,
	cli.ExitDrift, cli.ExitLint, cli.ExitFine}

// Gravity orders exit codes: the lowest is that of the worst. The numbers of exit codes are no order of gravity.
func Gravity(code int) int { return slices.Index(gravity, code) }

// Worst is the exit code of a run on many switches: the worst of theirs.
func Worst(all []Outcome) int {
	code := cli.ExitFine
	for _, o := range all {
		if Gravity(o.Code) < Gravity(code) {
			code = o.Code
		}
	}
	return code
}

// Each works on all switches, and prints a line when a switch is done. progress is standard error, so that reports on
// standard output stay together. Lines come in the order in which switches are done, and the results in the order of
// the file.
func (f *ManyFlags) Each(ctx context.Context, all []push.Target, progress io.Writer,
	do func(context.Context, int, push.Target) Outcome) []Outcome {
	// The address is added here and not by each verb, so that no line of progress lacks it.
	work := func(ctx context.Context, i int, t push.Target) Outcome {
		o := do(ctx, i, t)
		o.Address = t.String()
		return o
	}
	return push.Each(ctx, all, f.parallel, work, func(n, _ int, o Outcome) {
		// One line for each switch, also of an error with several: programs follow the progress by lines. n counts
		// switches that are done and is not the place of a switch in the file.
		line := fmt.Sprintf("%d of %d: %s: %s", n, len(all), o.Address, o.State)
		// The text of an error is folded into the line: see ErrorText.
		if o.Err != nil {
			line += ": " + o.ErrorText()
		}
		if o.Hint != "" {
			line += "; " + o.Hint
		}
		fmt.Fprintln(progress, line)
	})
}

// Counts lists the number of switches by state.
func Counts(all []Outcome) string {
	states := map[string]int{}
	for _, o := range all {
		states[o.State]++
	}
	var parts []string
	for _, s := range slices.Sorted(maps.Keys(states)) { // the switches end in any order
		parts = append(parts, fmt.Sprintf("%d %s", states[s], s))
	}
	return fmt.Sprintf("%s: %s", cli.Plural(len(all), "switch", "switches"), strings.Join(parts, ", "))
}
