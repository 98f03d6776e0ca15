package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/asic/behaviour"
	"github.com/cellwarden/cellwarden/backend/sim"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// verifyFlags are the flags of the verify command.
type verifyFlags struct {
	together                                bool
	frame, cable, delays, behaviour, format string
}

func verifyCommand() *cobra.Command {
	var f verifyFlags
	c := &cobra.Command{
		Use:   "verify TOPOLOGY",
		Short: "Let the worst case happen to every lossless group of a plan, in simulation, and say what is lost",
		Long: "verify plans the topology (YAML or JSON; - is standard input) and lets the worst case happen to " +
			"every lossless group of\n" +
			"the plan: a sender at line rate at the end of the cable, frames that waste most cells, a frame of the " +
			"port's MTU ahead\n" +
			"of the pause frame, the larger of two sums of the delays of both ends, and no frame that leaves. It " +
			"says how much headroom was\n" +
			"used, how much cable the rest is good for, and below how many cells the first frame is lost.\n\n" +
			"Preamble and gap are taken for data, as the sizing methods do; this decides. What a link with gaps " +
			"needs stands beside it.\n\n" + exitCodes,
		Example: "  cellwarden verify examples/arista-7060cx-32s.yaml\n  cellwarden verify --together -o json " +
			"topology.yaml\n  cellwarden verify --cable 10km topology.yaml",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },
	}
	c.Flags().BoolVar(&f.together, "together", false,
		"also fill all groups of each slice's shared headroom pool at once")
	c.Flags().StringVar(&f.frame, "frame", "",
		"size of the frames that fill the headroom (default: the size that wastes most cells)")
	c.Flags().StringVar(&f.cable, "cable", "",
		"let every cable be this long, with the headroom that was planned for the topology's")
	c.Flags().StringVar(&f.delays, "delays", "",
		"how the delays of both ends add up: texts, both-ends, larger (default: larger)")
	c.Flags().StringVar(&f.behaviour, "behaviour", "", "how the chip compares: "+strings.Join(behaviourNames(), ", ")+
		" (default: the reference)")
	outputFlag(c, &f.format)
	return c
}

func behaviourNames() (names []string) {
	for _, b := range behaviour.Families() {
		names = append(names, b.Name)
	}
	return names
}

func (f *verifyFlags) run(cmd *cobra.Command, file string) error {
	o, err := f.options()
	if err := errors.Join(checkFormat(f.format), err); err != nil {
		return err
	}
	plan, in, err := loadPlan(cmd, file)
	if err != nil {
		return err
	}
	if err := plan.Err(); err != nil {
		return exit{exitNoFit, fmt.Errorf("nothing was verified: %w", err)}
	}
	if in, err = f.stretch(in); err != nil {
		return err
	}
	v, err := sim.Verify(cmd.Context(), in, plan.Layout(), o)
	switch {
	case cmd.Context().Err() != nil:
		return exit{exitFailure, fmt.Errorf("stopped before all groups were verified: %w", cmd.Context().Err())}
	case err != nil:
		return exit{exitUsage, err}
	}
	if err := verifyReport(v, plan, f.together).write(cmd.OutOrStdout(), f.format, v); err != nil {
		return exit{exitFailure, err}
	}
	if !v.Lossless {
		return silent(exitNoFit)
	}
	return nil
}

func (f *verifyFlags) options() (o sim.VerifyOptions, err error) {
	o.Together = f.together
	if f.frame != "" {
		if o.Frame, err = unit.ParseBytes(f.frame); err != nil {
			return o, fmt.Errorf("frame: %w", err)
		}
	}
	if f.delays != "" {
		sum, err := thresholds.ParseDelaySum(f.delays)
		if err != nil {
			return o, fmt.Errorf("delays: %w", err)
		}
		o.Delays = unit.Given(sum)
	}
	if f.behaviour != "" {
		b, ok := behaviour.Lookup(f.behaviour)
		if !ok {
			return o, fmt.Errorf("behaviour %q: accepted: %s", f.behaviour, strings.Join(behaviourNames(), ", "))
		}
		o.Behaviour = b
	}
	return o, nil
}

// stretch gives all cables another length.
func (f *verifyFlags) stretch(in buffer.Intent) (buffer.Intent, error) {
	if f.cable == "" {
		return in, nil
	}
	l, err := unit.ParseLength(f.cable)
	if err != nil {
		return in, fmt.Errorf("cable: %w", err)
	}
	in.Ports = slices.Clone(in.Ports)
	for i := range in.Ports {
		in.Ports[i].Cable, in.Ports[i].Delay = l, unit.Given[unit.Time](0)
	}
	return in, nil
}

func verifyReport(v *sim.Verification, plan *buffer.Plan, together bool) *report {
	r := &report{head: verifyHead(v, plan, together)}
	s := section{title: "Worst case of a group, in cells", columns: []string{"ports", "groups", "class", "speed",
		"cable", "frame", "granted", "peak", "first drop below",
		"margin", "margin m", "drops each", "with gaps: frame", "first drop below", "margin"}}
	for _, f := range foldVerified(v.Groups) {
		g := f.like
		s.row(buffer.FoldPorts(f.ports), f.groups, g.Class, g.Speed.String(), g.Cable.String(), count(g.Frame),
			count(g.Granted), count(g.Peak), count(g.FirstDropBelow),
			count(g.Margin), count(g.MarginMetres), count(g.Drops), count(g.WithGaps.Frame),
			count(g.WithGaps.FirstDropBelow), count(g.WithGaps.Margin))
	}
	r.sections = append(r.sections, s)
	if len(v.Pools) > 0 {
		s := section{title: "All groups of a headroom pool at once, in cells",
			columns: []string{"slice", "groups", "granted", "peak", "first drop below", "margin", "drops"}}
		for _, p := range v.Pools {
			s.row(count(p.Slice), count(p.Groups), count(p.Granted), count(p.Peak), count(p.FirstDropBelow),
				count(p.Margin), count(p.Drops))
		}
		r.sections = append(r.sections, s)
	}
	r.foot = verifyFoot(v, plan, together)
	return r
}

func verifyHead(v *sim.Verification, plan *buffer.Plan, together bool) []string {
	verdict := "LOSSLESS"
	switch {
	case v.Drops > 0:
		verdict = "NOT LOSSLESS: " + plural(int(v.Drops), "frame is lost", "frames are lost")
	case !v.Lossless:
		verdict = "NOT LOSSLESS: not lossless on the device are " + buffer.FoldPorts(v.NotVerified)
	}
	alone := "alone"
	if together && len(v.Pools) > 0 {
		alone = "alone, then together with all of its headroom pool"
	}
	return []string{verdict,
		fmt.Sprintf("plan      chip %s, headroom sized by method %s", v.Chip, v.Method),
		fmt.Sprintf("case      %s, behaviour %s, each group %s", v.Delays, v.Behaviour, alone)}
}

// verifyFoot explains what is missing, and what was not looked at.
func verifyFoot(v *sim.Verification, plan *buffer.Plan, together bool) (out []string) {
	short, saved := 0, 0
	for i := range v.Groups {
		if v.Groups[i].Margin < 0 {
			short++
			if v.Groups[i].WithGaps.Margin >= 0 {
				saved++
			}
		}
	}
	if short > 0 {
		out = append(out, fmt.Sprintf("- %s less headroom than the worst case needs.%s",
			plural(short, "group has", "groups have"), assumed(v, plan)))
	}
	if saved > 0 {
		out = append(out, fmt.Sprintf("- On a link with preamble and gap between the frames %s enough: the sizing "+
			"methods give no credit for them.", plural(saved, "of these groups has", "of these groups have")))
	}
	switch {
	case plan.Shared == nil && together:
		out = append(out, "- Headroom is dedicated: all groups at once need no more than each alone.")
	case plan.Shared != nil && !together:
		out = append(out, fmt.Sprintf(
			"- The headroom pool is oversubscribed %v, worst slice %v: --together fills all groups at once.",
			plan.Shared.Ratio, plan.Shared.Worst))
	}
	if len(out) > 0 {
		out = append([]string{"Notes"}, out...)
	}
	return out
}

// assumed says what the plan's method took for granted that the worst case does
// not.
func assumed(v *sim.Verification, plan *buffer.Plan) string {
	worst := v.Groups[0].Frame
	sum := ""
	for i := range v.Groups {
		if g := &v.Groups[i]; g.Margin < 0 && v.PlanDelays != "" && v.PlanDelays != g.Delays.String() &&
			v.PlanDelays != thresholds.LargerSum.String() {
			sum = fmt.Sprintf(" The plan adds up the delays of both ends by %s, at %v %v is more: headroom with delays: "+
				"larger has both.", v.PlanDelays, g.Speed, g.Delays)
		}
	}
	switch {
	case sum != "":
		return sum
	case plan.Sizing.Mix.String() == "":
		return fmt.Sprintf(" Method %s does not say which delays and frames its numbers are for.", v.Method)
	case plan.Sizing.Mix.Frame() != worst:
		return fmt.Sprintf(" Method %s was told of frames of %s; frames of %v take more cells in the same time.",
			v.Method, plan.Sizing.Mix, worst)
	}
	return ""
}

// verified is a set of ports whose groups came out alike.
type verified struct {
	like   sim.VerifiedGroup
	groups string
	ports  []string
}

// foldVerified merges rows, which are sorted by port, first those of a port that
// differ in the group alone, then those of ports that are alike.
func foldVerified(rows []sim.VerifiedGroup) (out []verified) {
	for len(rows) > 0 {
		n := 0
		for n < len(rows) && rows[n].Port == rows[0].Port {
			n++
		}
		for _, f := range foldVerifiedPort(rows[:n]) {
			k := slices.IndexFunc(out, func(o verified) bool { return o.like == f.like && o.groups == f.groups })
			if k < 0 {
				out = append(out, f)
			} else {
				out[k].ports = append(out[k].ports, f.ports...)
			}
		}
		rows = rows[n:]
	}
	return out
}

func foldVerifiedPort(rows []sim.VerifiedGroup) (out []verified) {
	numbers := map[int][]int{}
	for _, g := range rows {
		like := g
		like.Port, like.Group = "", 0
		k := slices.IndexFunc(out, func(o verified) bool { return o.like == like })
		if k < 0 {
			k = len(out)
			out = append(out, verified{like: like, ports: []string{g.Port}})
		}
		numbers[k] = append(numbers[k], g.Group)
	}
	for k := range out {
		out[k].groups = join(numbers[k])
	}
	return out
}
