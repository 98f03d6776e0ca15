package buffer

import (
	"errors"
	"fmt"
)

// Diff returns the steps from one layout to another, phase by phase: decreases before increases, because a device
// checks every state on the way, and cells must be given back before others can take them. CheckTransition proves it
// for two layouts. Equal layouts give no steps.
func Diff(have, want Layout) []Step {
	var out []Step
	add := func(r Register, from, to int64) {
		if from != to {
			out = append(out, Step{r, from, to})
		}
	}
	for len(have) > 0 || len(want) > 0 {
		switch c := compareHeads(have, want); {
		case c < 0:
			add(have[0].Register, have[0].Value, have[0].Kind.Empty())
			have = have[1:]
		case c > 0:
			add(want[0].Register, want[0].Kind.Empty(), want[0].Value)
			want = want[1:]
		default:
			add(have[0].Register, have[0].Value, want[0].Value)
			have, want = have[1:], want[1:]
		}
	}
	inOrder(out)
	return out
}

// compareHeads orders two layouts by their first register; the end is last.
func compareHeads(a, b Layout) int {
	switch {
	case len(a) == 0:
		return 1
	case len(b) == 0:
		return -1
	case a[0].Register == b[0].Register:
		return 0
	default:
		return a[0].Compare(b[0].Register)
	}
}

// Phases splits ordered steps by their phase. Empty phases are left out.
func Phases(steps []Step) [][]Step {
	var out [][]Step
	for start := 0; start < len(steps); {
		end := start + 1
		for end < len(steps) && steps[end].Phase() == steps[start].Phase() {
			end++
		}
		out = append(out, steps[start:end:end])
		start = end
	}
	return out
}

// errNoSteps says that no device goes from one plan to the other by changing registers.
var errNoSteps = errors.New("no steps")

// Diff returns the steps that bring a device from this plan to another one, in the order in which it can make them. It
// is empty if the device holds the same registers for both. The error wraps errNoSteps: the plans are for different
// chips, or one of them does not fit, and no device holds a plan that does not fit.
func (p *Plan) Diff(to *Plan) ([]Step, error) {
	switch {
	case p.Chip != to.Chip:
		return nil, fmt.Errorf("%w: the plans are for different chips, %s and %s", errNoSteps, p.Chip.Name, to.Chip.Name)
	case !p.Fits:
		return nil, fmt.Errorf("%w: the first plan does not fit, so no device holds it", errNoSteps)
	case !to.Fits:
		return nil, fmt.Errorf("%w: the second plan does not fit, so no device can be brought to it", errNoSteps)
	}
	return Diff(p.Layout(), to.Layout()), nil
}
