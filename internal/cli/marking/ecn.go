// Package marking has the verb that compares marking (ECN) with pausing (PFC): ecn.
//
// A switch that pauses before it marks stops whole links for a congestion that its senders could have ended by
// themselves. Which of both comes first follows from four numbers: what a group may hold (alpha or a static limit),
// what the pool has free, how many groups are congested at a time, and the kmin of the queue. They come from flags
// or from the plan of a topology. Package report asks the question and thresholds/ecn computes it; ecn_report.go
// prints.
package marking

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/cli/inputs"
	"github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/unit"
)

// ecn compares the marking threshold of a queue with the XOFF threshold of its groups.
// Package thresholds/ecn computes; this file parses quantities and prints.

// ecnFlags are the flags of the ecn command, but those of poolFlags. Quantities stay text: package report reads them,
// and reports all bad values at once. feeding is the number of congested groups whose packets wait in the queue, and n
// all congested groups of the pool.
type ecnFlags struct {
	class, rate, delay, rtt string
	format                  cli.Output
	feeding, n, flows       int
}

// ECNCommand returns the ecn command. The flags that poolFlags names have no variable: whether they were given decides
// what is asked, so they are read as text where they were.
func ECNCommand() *cobra.Command {
	var f ecnFlags
	c := cli.Command("ecn", cli.Args(0, 1), f.run)
	// Everything from here to pmax describes the switch; what follows it describes the congestion and the senders.
	c.Flags().String("pool", "", "shared pool of the whole chip, such as 10875072B")
	c.Flags().Int("slices", 1, "number of slices that the pool is divided into")
	c.Flags().String("cell", "", "size of a cell, such as 208B (or --chip)")
	c.Flags().String("chip", "", "chip whose cell size and slices are used: a name or a chip file")
	c.Flags().String("alpha", "1", "factor of the dynamic threshold: 8, 1, 1/8")
	c.Flags().Int("dynamic-th", 0, "the same factor as SAI and SONiC write it: n of 2^n")
	c.Flags().String("reserved", "0B", "reserved part (PG-min) of each group")
	c.Flags().String("kmin", "", "queue depth above which marking begins; a fill level such as 10% with --queue-limit")
	c.Flags().String("queue-limit", "", "limit of the queue, for a kmin in percent")
	c.Flags().String("kmax", "", "queue depth above which everything is marked, or a fill level")
	c.Flags().String("static", "", "static limit of each group, in place of an alpha")
	c.Flags().String("junos", "", "switch with Junos's default partitions, and changes: qfx3500,lossless=66%,...")
	c.Flags().StringVar(&f.rtt, "rtt", "", "round-trip time of the senders, for advice on kmin, kmax and pmax")
	c.Flags().String("pmax", "", "marking probability at kmax, such as 1%")
	c.Flags().IntVar(&f.feeding, "feeding", 1, "congested groups that feed the queue")
	c.Flags().IntVar(&f.n, "groups", 1, "all congested groups; at least those that feed the queue")
	c.Flags().StringVar(&f.rate, "rate", "", "speed of the bottleneck, for DCQCN")
	c.Flags().IntVar(&f.flows, "flows", 0, "flows through the bottleneck, for DCQCN")
	c.Flags().StringVar(&f.delay, "loop-delay", "", "loop delay from mark to reaction, for DCQCN's stability")
	c.Flags().StringVar(&f.class, "class", "", "class of the TOPOLOGY that marks, if there are several")
	cli.OutputFlag(c, &f.format)
	cli.SetFlag(c)
	return c
}

// run answers the question and prints the answer. Exit code 3 says PFC FIRST for the congestion that was asked for, as
// the first line does.
func (f *ecnFlags) run(cmd *cobra.Command, args []string) error {
	parse := f.ofPool
	// A topology has one source for every number of its pool, so --class and --set have a meaning only with one.
	if len(args) > 0 {
		parse = func(cmd *cobra.Command) (*report.ECNQuestion, error) { return f.ofPlan(cmd, args[0]) }
	} else if f.class != "" {
		return errors.New("--class: accepted with a topology")
	} else if cmd.Flags().Changed(cli.Setting) {
		return errors.New("--set: accepted with a topology")
	}
	q, err := parse(cmd)
	if err != nil {
		return err
	}
	d, err := q.Answer()
	if err != nil {
		return err
	}
	// It is empty without a topology, as --set was refused above.
	d.Set = cli.Changed(cmd)
	// The document says the same as the screen, also with exit code 3.
	return ecnScreen(&d).Print(cmd, f.format, d, cli.CodeIf(!d.First, cli.ExitNoFit))
}

// poolFlags are the flags of what is asked about in place of a topology. A new flag of the pool has to be here, or it
// would be passed over without a word.
var poolFlags = []string{"pool", "slices", "cell", "chip", "alpha", "dynamic-th", "reserved", "kmin", "kmax", "pmax",
	"queue-limit", "static", "junos"}

// ofPool makes the question of a pool that the flags say. A chip gives the cell and the slices; what other flags say of
// these counts more.
func (f *ecnFlags) ofPool(cmd *cobra.Command) (*report.ECNQuestion, error) {
	q := f.question(cmd)
	// Flags do not say how many groups the pool has: the flag's default of one counts, and not the worst congestion.
	// OfPool takes as many as feed the queue at least, because those are congested themselves.
	q.Groups = unit.Given(f.n)
	return q, q.OfPool(func(name string) (buffer.Chip, error) {
		// A chip whose cells have no source is accepted if --cell gives their size.
		if cmd.Flags().Changed("cell") {
			return inputs.LoadChip(cli.Named(cmd), name)
		}
		return inputs.LoadCells(cli.Named(cmd), name)
	})
}

// question is what the flags say of the congestion, and of senders. Only flags that were given are in Pool, so that a
// default of the flag does not contradict a chip or a topology.
func (f *ecnFlags) question(cmd *cobra.Command) *report.ECNQuestion {
	// Named lets package report, which knows no flags, name an option as the user typed it.
	q := &report.ECNQuestion{Class: f.class, Rate: f.rate, Flows: f.flows, RTT: f.rtt, LoopDelay: f.delay,
		Pool: map[string]string{}, Named: func(option string) string { return "--" + option }}
	// OfPlan keeps this number and takes the rest of the check from the plan.
	q.Check.Feeding = f.feeding
	for _, name := range poolFlags {
		if cmd.Flags().Changed(name) {
			q.Pool[name] = cmd.Flags().Lookup(name).Value.String()
		}
	}
	return q
}

// ofPlan makes the question of a topology's plan, for one class that marks, in the
// slice in which the class pauses first. All lossless groups are congested unless
// --groups gives their number. A flag of poolFlags beside a topology is refused: the plan has that number.
func (f *ecnFlags) ofPlan(cmd *cobra.Command, file string) (*report.ECNQuestion, error) {
	q := f.question(cmd)
	if err := q.WithoutPool(); err != nil {
		return nil, err
	}
	// Numbers of a plan that does not fit would be those of a pool that no switch has.
	plan, in, err := inputs.LoadPlan(cmd, file, file+": the plan does not fit, so its pool is not known", false)
	if err != nil {
		return nil, err
	}
	// The default of the flag is 1, which would be the mildest congestion of a plan and not the worst.
	if cmd.Flags().Changed("groups") {
		q.Groups = unit.Given(f.n)
	}
	if err := q.OfPlan(plan, &in); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return q, nil
}
