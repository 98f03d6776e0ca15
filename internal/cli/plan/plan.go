package plan

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/cli/first"
	"github.com/cellwarden/cellwarden/internal/cli/inputs"
	"github.com/cellwarden/cellwarden/internal/cli/shipped"
	"github.com/cellwarden/cellwarden/internal/topologies"
	"github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/topology"
)

// plan sizes and admits a topology. It needs no switch. Package first makes its first screen.

// planFlags are the flags of the plan command. measured are paths, one for each period. sonic has two meanings: of a
// folder it computes what would be shipped, and of a topology it adds two tables.
type planFlags struct {
	format         cli.Output
	sonic, compare bool
	measured       []string
	many           manyTopologies
	page           pageFlags
	shipped        shipped.Flags
}

// PlanCommand makes the verb. xlsx is a format of it alone: a plan has tables that people go on computing with.
func PlanCommand() *cobra.Command {
	f := planFlags{format: cli.Output{More: []string{"xlsx"}}}
	c := cli.Command("plan", cobra.ArbitraryArgs, func(cmd *cobra.Command, args []string) error {
		// The arguments are parts of answers, so the flags of a topology do not apply to them.
		if f.many.shard.merge {
			return mergeParts(cmd, args)
		}
		// --html chooses the format. All complaints about flags are reported at once.
		err := errors.Join(f.page.check(cmd, &f.format), f.many.check(args))
		switch {
		case err != nil:
			return err
		// Without --sonic-pools a folder is many topologies.
		case f.sonic && len(args) == 1 && topologies.IsFolder(args[0]):
			return f.shipped.Run(cmd, args[0], f.format)
		case f.many.wanted(args):
			return runPlans(cmd, &f.many, args)
		case f.compare:
			return runPlanCompare(cmd, args[0], f.format)
		}
		return f.run(cmd, args[0])
	})
	cli.TopologyFlags(c, &f.format)
	f.many.register(c)
	f.page.register(c)
	c.Flags().BoolVar(&f.sonic, "sonic-pools", false, "also print the pool sizes that SONiC's dynamic buffer manager "+
		"computes (NVIDIA's chips); of a hwsku folder: the pools that it would ship")
	f.shipped.Register(c)
	c.Flags().StringArrayVar(&f.measured, "measured", nil, "also say how much of its headroom each group has used, by "+
		"this dump of watermarks; several are periods, each after the watermarks were cleared")
	c.Flags().BoolVar(&f.compare, "compare", false,
		"plan by every headroom method that is made for the chip, side by side")
	// A comparison has a line for each method and no tables of a plan.
	for _, other := range []string{"sonic-pools", "all", "measured", "html", "verify", "risk", "live"} {
		c.MarkFlagsMutuallyExclusive("compare", other)
	}
	return c
}

// run plans one topology and prints the plan. A page lists all refusals, because its reader cannot ask for them. The
// exit code is 3 for a plan that does not fit, and for one that --verify finds to lose frames.
func (f *planFlags) run(cmd *cobra.Command, file string) error {
	// The behaviour is checked before anything is planned: a typing error in --paused should not cost a plan.
	if _, err := f.page.pauses.Question(cmd); err != nil {
		return cli.ExitWith(cli.ExitUsage, err)
	}
	top, set, err := inputs.ReadTopology(cmd, file)
	if err != nil {
		return err
	}
	// The text is without the changes of --set, which a live page has beside it.
	f.page.text = top.Text
	// The error is that of an intent that cannot be planned at all. Ports that do not fit are in the plan.
	plan, err := buffer.NewUntil(cmd.Context().Err, top.Intent)
	if err != nil {
		return cli.ExitWith(cli.ExitUsage, fmt.Errorf("%s: %w", cli.ShownName(file), err))
	}
	// A plan that does not fit has a document as well, with its refusals.
	doc := report.Plan(plan)
	doc.Set = set
	more, err := f.additions(cmd, plan, top.Intent, &doc)
	if err != nil {
		return cli.ExitWith(cli.ExitUsage, err)
	}
	// The first screen is made from the plan, its intent and the commands that a user could type next.
	x := &first.Plan{Plan: plan, Intent: top.Intent, Entries: top.CapacityEntries(), File: file, Set: set,
		Units: f.format.Units()}
	// lossless is false only for a page with --verify.
	lossless, err := f.print(cmd, x, &doc, more)
	// The plan is printed in either case: a refused one says what would make it fit.
	return cli.Ended(err, cli.CodeIf(!plan.Fits || !lossless, cli.ExitNoFit))
}

// print prints a plan in the format of -o, and tells whether nothing was found to be lost: without --verify, nothing
// was looked for. more has the tables of the additions, which follow those of the plan in every format.
func (f *planFlags) print(cmd *cobra.Command, x *first.Plan, doc *report.PlanDocument, more *cli.Screen) (bool, error) {
	// A page has all rows and all refusals, as it is read where nothing can be asked.
	onPage := f.format.Format == "html"
	screen := planReport(x.Plan, x.Intent, f.format.Units(), f.format.All() || onPage, doc.Set...)
	screen.Sections, screen.Foot = append(screen.Sections, more.Sections...), append(screen.Foot, more.Foot...)
	if onPage {
		screen.InUnits(f.format.Units())
		p := planPage(x.File, x.Plan, x.Intent, screen)
		// The tables of the additions are among those of the screen; their remarks have a place of their own on a
		// page.
		p.Remarks, p.Changes = more.Foot, doc.Set
		return f.page.write(cmd, x.File, p)
	}
	// The questions of the first screen are asked where their answers are printed.
	if f.format.Format == "table" || f.format.Format == "json" {
		if err := x.Complete(doc); err != nil {
			return true, err
		}
		// The JSON has the same answers, although it has no first screen.
		screen.First = x.Screen(doc)
		screen.First.Sections = append(screen.First.Sections, more.Sections...)
		screen.First.Foot = append(screen.First.Foot, more.Foot...)
	}
	return true, screen.Answer(cmd, f.format, doc)
}

// runPlans plans many topologies. The answers are JSON Lines, so that the flags of a plan's tables have no meaning.
// With --full each line has the whole plan.
func runPlans(cmd *cobra.Command, many *manyTopologies, args []string) error {
	if err := onlyLines(cmd, "output", "table", "tables", "all", "sonic-pools", "units", "compare",
		"measured", "html", "verify", "risk", "live"); err != nil {
		return err
	}
	return many.run(cmd, args, func(file *topology.File, _ *buffer.Admission, to *report.Answer) error {
		// Most callers ask whether all fits. An admission answers that, and the plan with every group and register is
		// made on request alone.
		if !many.full {
			return nil
		}
		plan, err := buffer.NewUntil(cmd.Context().Err, file.Intent)
		if err == nil {
			to.Plan = new(report.Plan(plan))
		}
		return err
	})
}

// onlyLines refuses flags of one topology's output. The format jsonl, which is what is printed, may be named. A flag
// that is not given keeps its default, which asks for nothing.
func onlyLines(cmd *cobra.Command, names ...string) error {
	for _, name := range names {
		if f := cmd.Flags().Lookup(name); f != nil && f.Changed {
			return fmt.Errorf("--%s: accepted with one topology; the answers for many are JSON Lines", name)
		}
	}
	return nil
}
