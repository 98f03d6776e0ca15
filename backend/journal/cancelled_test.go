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
)

// committing is a device with a commit that waits.
type committing struct {
	backend.Backend
	answer error // to the cancellation
	undone bool
	unread bool // it can no longer be read
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
		"not answered":              {committing{answer: backend.ErrUnanswered}, nil, backend.Unknown},
		"answered by a proxy":       {committing{answer: errors.New("aborted")}, nil, backend.Unknown},
		"refused":                   {committing{answer: fmt.Errorf("%w: locked", backend.ErrRefused)}, nil, backend.Unchanged},
		"made, and not read":        {committing{undone: true, unread: true}, nil, backend.Unknown},
		"made, and not allowed":     {committing{undone: true}, notAllowed, backend.Partial},
		"not made, and not read":    {committing{unread: true}, nil, backend.Unchanged},
		"not made, and not allowed": {committing{}, notAllowed, backend.Unchanged},
		"made":                      {committing{undone: true}, nil, backend.Applied},
	} {
		t.Run(name, func(t *testing.T) {
			device := &c.device
			unread := device.unread
			device.Backend, device.unread = emptyASIC(t), false
			w := journal.NewIn(t.TempDir(), journal.About{Target: "leaf1", Want: backendtest.Layout(10)})
			_, err := backend.Converge(t.Context(), device, backendtest.Layout(10), backend.Options{Observer: w.Registers()})
			require.NoError(t, err)
			require.Error(t, w.End(backend.Unknown, errors.New("interrupted")))
			require.NoError(t, emptied(t, device.Backend))
			p, err := journal.Reader{}.ReadFile(w.Name())
			require.NoError(t, err)
			require.NotEmpty(t, p.Commits)
			device.unread = unread
			err = p.Resume(t.Context(), &journal.Registers{Backend: device},
				journal.Options{Allow: func() error { return c.allow }})
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
