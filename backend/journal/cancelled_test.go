package journal_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/backendtest"
	"github.com/cellwarden/cellwarden/backend/journal"
	"github.com/cellwarden/cellwarden/buffer"
)

// committing is a device with a commit that waits.
type committing struct {
	backend.Backend
	answer error // to the cancellation
	undone bool
	unread bool // it can no longer be read

	refuses bool
	waits   error // a commit waits that nobody names
}

func (c *committing) Apply(ctx context.Context, steps []buffer.Step) error {
	if c.refuses {
		return backend.ErrRefused
	}
	return c.Backend.Apply(ctx, steps)
}

func (c *committing) CancelCommit(context.Context, string) (bool, error) { return c.undone, c.answer }

// Confirm and Cancel make it a backend.Confirmer whose Sets are commits.
func (c *committing) Confirm(context.Context) (bool, error) { return false, nil }
func (c *committing) Cancel(context.Context) (bool, error)  { return false, nil }
func (c *committing) NextCommit() string                    { return "commit-1" }

func (c *committing) Capabilities(ctx context.Context) (backend.Capabilities, error) {
	if c.unread {
		return backend.Capabilities{}, errors.New("it cannot be read")
	}
	return c.Backend.Capabilities(ctx)
}

// Resuming has the device undo the commit that waits. What came of that is in the state: unknown where the
// cancellation may have been made, or was made and the device cannot be read; in part where the rest is not allowed.
func TestStateAfterACancellation(t *testing.T) {
	notAllowed := errors.New("not allowed")
	for name, c := range map[string]struct {
		device committing
		allow  error
		state  backend.State
	}{
		"not answered":        {committing{answer: backend.ErrUnanswered}, nil, backend.Unknown},
		"answered by a proxy": {committing{answer: errors.New("aborted")}, nil, backend.Unknown},
		"refused": {committing{answer: fmt.Errorf("%w: locked", backend.ErrRefused)}, nil,
			backend.Unchanged},
		"made, and not read":           {committing{undone: true, unread: true}, nil, backend.Unknown},
		"made, and not allowed":        {committing{undone: true}, notAllowed, backend.Partial},
		"made, and a phase is refused": {committing{undone: true, refuses: true}, nil, backend.Partial},
		"not made, and not read":       {committing{unread: true}, nil, backend.Unchanged},
		"not made, and not allowed":    {committing{}, notAllowed, backend.Unchanged},
		"made":                         {committing{undone: true}, nil, backend.Applied},
	} {
		t.Run(name, func(t *testing.T) {
			device := &c.device
			unread, refuses := device.unread, device.refuses
			device.Backend, device.unread, device.refuses = emptyASIC(t), false, false
			w := journal.NewIn(t.TempDir(), journal.About{Target: "leaf1", Want: backendtest.Layout(10)})
			_, err := backend.Converge(t.Context(), device, backendtest.Layout(10), backend.Options{Observer: w.Registers()})
			require.NoError(t, err)
			require.Error(t, w.End(backend.Unknown, errors.New("interrupted")))
			require.NoError(t, emptied(t, device.Backend))
			p, err := journal.Reader{}.ReadFile(w.Name())
			require.NoError(t, err)
			require.NotEmpty(t, p.Commits)
			device.unread, device.refuses = unread, refuses
			target := &journal.Registers{Backend: device}
			err = p.Resume(t.Context(), target, journal.Options{Allow: func() error { return c.allow }})
			if c.state == backend.Partial {
				require.ErrorContains(t, err, "a commit of this push was cancelled before")
				require.NotEmpty(t, target.Report.Differences, "what is not made is named")
				require.Equal(t, c.state, target.State())
			}
			require.Equal(t, c.state != backend.Applied, err != nil, "%v", err)
			require.Equal(t, c.state, p.State)
			p, err = journal.Reader{}.ReadFile(w.Name())
			require.NoError(t, err)
			require.Equal(t, c.state != backend.Applied, p.Open())
		})
	}
}

// emptied takes all registers of a device away.
func emptied(t *testing.T, b backend.Backend) error {
	t.Helper()
	_, err := backend.Converge(t.Context(), b, nil, backend.Options{Prune: true})
	return err
}

// CommitWaits says that a commit waits, or that the device does not answer.
func (c *committing) CommitWaits(context.Context) error { return c.waits }

// A disk that says that it has written, and has not, loses the lines of a journal that name a commit. A push that is
// resumed does not end with success while a commit waits that may undo it.
func TestResumeWithACommitThatTheJournalDoesNotName(t *testing.T) {
	for name, test := range map[string]struct {
		within time.Duration
		holds  bool // the device has values of the push
		waits  error
		want   error
	}{
		"a commit waits":                        {time.Minute, true, backend.ErrCommitWaits, backend.ErrCommitWaits},
		"the device does not answer":            {time.Minute, true, backend.ErrUnanswered, backend.ErrUnanswered},
		"none waits":                            {time.Minute, true, nil, nil},
		"nothing of the push is there":          {time.Minute, false, backend.ErrCommitWaits, nil},
		"the push did without commit-confirmed": {0, true, backend.ErrCommitWaits, nil},
	} {
		t.Run(name, func(t *testing.T) {
			device := &committing{Backend: emptyASIC(t), waits: test.waits}
			file := filepath.Join(t.TempDir(), "push.jsonl")
			w := journal.NewIn(file, journal.About{Target: "leaf1", Want: backendtest.Layout(10), Within: test.within})
			_, err := w.Converge(t.Context(), device.Backend, backendtest.Layout(10), backend.Options{})
			require.NoError(t, err)
			data, err := os.ReadFile(file)
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(file, bytes.SplitAfter(data, []byte("\n"))[0], 0o600))
			if !test.holds {
				require.NoError(t, emptied(t, device.Backend))
			}
			p, err := journal.Reader{}.ReadFile(file)
			require.NoError(t, err)
			err = p.Resume(t.Context(), &journal.Registers{Backend: device}, journal.Options{})
			require.ErrorIs(t, err, test.want)
			if test.want == nil {
				return
			}
			require.Equal(t, backend.Unchanged, p.State)
			p, err = journal.Reader{}.ReadFile(file)
			require.NoError(t, err)
			require.True(t, p.Open())
			device.waits = nil
			require.NoError(t, p.Resume(t.Context(), &journal.Registers{Backend: device}, journal.Options{}))
		})
	}
}

// landing is a device that makes a Set late, as a commit, after a cancellation found none.
type landing struct {
	*committing
	steps   []buffer.Step // that are not made yet
	made    []buffer.Step
	cancels int
}

func (l *landing) CancelCommit(ctx context.Context, _ string) (bool, error) {
	l.cancels++
	var back []buffer.Step
	for _, s := range l.made {
		back = append(back, s.Inverse())
	}
	return len(back) > 0, l.Backend.Apply(ctx, back)
}

// A Set that was not answered may be made as a commit after the cancellation, while the device is given its time. That
// commit is cancelled, too, before the push is finished.
func TestCommitThatBeginsAfterTheCancellation(t *testing.T) {
	inner := &committing{Backend: emptyASIC(t)}
	file := filepath.Join(t.TempDir(), "push.jsonl")
	w := journal.NewIn(file, journal.About{Target: "leaf1", Want: backendtest.Layout(10), Within: time.Minute})
	_, err := backend.Converge(t.Context(), inner, backendtest.Layout(10), backend.Options{Observer: w.Registers()})
	require.NoError(t, err)
	require.Error(t, w.End(backend.Unknown, errors.New("killed")))
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, bytes.Join(bytes.SplitAfter(data, []byte("\n"))[:2], nil), 0o600))
	require.NoError(t, emptied(t, inner.Backend))
	p, err := journal.Reader{}.ReadFile(file)
	require.NoError(t, err)
	device := &landing{committing: inner, steps: p.Sending}
	target := &journal.Registers{Backend: device, Longest: time.Hour}
	target.Pause = func(ctx context.Context, _ time.Duration) error { // it lands
		device.made, device.steps = device.steps, nil
		return device.Apply(ctx, device.made)
	}
	require.NoError(t, p.Resume(t.Context(), target, journal.Options{}))
	require.Equal(t, 2, device.cancels)
	require.Equal(t, backend.Applied, p.State)
	now, err := device.Observe(t.Context())
	require.NoError(t, err)
	require.Equal(t, backendtest.Layout(10), now)
}
