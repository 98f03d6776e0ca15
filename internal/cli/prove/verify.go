package prove

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/asic/behaviour"
	"github.com/cellwarden/cellwarden/backend/sim"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/finding"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/cli/findings"
	"github.com/cellwarden/cellwarden/internal/cli/inputs"
	"github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// VerifyFlags are the flags of the verify command. The zero options are the standard's worst case with frames of 64
// bytes and more, which needs no condition, with the rule of the chip, or the reference where that is not known.
type VerifyFlags struct {
	o     sim.VerifyOptions
	cable unit.Optional[unit.Length]
	since string // a revision of git
	list  findings.Flags
}

// VerifyCommand returns the verify command. Every flag that makes the case milder becomes a condition of the verdict,
// so that no script gets a LOSSLESS that holds for less than it seems.
func VerifyCommand() *cobra.Command {
	var f VerifyFlags
	c := cli.Command("verify", cli.Args(1, 1), func(cmd *cobra.Command, args []string) error {
		return f.run(cmd, args[0])
	})
	c.Flags().BoolVar(&f.o.Alone, "alone", false,
		"fill each group alone: do not simulate that all groups of a shared headroom pool pause at once")
	// The flag remains accepted, so that scripts from before it became the default still run.
	c.Flags().Bool("together", false, "")
	_ = c.Flags().MarkHidden("together") // the default since verify covers the pools
	c.MarkFlagsMutuallyExclusive("alone", "together")
	cli.TypedFlag(c.Flags(), &f.o.Frame, "frame", "", unit.ParseBytes,
		"shortest frame of the lossless classes: the worst mixture has frames of this size and more (default: 64B)")
	cli.TypedFlag(c.Flags(), &f.cable, "cable", "", cli.Known(unit.ParseLength),
		"length of every cable, with the headroom that was planned for the topology's cables")
	cli.TypedFlag(c.Flags(), &f.o.Delays, "delays", "", cli.Known(thresholds.ParseDelaySum),
		"delays of both ends: both-ends, texts, larger, nvidia, nvidia-quanta (default: both-ends)")
	cli.TypedFlag(c.Flags(), &f.o.Behaviour, "behaviour", "", func(text string) (behaviour.Family, error) {
		b, known := behaviour.Lookup(text)
		if !known {
			return b, fmt.Errorf("%q (want %s)", text, strings.Join(behaviour.Names(), ", "))
		}
		return b, nil
	}, "how the chip compares counters with limits: "+strings.Join(behaviour.Names(), ", ")+
		" (default: the rule of the chip, or the reference where it is not known)")
	cli.SetFlag(c)
	findings.SinceFlag(c, &f.since)
	f.list.Register(c, "verify", sim.Codes())
	cli.AllFlag(c, &f.list.Output)
	cli.UnitsFlag(c, &f.list.Output)
	return c
}

// run plans the topology, verifies the plan and prints the result. A plan that
// does not fit is not verified: some of its ports have no registers. The exit code is that of the verdict: 0 for
// LOSSLESS and LOSSLESS IF, 3 for the others and for a plan that does not fit.
func (f *VerifyFlags) run(cmd *cobra.Command, file string) error {
	if err := f.list.Check(); err != nil {
		return err
	}
	// in has the cables and frames that are simulated, and plan the registers that are proven.
	plan, in, err := inputs.LoadPlan(cmd, file, "nothing was verified", false)
	if err != nil {
		return err
	}
	v, err := f.Prove(cmd, plan, in)
	if err != nil {
		return err
	}
	found, note := sim.Findings(v, cli.ShownName(file)), ""
	if f.since != "" {
		if found, note, err = f.brought(cmd, file, found); err != nil {
			return err
		}
	}
	// A verdict on a changed topology must not be taken for one on the file: the changes are conditions of it.
	f.condition(v, cli.Changed(cmd))
	return f.end(cmd, v, plan, found, note)
}

// Prove simulates a plan. The headroom is for the cables of the file, and the frames travel over those of --cable.
func (f *VerifyFlags) Prove(cmd *cobra.Command, plan *buffer.Plan, in buffer.Intent) (*report.Verification, error) {
	// It is nil where standard error is no terminal.
	f.o.Progress = cli.Progress[int](cmd.ErrOrStderr())
	// An error is an option that the plan does not allow, such as a frame longer than those of every lossless class.
	v, err := sim.Verify(cmd.Context(), f.stretch(in), plan.Layout(), f.o)
	switch {
	// A part of a proof is no proof, so nothing is printed.
	case cmd.Context().Err() != nil:
		return nil, cli.ExitWith(cli.ExitFailure,
			fmt.Errorf("stopped before all groups were verified: %w", cmd.Context().Err()))
	case err != nil:
		return nil, cli.ExitWith(cli.ExitUsage, err)
	}
	return v, nil
}

// brought returns the losses that the topology of the revision does not have in the same case, and a note on the
// others. All are new if the revision has no such plan.
func (f *VerifyFlags) brought(cmd *cobra.Command, file string, now []finding.Finding) ([]finding.Finding, string,
	error) {
	plan, in, err := findings.PlanAt(cmd, f.since, file)
	if err != nil {
		return nil, "", err
	}
	var before []finding.Finding
	if plan != nil {
		v, err := f.Prove(cmd, plan, in)
		if err != nil {
			return nil, "", err
		}
		before = sim.Findings(v, cli.ShownName(file))
	}
	fresh, note := findings.NewSince(f.since, before, now)
	return fresh, note, nil
}

// end prints the result. The exit code is 3 if frames are lost, or if there is nothing to prove, unless the baseline
// accepts all findings. The verdict does not change. found is what the verdict rests on, in the form of a baseline:
// each group and pool that loses frames is one. note is on those that --since has taken away; empty: there is none.
func (f *VerifyFlags) end(cmd *cobra.Command, v *report.Verification, plan *buffer.Plan, found []finding.Finding,
	note string) error {
	// The baseline decides the exit code and not the verdict: losses that someone accepted are still losses.
	fresh, accepted, err := f.list.Accept(cmd, found)
	if err != nil {
		return err
	}
	// SARIF and JUnit have the findings alone, and what was checked as the name of the suite.
	err = f.list.Print(cmd, fmt.Sprintf("%d groups", len(v.Groups)), fresh, func() error {
		screen := f.Screen(v, plan)
		// LOSSLESS IF is a warning: the operator has to make its conditions true.
		if screen.Mood = cli.MoodOf(v.Verdict == report.Lossless); v.Verdict == report.LosslessIf {
			screen.Mood = cli.Warn
		}
		if note != "" {
			screen.Foot = append(screen.Foot, note)
		}
		screen.Foot = append(screen.Foot, accepted.Lines()...)
		return firstVerify(screen, v, plan).Answer(cmd, f.list.Output, v)
	})
	// A verdict other than LOSSLESS and LOSSLESS IF has a finding at least, so that the exit code follows from it.
	return cli.Ended(err, cli.CodeIf(len(fresh) > 0, cli.ExitNoFit))
}

// stretch sets the length of every cable. It is called after planning, so that
// the plan has the topology's cables. The intent is a copy, because the plan still belongs to the one that was read.
func (f *VerifyFlags) stretch(in buffer.Intent) buffer.Intent {
	// Without it the links are those of the topology.
	l, given := f.cable.Get()
	if !given {
		return in
	}
	in.Ports = slices.Clone(in.Ports)
	for i := range in.Ports {
		// A measured or stated delay would win over the length, so both are removed.
		in.Ports[i].Cable, in.Ports[i].Delay = l, unit.Optional[unit.Time]{}
		in.Ports[i].Measured = thresholds.Measurement{}
	}
	return in
}

// condition adds the conditions that differ from the topology. A verdict of lossless
// then holds under these conditions only. Those of the other flags, and what the plan assumes, are in v already:
// package sim adds them.
func (f *VerifyFlags) condition(v *report.Verification, changes []string) {
	v.Conditions = append(v.Conditions, cli.Prefixed("the topology has ", changes)...)
	l, given := f.cable.Get()
	if given {
		v.Conditions = append(v.Conditions, "every cable has "+l.String())
	}
	if len(changes) == 0 && !given {
		return
	}
	// Only a good verdict gets weaker: a loss under these conditions is a loss. Lossless is true for a verdict without
	// a condition alone.
	if v.Verdict == report.Lossless {
		v.Verdict, v.Lossless = report.LosslessIf, false
	}
}
