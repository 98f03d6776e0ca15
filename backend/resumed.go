package backend

import (
	"context"
	"slices"

	"github.com/cellwarden/cellwarden/buffer"
)

// Resume says how a push of registers is resumed.
type Resume struct {
	// Undo leads back to the values before the push. Else the push is finished.
	Undo bool
	// Overwrite also changes registers that hold a value which is neither the previous nor the
	// planned one. Else they are left: others have changed them.
	Overwrite bool
	// Before is what the device had before the push; nil: not known. It tells whether others have changed a register
	// that belongs to those of the push.
	Before buffer.Layout
}

// Words are what contents are called of a push that is resumed. It compares with what it leads to, and with what the
// device had when it was resumed.
func (how Resume) Words() map[Content]string {
	goal := string(HasPlan)
	if how.Undo {
		goal = "the values from before the push"
	}
	const before = "the values from before the resumption"
	return map[Content]string{HasPlan: goal, HasBefore: before, HasNeither: "neither " + goal + " nor " + before}
}

// LookAgain looks at a device whose push was interrupted. steps are all that the push was to change.
// It sends nothing. Registers that others have changed since are the Report's Others.
func LookAgain(ctx context.Context, b Backend, steps []buffer.Step, how Resume) (*Convergence, error) {
	all, err := NewRegisters(ctx, b, nil, Options{Prune: true})
	c := &Convergence{Report: all.report}
	if err != nil {
		return c, err
	}
	d := &resumed{Registers: all, overwrite: how.Overwrite, first: how.Before, registers: map[buffer.Register]bool{},
		left: map[buffer.Register]bool{}}
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
	d.before = before
	var others []buffer.Step
	if !d.overwrite {
		_, others = d.Pending(before, d.steps)
		for _, s := range others {
			d.left[s.Register] = true
		}
	}
	c.Push = Compare(d, before)
	c.Words = how.Words()
	if c.Left = others; len(c.Left) > 0 {
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
	first     buffer.Layout            // what the device had before the push; nil: not known
	left      map[buffer.Register]bool // what others had changed before the push was resumed: it stays
}

// Diff lists the steps that are not made, but for those of registers that others had changed before the push was
// resumed. What others change from then on is a difference.
func (d *resumed) Diff(now buffer.Layout) []buffer.Step {
	left, others := d.Pending(now, d.steps)
	open := slices.DeleteFunc(append(left, others...), func(s buffer.Step) bool { return d.left[s.Register] })
	return buffer.Diff(now, now.With(open))
}

// Pending divides steps by what the device has now. Of a marking curve that others have changed nothing is made.
func (d *resumed) Pending(now buffer.Layout, steps []buffer.Step) (left, others []buffer.Step) {
	left, others = d.Registers.Pending(now, steps)
	if d.overwrite {
		return left, others
	}
	_, all := d.Registers.Pending(now, d.steps)
	left, kept := keepCurves(foreignCurves(now, d.first, d.first, d.steps, all), left)
	d.kept = d.kept || len(kept) > 0
	return left, append(others, kept...)
}

// Restore lists the steps between two readings, of the registers of the push.
func (d *resumed) Restore(now, before buffer.Layout) []buffer.Step {
	ours := func(r buffer.Register) bool { return d.registers[r] }
	return buffer.Diff(now.Only(ours), before.Only(ours))
}
