package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/backend/fleet"
	"github.com/cellwarden/cellwarden/backend/gnmi"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/nos/registry"
)

// This file runs a verb on many switches: it reads the targets file, plans each topology
// once and prints the progress. Package backend/fleet does the work in parallel.

// manyFlags are the flags of a verb that can work on many switches.
type manyFlags struct {
	file     string
	parallel int
}

func (f *manyFlags) register(c *cobra.Command) {
	c.Flags().StringVar(&f.file, "targets", "",
		"file with one switch per line: ADDRESS [prefix-target=NAME] [profile=NAME] [topology=FILE]; # begins a comment; "+
			"- is standard input")
	c.Flags().IntVar(&f.parallel, "parallel", 16, "number of switches of --targets to work on at a time, 1 to 1024")
	c.MarkFlagsMutuallyExclusive("targets", "target")
}

const mostParallel = 1024

// read reads the targets file. It reports all errors of the file at once.
func (f *manyFlags) read(cmd *cobra.Command) ([]fleet.Target, error) {
	if f.parallel < 1 || f.parallel > mostParallel {
		return nil, fmt.Errorf("--parallel: %d: accepted: 1 to %d", f.parallel, mostParallel)
	}
	name, data, err := readInput(cmd, f.file)
	if err != nil {
		return nil, fmt.Errorf("--targets: %w", err)
	}
	format := fleet.Format{Address: gnmi.Address,
		Profile: func(name string) error { _, err := registry.LoadProfile(name); return err }}
	return format.Parse(name, data)
}

// namedProfile loads the profile of --profile; none is nil.
func namedProfile(name string) (*nos.Profile, error) {
	if name == "" {
		return nil, nil
	}
	return registry.LoadProfile(name)
}

// profileOf is the profile of a switch: from its line, or from the flag.
func profileOf(t fleet.Target, usual *nos.Profile) (*nos.Profile, error) {
	if t.Profile == "" {
		return usual, nil
	}
	return registry.LoadProfile(t.Profile)
}

// topologyOf is the topology file of a switch: from its line, or the argument.
func topologyOf(t fleet.Target, usual string) string { return cmp.Or(t.Topology, usual) }

// planned is the plan of a topology file, or the error.
type planned struct {
	plan *buffer.Plan
	in   buffer.Intent
	err  error
}

// plans plans each topology file once. A topology that does not fit fails only the
// switches that use it.
func plans(cmd *cobra.Command, all []fleet.Target, usual string) map[string]planned {
	out := map[string]planned{}
	for _, t := range all {
		file := topologyOf(t, usual)
		if _, done := out[file]; done {
			continue
		}
		var p planned
		if p.plan, p.in, p.err = loadPlanOf(cmd, file, len(t.Address) > 0); p.err == nil {
			p.err = unfit(cmd, file, p.plan)
		}
		out[file] = p
	}
	return out
}

// outcome is the result of one switch.
type outcome struct {
	address string // with the name of the switch at a gateway
	state   string
	err     error
	code    int
	hint    string // the next command for the user; empty: none
}

// errorText folds an error into a line.
func (o outcome) errorText() string {
	if o.err == nil {
		return ""
	}
	return strings.Join(strings.Fields(o.err.Error()), " ")
}

// gravity orders exit codes, the worst first. A switch in an unknown state is worse than
// a plan that was never sent.
var gravity = []int{exitPartial, exitRolledBack, exitFailure, exitGaps, exitNoFit, exitUsage, exitDrift, exitFine}

// worst is the exit code of a run on many switches: the worst of theirs.
func worst(all []outcome) int {
	code := exitFine
	for _, o := range all {
		if slices.Index(gravity, o.code) < slices.Index(gravity, code) {
			code = o.code
		}
	}
	return code
}

// each works on all switches, and prints a line when a switch is done.
func (f *manyFlags) each(ctx context.Context, all []fleet.Target, progress io.Writer,
	do func(context.Context, int, fleet.Target) outcome) []outcome {
	work := func(ctx context.Context, i int, t fleet.Target) outcome {
		o := do(ctx, i, t)
		o.address = t.String()
		return o
	}
	return fleet.Each(ctx, all, f.parallel, work, func(n, _ int, o outcome) {
		line := fmt.Sprintf("%d of %d: %s: %s", n, len(all), o.address, o.state)
		if o.err != nil {
			line += ": " + o.errorText()
		}
		if o.hint != "" {
			line += "; " + o.hint
		}
		fmt.Fprintln(progress, line)
	})
}

// counts lists the number of switches by state.
func counts(all []outcome) string {
	var order []string
	n := map[string]int{}
	for _, o := range all {
		if n[o.state]++; n[o.state] == 1 {
			order = append(order, o.state)
		}
	}
	slices.Sort(order)
	for i, s := range order {
		order[i] = fmt.Sprintf("%d %s", n[s], s)
	}
	return fmt.Sprintf("%s: %s", plural(len(all), "switch", "switches"), strings.Join(order, ", "))
}
