package backend_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/backendtest"
	"github.com/cellwarden/cellwarden/backend/sim"
	"github.com/cellwarden/cellwarden/buffer"
)

// shared is a device that another client writes to as well.
type shared struct {
	backend.Backend
	applies int
	before  func(apply int)       // is called before each Apply
	after   func(apply int) error // is called after each Apply; its error is the answer
}

func (s *shared) Apply(ctx context.Context, steps []buffer.Step) error {
	s.applies++
	if s.before != nil {
		s.before(s.applies)
	}
	err := s.Backend.Apply(ctx, steps)
	if s.after != nil && err == nil {
		err = s.after(s.applies)
	}
	return err
}

// fallen is a device that holds Layout(600).
func fallen(t *testing.T) *shared {
	t.Helper()
	return &shared{Backend: faulty(t, &backendtest.Faulty{}).Backend}
}

// writes makes a change of another client.
func (s *shared) writes(t *testing.T, steps ...buffer.Step) {
	t.Helper()
	require.NoError(t, s.Backend.(*sim.ASIC).Apply(t.Context(), steps))
}

func (s *shared) holds(t *testing.T) buffer.Layout {
	t.Helper()
	now, err := s.Observe(t.Context())
	require.NoError(t, err)
	return now
}

var (
	reserved = buffer.Register{Kind: buffer.GroupReserved, Port: "Ethernet1", Index: 3}
	marking  = buffer.Register{Kind: buffer.QueueECNMin, Port: "Ethernet2", Index: 3}
)

// What another client changed between the reading and the first phase is not overwritten, and nothing is sent.
func TestChangedBeforeTheFirstPhase(t *testing.T) {
	s := fallen(t)
	c, err := backend.Look(t.Context(), s, target(), backend.Options{})
	require.NoError(t, err)
	theirs := buffer.Step{Register: reserved, From: 600, To: 500}
	s.writes(t, theirs)
	require.ErrorIs(t, c.Run(t.Context()), backend.ErrOthers)
	require.Equal(t, backend.Unchanged, c.Report.State, "this push sent nothing")
	require.Equal(t, backend.HasNeither, c.Report.Has)
	require.Equal(t, []buffer.Step{theirs.Inverse()}, c.Report.Others)
	require.Zero(t, s.applies)
}

// What another client changed before the second phase ends the push. It is named and left, and the
// first phase is undone.
func TestChangedBetweenPhases(t *testing.T) {
	s := fallen(t)
	before := s.holds(t)
	theirs := buffer.Step{Register: headroom("Ethernet2"), From: 100, To: 101}
	s.after = func(apply int) error {
		if apply == 1 {
			s.writes(t, theirs)
		}
		return nil
	}
	r, err := backend.Converge(t.Context(), s, target(), backend.Options{})
	require.ErrorIs(t, err, backend.ErrOthers)
	require.ErrorContains(t, err, "phase 2 of 2 on simulated test chip was not sent")
	require.Equal(t, backend.Partial, r.State)
	require.Equal(t, []buffer.Step{theirs.Inverse()}, r.Others)
	require.Equal(t, before.With([]buffer.Step{theirs}), s.holds(t))
}

// Undoing leaves what another client wrote over a value of this push.
func TestUndoLeavesWhatOthersWrote(t *testing.T) {
	s := fallen(t)
	before := s.holds(t)
	theirs := buffer.Step{Register: reserved, From: 20, To: 33}
	s.after = func(apply int) error {
		if apply != 2 {
			return nil
		}
		s.writes(t, theirs)
		return errors.New("later")
	}
	r, err := backend.Converge(t.Context(), s, target(), backend.Options{})
	require.ErrorContains(t, err, "later")
	require.ErrorIs(t, err, backend.ErrOthers)
	require.Equal(t, backend.Partial, r.State)
	require.Equal(t, []buffer.Step{{Register: reserved, From: 33, To: 600}}, r.Others)
	require.Equal(t, before.With([]buffer.Step{theirs}), s.holds(t))
}

// A register of the plan that needed no change is another client's when it has changed.
func TestChangedBesideThePush(t *testing.T) {
	s := fallen(t)
	before := s.holds(t)
	theirs := buffer.Step{Register: marking, From: 50, To: 51}
	s.after = func(apply int) error {
		if apply == 2 {
			s.writes(t, theirs)
		}
		return nil
	}
	r, err := backend.Converge(t.Context(), s, target(), backend.Options{})
	require.ErrorIs(t, err, backend.ErrMismatch)
	require.Equal(t, backend.Partial, r.State)
	require.Equal(t, []buffer.Step{theirs.Inverse()}, r.Others)
	require.Equal(t, before.With([]buffer.Step{theirs}), s.holds(t))
}

// What another client has made already, as planned, is not sent, and not undone.
func TestMadeByOthersAlready(t *testing.T) {
	s := fallen(t)
	before := s.holds(t)
	c, err := backend.Look(t.Context(), s, target(), backend.Options{})
	require.NoError(t, err)
	theirs := buffer.Step{Register: reserved, From: 600, To: 20}
	s.writes(t, theirs)
	s.after = func(apply int) error {
		if apply == 2 {
			return errors.New("later")
		}
		return nil
	}
	require.ErrorContains(t, c.Run(t.Context()), "later")
	require.Equal(t, backend.Partial, c.Report.State)
	require.Equal(t, []buffer.Step{theirs.Inverse()}, c.Report.Others)
	require.Equal(t, before.With([]buffer.Step{theirs}), s.holds(t))
}

// What the device holds of a Set that it refused is another client's, which may have the same plan, or a proxy has sent
// the Set twice: it is left, and is not called unchanged.
func TestRefusedBecauseAnotherClientWasFirst(t *testing.T) {
	s := fallen(t)
	s.before = func(apply int) {
		if apply == 1 {
			s.writes(t, buffer.Diff(s.holds(t), target())...)
		}
	}
	s.after = func(int) error { return backend.ErrRefused }
	r, err := backend.Converge(t.Context(), s, target(), backend.Options{})
	require.ErrorIs(t, err, backend.ErrRefused)
	require.Equal(t, backend.Partial, r.State)
	require.ErrorContains(t, err, "holds what it refused")
	require.Equal(t, backend.HasPlan, r.Has)
	require.Equal(t, target(), s.holds(t), "it is not undone")
}

// A device that cannot be led back may hold exactly the plan.
func TestHoldsExactlyThePlan(t *testing.T) {
	s := fallen(t)
	s.after = func(apply int) error {
		if apply == 2 {
			s.Backend = readOnly{s.Backend}
			return errors.New("no answer that says so")
		}
		return nil
	}
	r, err := backend.Converge(t.Context(), s, target(), backend.Options{})
	require.ErrorContains(t, err, "read only")
	require.Equal(t, backend.Partial, r.State)
	require.Equal(t, backend.HasPlan, r.Has)
}

// readOnly takes no steps.
type readOnly struct{ backend.Backend }

func (readOnly) Apply(context.Context, []buffer.Step) error { return errors.New("read only") }

// choosy refuses what does not go together with a value of another client.
type choosy struct {
	backend.Backend
	refuses bool
}

func (c *choosy) Apply(ctx context.Context, steps []buffer.Step) error {
	if c.refuses && slices.ContainsFunc(steps, func(s buffer.Step) bool { return s.Port == "Ethernet1" && s.Index == 3 }) {
		return fmt.Errorf("%w: it does not go together", backend.ErrRefused)
	}
	return c.Backend.Apply(ctx, steps)
}

// What others changed may not go together with the previous values of the same group. All else is undone.
func TestUndoApartFromWhatOthersChanged(t *testing.T) {
	s := fallen(t)
	inner := &choosy{Backend: s.Backend}
	before := s.holds(t)
	want := before.With([]buffer.Step{{Register: reserved, To: 400}, {Register: headroom("Ethernet1"), To: 150},
		{Register: headroom("Ethernet2"), To: 150}})
	s.after = func(apply int) error {
		if apply == 2 {
			s.writes(t, buffer.Step{Register: reserved, From: 400, To: 500})
			s.Backend, inner.refuses = inner, true
			return errors.New("later")
		}
		return nil
	}
	r, err := backend.Converge(t.Context(), s, want, backend.Options{})
	require.ErrorContains(t, err, "later")
	require.Equal(t, backend.Partial, r.State)
	now := s.holds(t)
	require.EqualValues(t, 100, now.Value(headroom("Ethernet2")), "it does not depend on the group")
	require.EqualValues(t, 500, now.Value(reserved), "it is not this push's")
}

// slowReader is a device that is asked whether a commit waits. Its reading after the first question takes long, and
// another client begins a commit meanwhile, which leaves what the device holds.
type slowReader struct {
	*shared
	asked int
}

func (s *slowReader) Keeps(context.Context) error {
	if s.asked++; s.asked > 1 {
		return backend.ErrCommitWaits
	}
	return nil
}

func (s *slowReader) Observe(ctx context.Context) (buffer.Layout, error) {
	if s.asked > 0 {
		time.Sleep(10 * time.Second)
	}
	return s.shared.Observe(ctx)
}

// A push that has nothing to send asks again whether a commit waits, if the reading after its question took long: what it
// read may be of a commit that has begun since.
func TestCommitThatBeginsAfterTheQuestion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &slowReader{shared: fallen(t)}
		c, err := backend.Look(t.Context(), s, backendtest.Layout(600), backend.Options{})
		require.NoError(t, err)
		require.ErrorIs(t, c.Run(t.Context()), backend.ErrCommitWaits)
		require.Equal(t, backend.Unknown, c.Report.State)
		require.Equal(t, 2, s.asked)
	})
}

// confirming is a device of which another client changes a register while the commit of the first phase is confirmed.
type confirming struct {
	*shared
	confirmed int
	meanwhile func()
}

func (c *confirming) NextCommit() string                   { return "next" }
func (c *confirming) Cancel(context.Context) (bool, error) { return false, nil }
func (c *confirming) Confirm(context.Context) (bool, error) {
	if c.confirmed++; c.confirmed == 1 {
		c.meanwhile()
	}
	return false, nil
}

// What another client changes while the commit of the phase before is confirmed is not overwritten by the next phase.
func TestChangedWhileACommitIsConfirmed(t *testing.T) {
	s := fallen(t)
	theirs := buffer.Step{Register: buffer.Register{Kind: buffer.GroupHeadroom, Port: "Ethernet1", Index: 3}, To: 700}
	d := &confirming{shared: s, meanwhile: func() { s.writes(t, theirs) }}
	r, err := backend.Converge(t.Context(), d, target(), backend.Options{})
	require.ErrorIs(t, err, backend.ErrOthers)
	require.Equal(t, backend.Partial, r.State)
	require.Equal(t, int64(700), s.holds(t).Value(theirs.Register))
}
