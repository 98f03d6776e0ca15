package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/backend/gnmi"
	"github.com/cellwarden/cellwarden/backend/gnmi/profile"
	"github.com/cellwarden/cellwarden/buffer"
)

// manyFlags are the flags of a verb that can be done on many switches.
type manyFlags struct {
	file     string
	parallel int
}

func (f *manyFlags) register(c *cobra.Command) {
	c.Flags().StringVar(&f.file, "targets", "", "file of switches, a line each: ADDRESS [profile=NAME] [topology=FILE]; # begins a remark; - is standard input")
	c.Flags().IntVar(&f.parallel, "parallel", 16, "how many of the switches of --targets at a time, 1 to 1024")
	c.MarkFlagsMutuallyExclusive("targets", "target")
}

const mostParallel = 1024

// destination is a line of a file of switches: a switch, and what is not as the
// flags and the argument say.
type destination struct {
	address  string
	profile  *profile.Profile // nil: as the flag says
	topology string           // empty: the argument
}

// read reads the file of switches. It refuses all at once what is wrong.
func (f *manyFlags) read(stdin io.Reader) ([]destination, error) {
	if f.parallel < 1 || f.parallel > mostParallel {
		return nil, fmt.Errorf("--parallel: %d: accepted: 1 to %d", f.parallel, mostParallel)
	}
	name, data, err := readInput(stdin, f.file)
	if err != nil {
		return nil, fmt.Errorf("--targets: %w", err)
	}
	var out []destination
	var bad []error
	n, first := 0, map[string]int{}
	for line := range bytes.Lines(data) {
		n++
		text, _, _ := strings.Cut(string(line), "#")
		fields := strings.Fields(text)
		if len(fields) == 0 {
			continue
		}
		d, err := parseDestination(fields)
		where, _ := gnmi.Address(d.address)
		if before, again := first[where]; again && err == nil {
			err = fmt.Errorf("%s is in line %d already: accepted: each switch once", d.address, before)
		}
		if first[where] = n; err != nil {
			bad = append(bad, fmt.Errorf("%s: line %d: %w", name, n, err))
		}
		out = append(out, d)
	}
	if len(out) == 0 {
		bad = append(bad, fmt.Errorf("%s: no switch is in it: accepted: ADDRESS [profile=NAME] [topology=FILE] in a line", name))
	}
	return out, errors.Join(bad...)
}

func parseDestination(fields []string) (destination, error) {
	d := destination{address: fields[0]}
	if _, err := gnmi.Address(d.address); err != nil {
		return d, err
	}
	for _, f := range fields[1:] {
		key, value, _ := strings.Cut(f, "=")
		switch {
		case key == "profile" && d.profile == nil:
			var err error
			if d.profile, err = profile.Load(value); err != nil {
				return d, err
			}
		case key == "topology" && d.topology == "" && value != "":
			d.topology = value
		default:
			return d, fmt.Errorf("%q: accepted: profile=NAME, topology=FILE, each once", f)
		}
	}
	return d, nil
}

// planned is a topology file with its plan, or why there is none.
type planned struct {
	plan *buffer.Plan
	in   buffer.Intent
	err  error
}

// plans plans each topology file once. One that does not fit is the failure of
// the switches that shall have it, not of the others.
func plans(cmd *cobra.Command, all []destination, usual string) map[string]planned {
	out := map[string]planned{}
	for _, d := range all {
		file := d.file(usual)
		if _, done := out[file]; done {
			continue
		}
		var p planned
		if p.plan, p.in, p.err = loadPlan(cmd, file); p.err == nil {
			if err := p.plan.Err(); err != nil {
				p.err = exit{exitNoFit, err}
			}
		}
		out[file] = p
	}
	return out
}

func (d destination) file(usual string) string {
	if d.topology == "" {
		return usual
	}
	return d.topology
}

// outcome is what came of one switch.
type outcome struct {
	address string
	state   string
	err     error
	code    int
	hint    string // how to go on; empty: there is nothing to go on with
}

// errorText folds an error into a line.
func (o outcome) errorText() string {
	if o.err == nil {
		return ""
	}
	return strings.Join(strings.Fields(o.err.Error()), " ")
}

// gravity orders exit codes, the worst first: what a switch may be left in comes
// before what was never sent.
var gravity = []int{exitPartial, exitRolledBack, exitFailure, exitGaps, exitNoFit, exitUsage, exitDrift, exitFine}

// worst is the exit code of many.
func worst(all []outcome) int {
	code := exitFine
	for _, o := range all {
		if slices.Index(gravity, o.code) < slices.Index(gravity, code) {
			code = o.code
		}
	}
	return code
}

// each does something with every switch, so many at a time, and tells a line of
// each as it is done. One that fails stops no other. The results are in the order
// of the switches.
func (f *manyFlags) each(ctx context.Context, all []destination, progress io.Writer, do func(context.Context, int, destination) outcome) []outcome {
	out := make([]outcome, len(all))
	places := make(chan struct{}, f.parallel)
	var group sync.WaitGroup
	var mu sync.Mutex
	done := 0
	for i, d := range all {
		places <- struct{}{}
		group.Go(func() {
			defer func() { <-places }()
			o := do(ctx, i, d)
			o.address = d.address
			mu.Lock()
			defer mu.Unlock()
			out[i], done = o, done+1
			line := fmt.Sprintf("%d of %d: %s: %s", done, len(all), o.address, o.state)
			if o.err != nil {
				line += ": " + o.errorText()
			}
			if o.hint != "" {
				line += "; " + o.hint
			}
			fmt.Fprintln(progress, line)
		})
	}
	group.Wait()
	return out
}

// count tells how many switches ended in which state.
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
