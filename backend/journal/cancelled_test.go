package journal_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

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
}

func (c *committing) Apply(ctx context.Context, steps []buffer.Step) error {
	if c.refuses {
		return backend.ErrRefused
	}
	return c.Backend.Apply(ctx, steps)
}

func (c *committing) CancelCommit(context.Context, string) (bool, error) { return c.undone, c.answer }

// Confirm and Cancel make it a backend.Confirmer whose Sets are commits.
func (c *committing) Confirm(context.Context) error        { return nil }
func (c *committing) Cancel(context.Context) (bool, error) { return false, nil }
func (c *committing) NextCommit() string                   { return "commit-1" }

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
		"not answered":                 {committing{answer: backend.ErrUnanswered}, nil, backend.Unknown},
		"answered by a proxy":          {committing{answer: errors.New("aborted")}, nil, backend.Unknown},
		"refused":                      {committing{answer: fmt.Errorf("%w: locked", backend.ErrRefused)}, nil, backend.Unchanged},
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
