package plan

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/cli"
	publish "github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/topology"
)

// plan sizes and admits a topology. It needs no switch. plan_table.go prints the
// plan, and plan_sonic.go adds the pools that SONiC would compute.

const planLong = `plan reads a topology and sizes the headroom of every lossless group. It admits all ports into the cell pools of the
chip and prints the use of every cell. If they do not fit, it prints the missing cells and the changes that would make
the plan fit. It sends nothing.

FILE is YAML or JSON; - is standard input. docs/topology.md lists the keys.

With several files, a folder, or --lines, plan prints a line of JSON for each topology, in their order, and the totals on
standard error. A topology that cannot be planned is an answer of its own. The exit code is that of the worst.

`

func planCommand() *cobra.Command {
	var format cli.Output
	var units string
	var all, sonic, compare bool
	var measured []string
	var many manyTopologies
	c := &cobra.Command{
		Use:   "plan FILE...",
		Short: "Size the headroom of a switch and admit its ports into the cells of the chip",
		Long:  planLong + cli.ExitCodes,
		Example: "  cellwarden plan examples/arista-7060cx-32s.yaml\n  cellwarden plan -o json - < topology.yaml\n" +
			"  cellwarden plan topology.yaml --set 'ports[1].cable=2km' --set pool.shared_headroom_ratio=6",
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := errors.Join(cli.CheckFormat(format), checkUnits(units), many.check(args)); err != nil {
				return err
			}
			if many.wanted(args) {
				return runPlans(cmd, &many, args)
			}
			if compare {
				return runPlanCompare(cmd, args[0], format)
			}
			plan, in, err := cli.LoadPlan(cmd, args[0])
			if err != nil {
				return err
			}
			changes, err := cli.ChangesOf(cmd)
			if err != nil {
				return err
			}
			doc, r := PlanDocument{PlanDocument: publish.Plan(plan), Set: cli.ChangeTexts(changes)}, &cli.Screen{}
			if sonic {
				if doc.SONiC, err = sonicPools(in); err != nil {
					return cli.ExitWith(cli.ExitUsage, err)
				}
				r = sonicReport(doc.SONiC)
			}
			if len(measured) > 0 {
				if doc.Measured, err = planMeasured(cmd, measured, plan, in); err != nil {
					return cli.ExitWith(cli.ExitUsage, err)
				}
				more := doc.Measured.report()
				r.Sections, r.Foot = append(r.Sections, more.Sections...), append(r.Foot, more.Foot...)
			}
			full := planReport(plan, in, units, all, doc.Set...)
			full.Sections, full.Foot = append(full.Sections, r.Sections...), append(full.Foot, r.Foot...)
			if format.Format == "html" {
				made := planPage(args[0], plan, in, full)
				made.Remarks, made.Changes = r.Foot, doc.Set
				err = made.Write(cmd.OutOrStdout())
			} else {
				err = full.Write(cmd.OutOrStdout(), format, doc)
			}
			if err != nil {
				return cli.Failure(err)
			}
			if !plan.Fits {
				return cli.Silent(cli.ExitNoFit)
			}
			return nil
		},
	}
	cli.OutputFlag(c, &format)
	cli.SetFlag(c)
	cli.ConfineFlag(c)
	many.register(c)
	c.Flags().BoolVar(&all, "all", false, "list all refused ports, not only the first")
	c.Flags().BoolVar(&sonic, "sonic-pools", false,
		"also print the pool sizes that SONiC's dynamic buffer manager computes (NVIDIA's chips)")
	c.Flags().StringArrayVar(&measured, "measured", nil, "also say how much of its headroom each group has used, by this "+
		"dump of watermarks; several are periods, each after the watermarks were cleared")
	c.Flags().BoolVar(&compare, "compare", false,
		"plan by every headroom method that is made for the chip, side by side")
	c.Flags().StringVar(&units, "units", "cells", "unit of the tables: cells or bytes; us: the groups in time at the "+
		"speed of their ports, all else in cells")
	for _, other := range []string{"sonic-pools", "units", "all", "measured"} {
		c.MarkFlagsMutuallyExclusive("compare", other)
	}
	return c
}

// runPlans plans many topologies. The answers are JSON Lines, so that the flags of a plan's tables have no meaning.
func runPlans(cmd *cobra.Command, many *manyTopologies, args []string) error {
	if err := onlyLines(cmd, "output", "table", "tables", "all", "sonic-pools", "units", "compare",
		"measured"); err != nil {
		return err
	}
	return many.run(cmd, args, func(file *topology.File) (publish.Answer, error) {
		if many.full {
			plan, err := buffer.New(file.Intent)
			if err != nil {
				return publish.Answer{}, err
			}
			a, err := buffer.NewAdmission(file.Intent)
			if err != nil {
				return publish.Answer{}, err
			}
			out := publish.AnswerOf(a)
			out.Plan = new(publish.Plan(plan))
			return out, nil
		}
		a, err := buffer.NewAdmission(file.Intent)
		if err != nil {
			return publish.Answer{}, err
		}
		return publish.AnswerOf(a), nil
	})
}

// onlyLines refuses flags of one topology's output. The format jsonl, which is what is printed, may be named.
func onlyLines(cmd *cobra.Command, names ...string) error {
	for _, name := range names {
		if f := cmd.Flags().Lookup(name); f != nil && f.Changed {
			return fmt.Errorf("--%s: accepted with one topology; the answers for many are JSON Lines", name)
		}
	}
	return nil
}

func checkUnits(units string) error {
	if units != "cells" && units != "bytes" && units != cli.InTime {
		return fmt.Errorf("units %q: accepted: cells, bytes, us", units)
	}
	return nil
}
