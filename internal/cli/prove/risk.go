package prove

import (
	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/internal/cli"
)

// risk says how likely it is that a shared headroom pool overflows. Package capacity/risk computes it,
// risk_behaviour.go reads the behaviour, and risk_report.go prints.

const riskLong = `risk answers for shared headroom pools: which groups may pause together, which smallest set of them
overflows a pool, and how likely an overflow is for a stated behaviour: the part of the time in which the paused groups
bring more than a pool has, each at the worst case of its link. The first line is of the switch: of an overflow in any
of its slices. It also says which ratio keeps that below --accepted-risk.

The behaviours:
  --paused 0.1%                      each group is paused for this part of the time, independently of the others
  --pauses 100 --pause-time 20us     the same, from pauses in a second of the clock and their length
  --congested 1% --fan-in 8          egress ports are congested for this part of the time, independently; each then pauses
                                     its senders: --fan-in of the switch's ports, each set of them equally likely, and
                                     all lossless groups of these
  --watermarks FILE                  CSV with the columns port, group and cells: each group brings one of its measured
                                     headroom watermarks, each equally often; with a group that has none, the result
                                     is a bound, or not known (exit code 3)

Without a behaviour, risk says for how much of the time the groups may be paused. Results are exact up to rounding, or
called a bound; --trials checks that of --paused by importance sampling, with an interval.

`

// The flags of the behaviour are registered apart, because plan has them too.
func riskCommand() *cobra.Command {
	f := &RiskFlags{}
	c := &cobra.Command{
		Use:   "risk FILE",
		Short: "Compute how likely a shared headroom pool overflows, and the ratio that a target risk allows",
		Long:  riskLong + cli.ExitCodes,
		Example: "  cellwarden risk examples/arista-7060cx-32s.yaml --paused 0.1%\n" +
			"  cellwarden risk leaf.yaml --congested 1% --fan-in 8 --accepted-risk 1e-9",
		Args: cli.Args(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },
	}
	cli.TopologyFlags(c, &f.format)
	f.Register(c)
	return c
}

// run answers for a topology and prints the answer. Exit code 3 has two reasons: ports are refused, so the pool of the
// plan is never configured; or a bound cannot be given.
func (f *RiskFlags) run(cmd *cobra.Command, name string) error {
	// Flags of several behaviours are refused there: the answer is for one.
	q, err := f.Question(cmd)
	if err != nil {
		return cli.ExitWith(cli.ExitUsage, err)
	}
	// The risk belongs to the sizes that the topology asks for, so it is also known for one that does not fit.
	file, changes, err := cli.ReadTopology(cmd, name)
	if err != nil {
		return err
	}
	// A topology with dedicated headroom has an answer as well: no pool can overflow.
	doc, err := q.Answer(cmd.Context(), file.Intent)
	if err != nil {
		return cli.BadUsage("%s: %w", name, err)
	}
	doc.Set = changes
	screen := riskScreen(&doc, file.Intent.Chip.Cell).Brief(12, "pools")
	return screen.Print(cmd, f.format, doc, cli.CodeIf(doc.Refused > 0 || doc.Verdict == "not known", cli.ExitNoFit))
}
