package size

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/thresholds"
)

// ofPlan makes the question of a topology's plan, for one class that marks, in the
// slice in which the class pauses first. All lossless groups are congested unless
// --groups gives their number.
func (f *ecnFlags) ofPlan(cmd *cobra.Command, file string) (ecnQuestion, error) {
	for _, name := range []string{"pool", "slices", "cell", "chip", "alpha", "dynamic-th", "reserved", "kmin", "kmax",
		"pmax", "queue-limit"} {
		if cmd.Flags().Changed(name) {
			return ecnQuestion{}, fmt.Errorf("--%s: want it without a TOPOLOGY, which gives this value", name)
		}
	}
	// Numbers of a plan that does not fit would be those of a pool that no switch has.
	plan, in, err := cli.LoadPlan(cmd, file)
	if err != nil {
		return ecnQuestion{}, err
	}
	if err := cli.Unfit(cmd, file+": the plan does not fit, so its pool is not known", plan); err != nil {
		return ecnQuestion{}, err
	}
	m, err := f.chosen(plan.MarksFirst())
	if err != nil {
		return ecnQuestion{}, fmt.Errorf("%s: %w", file, err)
	}
	// With a static limit the number of congested groups changes nothing, and that is the question of this verb.
	if !m.Alpha {
		return ecnQuestion{}, fmt.Errorf(
			"%s: class %s has a static limit: each group sends XOFF at %v, independent of the "+
				"others; marks first: %t", file, m.Class, m.Pause, m.First)
	}
	q := ecnQuestion{check: m.Check, curve: m.Curve, slices: len(in.Chip.Slices), groups: m.Groups}
	q.check.Feeding = f.feeding
	// By default all lossless groups of the slice are congested: the limit of each is then the lowest.
	if cmd.Flags().Changed("groups") {
		q.groups = f.n
	}
	if q.groups < 1 || q.groups > thresholds.MaxGroups || f.feeding < 1 || f.feeding > thresholds.MaxGroups {
		return q, fmt.Errorf("--groups %d, --feeding %d: want 1 to %d", q.groups, f.feeding, thresholds.MaxGroups)
	}
	q.groups = max(q.groups, f.feeding)
	q.dcqcn, err = f.senders(q.curve)
	return q, err
}

// chosen returns the class of --class, or the only one.
func (f *ecnFlags) chosen(all []buffer.MarksFirst) (buffer.MarksFirst, error) {
	var names []string
	for _, m := range all {
		names = append(names, m.Class)
	}
	i := slices.Index(names, f.class)
	switch {
	case len(all) == 0:
		return buffer.MarksFirst{}, errors.New("no lossless class marks packets (want one with ecn)")
	// With several classes a choice is needed: the answers differ, and the first one is not more likely to be meant.
	case f.class == "" && len(all) == 1:
		return all[0], nil
	case i < 0:
		return buffer.MarksFirst{}, fmt.Errorf("--class %q: want %s", f.class, strings.Join(names, ", "))
	}
	return all[i], nil
}
