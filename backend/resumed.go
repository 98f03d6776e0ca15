package backend

import (
	"context"

	"github.com/cellwarden/cellwarden/buffer"
)

// Resume says how a push of registers is resumed.
type Resume struct {
	// Undo leads back to the values before the push. Else the push is finished.
	Undo bool
	// Overwrite also changes registers that hold a value which is neither the previous nor the
	// planned one. Else they are left: others have changed them.
	Overwrite bool
}

// LookAgain looks at a device whose push was interrupted. steps are all that the push was to change.
// It sends nothing. Registers that others have changed since are the Report's Others.
func LookAgain(ctx context.Context, b Backend, steps []buffer.Step, how Resume) (*Convergence, error) {
	all, err := NewRegisters(ctx, b, nil, Options{Prune: true})
	c := &Convergence{Report: all.report}
	if err != nil {
		return c, err
	}
	d := &resumed{Registers: all, overwrite: how.Overwrite, registers: map[buffer.Register]bool{}}
	for _, s := range steps {
		if how.Undo {
			s = s.Inverse()
		}
		d.steps, d.registers[s.Register] = append(d.steps, s), true
	}
	before, err := d.Read(ctx)
	if err != nil {
		return c, err
	}
	c.Push = Compare(d, before)
	_, c.Left = d.Pending(before, d.steps)
	if d.overwrite {
		c.Left = nil
	}
	if len(c.Left) > 0 {
		c.Has = HasNeither
	}
	c.Report.Steps, c.Report.Has, c.Report.Others = c.Changes, c.Has, c.Left
	return c, nil
}

// resumed is a Device whose plan is what is left of a push.
type resumed struct {
	*Registers
	steps     []buffer.Step // to the goal
	registers map[buffer.Register]bool
	overwrite bool
}

// Diff lists the steps that are not made, but for those of registers that others have changed.
func (d *resumed) Diff(now buffer.Layout) []buffer.Step {
	left, others := d.Pending(now, d.steps)
	if d.overwrite {
		left = append(left, others...)
	}
	return buffer.Diff(now, now.With(left))
}

// Restore lists the steps between two readings, of the registers of the push.
func (d *resumed) Restore(now, before buffer.Layout) []buffer.Step {
	ours := func(r buffer.Register) bool { return d.registers[r] }
	return buffer.Diff(now.Only(ours), before.Only(ours))
}
