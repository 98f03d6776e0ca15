package prove

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/capacity/risk"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/unnamed"
	"github.com/cellwarden/cellwarden/report"
)

// risk says how likely it is that a shared headroom pool overflows. Package capacity/risk computes it,
// risk_behaviour.go reads the behaviour, and risk_report.go prints.

const riskLong = `risk says of a shared headroom pool which groups may pause together, which smallest set of them overflows it, and how
likely an overflow is for a stated behaviour: the part of the time in which the groups that are paused bring more than
the pool has, each at the worst case of its link. It also says which ratio keeps that below --target.

The behaviours:
  --paused 0.1%                      each group is paused for this part of the time, independently of the others
  --pauses 100 --pause-time 20us     the same, from pauses in a second and their length
  --congested 1% --fan-in 8          egress ports are congested for this part of the time, independently; each then pauses
                                     its senders, --fan-in of them, and their groups pause together
  --watermarks FILE                  CSV with the columns port, group and cells: each group brings one of its measured
                                     headroom watermarks, each equally often; a group without one its worst case

Without a behaviour, risk says for how much of the time the groups may be paused. Results are exact up to rounding;
--trials checks that of --paused by importance sampling, with an interval.

`

func riskCommand() *cobra.Command {
	f := &RiskFlags{}
	c := &cobra.Command{
		Use:   "risk FILE",
		Short: "Compute how likely a shared headroom pool overflows, and the ratio that a target risk allows",
		Long:  riskLong + cli.ExitCodes,
		Example: "  cellwarden risk examples/arista-7060cx-32s.yaml --paused 0.1%\n" +
			"  cellwarden risk leaf.yaml --congested 1% --fan-in 8 --target 1e-9",
		Args: cli.Args(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },
	}
	cli.SetFlag(c)
	cli.ConfineFlag(c)
	cli.OutputFlag(c, &f.format)
	f.Register(c)
	return c
}

// run answers for a topology and prints the answer.
func (f *RiskFlags) run(cmd *cobra.Command, name string) error {
	behaves, err := f.Behaves(cmd)
	if err := errors.Join(err, cli.CheckFormat(f.format)); err != nil {
		return cli.ExitWith(cli.ExitUsage, err)
	}
	// The risk belongs to the sizes that the topology asks for, so it is also known for one that does not fit.
	file, changes, err := cli.ReadTopology(cmd, name)
	if err != nil {
		return err
	}
	doc, err := f.answer(file.Intent, behaves)
	if err != nil {
		return cli.ExitWith(cli.ExitUsage, fmt.Errorf("%s: %w", name, err))
	}
	doc.Set = changes
	a, err := buffer.NewAdmission(file.Intent)
	if err != nil {
		return cli.ExitWith(cli.ExitUsage, err)
	}
	if err := f.screen(&doc, a).Write(cmd.OutOrStdout(), f.format, doc); err != nil {
		return cli.Failure(err)
	}
	if !a.Fits() {
		return cli.Silent(cli.ExitNoFit)
	}
	return nil
}

// answer computes the risk of every pool, and the ratio for the target if a behaviour is stated.
func (f *RiskFlags) answer(in buffer.Intent, behaves portsBehaviour) (report.RiskDocument, error) {
	doc := report.RiskDocument{Schema: report.Schema("risk"), Behaviour: f.behaviour, Target: f.target,
		Pools: []report.RiskPool{}}
	pools, err := risk.Pools(in)
	if err != nil {
		return doc, err
	}
	bound := behaves.of(in)
	for i := range pools {
		one, err := f.pool(&pools[i], bound)
		if err != nil {
			return doc, err
		}
		doc.Pools = append(doc.Pools, one)
	}
	// Without a behaviour no ratio has a risk; with dedicated headroom no pool can overflow.
	if f.behaviour == "" || len(pools) == 0 {
		return doc, nil
	}
	r, err := risk.RatioFor(in, f.target, bound)
	if err != nil {
		return doc, err
	}
	to := unnamed.New(&doc.Ratio)
	to.Ratio, to.Risk, to.Beyond, to.Fits, to.Least = r.Ratio, r.Risk, r.Beyond, r.Fits, r.Least
	return doc, nil
}

// pool answers for the pool of one slice.
func (f *RiskFlags) pool(p *risk.Pool, behaves risk.Behaviour) (report.RiskPool, error) {
	set := p.Smallest()
	out := report.RiskPool{
		Slice:      p.Slice,
		PoolCells:  p.Cells,
		GroupCells: p.All(),
		Groups:     len(p.Groups),
		AtOnce:     p.AtOnce(),
		Smallest:   len(set),
		Set:        groupNames(set),
	}
	// The bound on the paused part needs no behaviour: it is the answer to a reader who has no numbers.
	var err error
	if out.MostPaused, err = p.MostPaused(f.target); err != nil || f.behaviour == "" {
		return out, err
	}
	over, err := behaves(p)
	if err != nil {
		return out, err
	}
	out.Overflow = &over
	// The sample is a check of the exact result by other means. It is importance sampling, because plain trials would
	// see no overflow at a risk of 1e-9.
	if f.trials != 0 {
		e, err := p.Sample(f.pausedPart, f.seed, f.trials)
		if err != nil {
			return out, fmt.Errorf("--trials: %w", err)
		}
		to := unnamed.New(&out.Sampled)
		to.Probability, to.Low, to.High, to.Trials, to.Seed = e.Probability, e.Low, e.High, e.Trials, f.seed
	}
	return out, nil
}
