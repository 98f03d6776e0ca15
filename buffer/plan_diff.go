package buffer

import (
	"errors"
	"fmt"
)

// errNoSteps says that no device goes from one plan to the other by changing registers.
var errNoSteps = errors.New("no steps")

// Diff returns the steps that bring a device from this plan to another one, in the order in which it can make them. It
// is empty if the device holds the same registers for both. The error wraps errNoSteps: the plans are for different
// chips, or one of them does not fit, and no device holds a plan that does not fit.
func (p *Plan) Diff(to *Plan) ([]Step, error) {
	switch {
	case p.Chip != to.Chip:
		return nil, fmt.Errorf(
			"%w: the plans are for different chips, %s and %s",
			errNoSteps,
			p.Chip.Name,
			to.Chip.Name,
		)
	case !p.Fits:
		return nil, fmt.Errorf("%w: the first plan does not fit, so no device holds it", errNoSteps)
	case !to.Fits:
		return nil, fmt.Errorf("%w: the second plan does not fit, so no device can be brought to it", errNoSteps)
	}
	return Diff(p.Layout(), to.Layout()), nil
}
