package backend_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/buffer"
)

// curve are the steps of a marking curve, from one to another.
func curve(from, to [3]int64) []buffer.Step {
	var out []buffer.Step
	for n, k := range []buffer.Kind{buffer.QueueECNMin, buffer.QueueECNMax, buffer.QueueECNPMax} {
		if from[n] != to[n] {
			out = append(out, buffer.Step{Register: buffer.Register{Kind: k, Port: "Ethernet1", Index: 3}, From: from[n],
				To: to[n]})
		}
	}
	return out
}

// marked is a device with a marking curve, and what it holds.
func marked(t *testing.T, has [3]int64) (*shared, buffer.Layout) {
	t.Helper()
	s := fallen(t)
	var none [3]int64
	for n, step := range curve(none, has) {
		none[n] = s.holds(t).Value(step.Register)
	}
	s.writes(t, curve(none, has)...)
	return s, s.holds(t)
}

// A marking curve of which others have changed a register is left as a whole: also if the register is none that
// this push changes. All else is undone.
func TestUndoTakesACurveBackAsAWhole(t *testing.T) {
	has, want := [3]int64{300, 800, 500}, [3]int64{400, 900, 500}
	for name, theirs := range map[string][3]int64{"its kmin": {450, 900, 500}, "its kmax": {400, 850, 500},
		"a pmax that the push leaves": {400, 900, 700}} {
		t.Run(name, func(t *testing.T) {
			s, before := marked(t, has)
			plan := before.With(append(curve(has, want), buffer.Step{Register: headroom("Ethernet2"), To: 150}))
			s.after = func(apply int) error {
				if len(buffer.Diff(s.holds(t), plan)) == 0 {
					s.writes(t, curve(want, theirs)...)
					return errors.New("later")
				}
				return nil
			}
			r, err := backend.Converge(t.Context(), s, plan, backend.Options{})
			require.ErrorContains(t, err, "later")
			require.ErrorIs(t, err, backend.ErrOthers)
			require.ErrorContains(t, err, "kmin, kmax and pmax of a queue are made or taken back together, or not at all")
			require.Equal(t, backend.Partial, r.State)
			require.ElementsMatch(t, curve(theirs, has), r.Others)
			require.Equal(t, before.With(curve(has, theirs)), s.holds(t), "the rest does not depend on the curve")
		})
	}
}

// A push that is resumed neither finishes nor undoes half of a curve.
func TestResumeTakesACurveAsAWhole(t *testing.T) {
	has, want := [3]int64{300, 800, 500}, [3]int64{400, 900, 500}
	for name, theirs := range map[string][3]int64{"its kmin": {350, 900, 500},
		"a pmax that the push leaves": {300, 900, 700}} {
		for _, undo := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				s, before := marked(t, has)
				s.writes(t, curve(has, theirs)...)
				c, err := backend.LookAgain(t.Context(), s, curve(has, want), backend.Resume{Undo: undo, Before: before})
				require.NoError(t, err)
				require.Empty(t, c.Changes)
				err = c.Run(t.Context())
				require.ErrorIs(t, err, backend.ErrOthers)
				if undo || theirs[0] == has[0] { // else what is left of the curve is made already
					require.ErrorContains(t, err, "or not at all")
				}
				require.Equal(t, backend.Partial, c.Report.State)
				require.Equal(t, before.With(curve(has, theirs)), s.holds(t))

				c, err = backend.LookAgain(t.Context(), s, curve(has, want),
					backend.Resume{Undo: undo, Before: before, Overwrite: true})
				require.NoError(t, err)
				require.NoError(t, c.Run(t.Context()))
				goal := map[bool][3]int64{true: has, false: want}[undo]
				goal[2] = theirs[2]
				require.Equal(t, before.With(curve(has, goal)), s.holds(t), "registers of the push alone")
			})
		}
	}
}

// What others change after a push was resumed is a difference: the push does not end with success.
func TestChangedWhileResumed(t *testing.T) {
	for _, undo := range []bool{false, true} {
		s := fallen(t)
		steps := []buffer.Step{{Register: reserved, From: 600, To: 20}, {Register: headroom("Ethernet2"), From: 100, To: 150}}
		if undo {
			s.writes(t, steps...)
		}
		c, err := backend.LookAgain(t.Context(), s, steps, backend.Resume{Undo: undo})
		require.NoError(t, err)
		done := 0
		s.after = func(int) error {
			if done++; done == len(steps) { // the last phase
				s.writes(t, buffer.Step{Register: reserved, To: 33})
			}
			return nil
		}
		require.ErrorIs(t, c.Run(t.Context()), backend.ErrMismatch)
		require.Equal(t, backend.Partial, c.Report.State)
		require.EqualValues(t, 33, s.holds(t).Value(reserved), "it is not this push's")
	}
}

// reading calls a function before each reading.
type reading struct {
	*shared
	before func()
}

func (r *reading) Observe(ctx context.Context) (buffer.Layout, error) {
	if r.before != nil {
		r.before()
	}
	return r.shared.Observe(ctx)
}

// What others change of a curve after the push has read what it takes back is found before it is sent.
func TestCurveChangedBeforeItIsTakenBack(t *testing.T) {
	has, want, theirs := [3]int64{300, 800, 500}, [3]int64{400, 900, 600}, [3]int64{450, 900, 600}
	s, before := marked(t, has)
	r := &reading{shared: s}
	s.after = func(int) error {
		if len(buffer.Diff(s.holds(t), before.With(curve(has, want)))) > 0 {
			return nil
		}
		readings := 0
		r.before = func() {
			if readings++; readings == 2 {
				s.writes(t, curve(want, theirs)...)
			}
		}
		return errors.New("later")
	}
	report, err := backend.Converge(t.Context(), r, before.With(curve(has, want)), backend.Options{})
	require.ErrorContains(t, err, "later")
	require.ErrorContains(t, err, "or not at all")
	require.Equal(t, backend.Partial, report.State)
	require.Equal(t, before.With(curve(has, theirs)), s.holds(t))
}
