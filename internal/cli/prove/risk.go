package prove

import (
	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/capacity/risk"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/cli/inputs"
	"github.com/cellwarden/cellwarden/unit"
)

// risk says how likely it is that a shared headroom pool overflows. Package capacity/risk computes it,
// this file reads the behaviour, and risk_report.go prints.

// RiskCommand makes the verb. The flags of the behaviour are registered apart, because plan has them too.
func RiskCommand() *cobra.Command {
	f := &RiskFlags{}
	c := cli.Command("risk", cli.Args(1, 1), func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) })
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
	file, changes, err := inputs.ReadTopology(cmd, name)
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

// The question of a headroom pool, of the flags of risk and of plan --risk.

// RiskFlags are the flags of the risk command. paused and congested are parts of the time, as a percentage or a number
// from 0 to 1. target is the accepted risk, from 0 to 1. fanIn is a number of ports, trials one of random samples.
type RiskFlags struct {
	format            cli.Output
	paused, congested string
	pauses            float64
	pauseTime         string
	fanIn, trials     int
	seed              uint64
	watermarks        string
	target            float64
}

// Register adds the flags of the behaviour. --accepted-risk has a default that is used without any behaviour as well:
// for how long groups may be paused.
func (f *RiskFlags) Register(c *cobra.Command) {
	c.Flags().StringVar(&f.paused, "paused", "", "part of the time for which each group is paused: 0.1%, 0.001")
	c.Flags().Float64Var(&f.pauses, "pauses", 0, "pauses of a group in a second of the clock, with --pause-time")
	c.Flags().StringVar(&f.pauseTime, "pause-time", "", "length of a pause, with --pauses: 20us")
	c.Flags().StringVar(&f.congested, "congested", "", "part of the time for which each egress port is congested")
	c.Flags().IntVar(&f.fanIn, "fan-in", 0, "senders of a congested egress port, with --congested")
	c.Flags().StringVar(&f.watermarks, "watermarks", "", "CSV of measured headroom watermarks: port, group, cells")
	c.Flags().Float64Var(&f.target, "accepted-risk", 1e-6, "risk that is accepted")
	c.Flags().IntVar(&f.trials, "trials", 0, "also estimate the risk of --paused from this number of random trials")
	c.Flags().Uint64Var(&f.seed, "seed", 1, "seed of --trials: the same seed gives the same estimate")
}

// RiskNames are the flags that register adds. plan refuses them without --risk.
var RiskNames = []string{"paused", "pauses", "pause-time", "congested", "fan-in", "watermarks", "accepted-risk",
	"trials", "seed"}

// Question returns the question that the flags state, and refuses one that cannot be answered. The quantities stay
// texts, and package risk complains of them by the names of these flags.
func (f *RiskFlags) Question(cmd *cobra.Command) (*risk.Question, error) {
	q := &risk.Question{Paused: given(cmd, "paused", f.paused), Pauses: given(cmd, "pauses", f.pauses),
		PauseTime: given(cmd, "pause-time", f.pauseTime), Congested: given(cmd, "congested", f.congested),
		FanIn: given(cmd, "fan-in", f.fanIn), Watermarks: given(cmd, "watermarks", []byte(nil)), File: f.watermarks,
		Target: f.target, Trials: f.trials, Seed: f.seed, Named: func(option string) string { return "--" + option }}
	// With another behaviour beside it the file is not read: Check refuses the question.
	if q.Watermarks.IsGiven() && !q.Paused.IsGiven() && !q.Pauses.IsGiven() && !q.Congested.IsGiven() {
		name, data, err := cli.ReadInput(cmd, f.watermarks)
		if err != nil {
			return nil, err
		}
		// The name is the one for messages, such as standard input.
		q.File, q.Watermarks = name, unit.Given(data)
	}
	return q, q.Check()
}

// given is the value of a flag that is on the command line. A value that equals its default was given all the same:
// --paused 0 is a behaviour.
func given[T any](cmd *cobra.Command, flag string, value T) (out unit.Optional[T]) {
	if cmd.Flags().Changed(flag) {
		out = unit.Given(value)
	}
	return out
}
