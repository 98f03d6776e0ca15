package journal_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/backendtest"
	"github.com/cellwarden/cellwarden/backend/journal"
	"github.com/cellwarden/cellwarden/buffer"
)

// unanswered is the journal of a push that was killed at its first Set, and what that Set was to leave.
func unanswered(t *testing.T, longest time.Duration) (p *journal.Push, leaves buffer.Layout) {
	t.Helper()
	w := journal.NewIn(t.TempDir(), journal.About{Target: "leaf1", Want: backendtest.Layout(10), Longest: longest})
	steps := buffer.Diff(nil, backendtest.Layout(10))
	require.NoError(t, w.Registers().Begin(nil, steps))
	require.NoError(t, w.Registers().Sending(backend.Phase[buffer.Step]{Number: 1, Changes: steps}))
	require.Error(t, w.End(backend.Unknown, errors.New("killed")))
	p, err := journal.Reader{}.ReadFile(w.Name())
	require.NoError(t, err)
	return p, backendtest.Layout(10)
}

// A resumption that ends before the time of a Set that was not answered does not say that nothing is changed, and the
// next one still knows the Set. After that time it does.
func TestResumeEndsBeforeASetIsOver(t *testing.T) {
	for name, c := range map[string]struct {
		device  committing
		longest time.Duration
		state   backend.State
	}{
		"not read":                  {committing{unread: true}, time.Hour, backend.Unknown},
		"a cancellation is refused": {committing{answer: backend.ErrRefused}, time.Hour, backend.Unknown},
		"it is over":                {committing{unread: true}, time.Nanosecond, backend.Unchanged},
	} {
		t.Run(name, func(t *testing.T) {
			p, _ := unanswered(t, c.longest)
			p.Commits = []string{"commit-1"}
			c.device.Backend = emptyASIC(t)
			err := p.Resume(t.Context(), &journal.Registers{Backend: &c.device}, journal.Options{})
			require.Error(t, err)
			require.Equal(t, c.state, p.State)
			again, unread := journal.Reader{}.ReadFile(p.File)
			require.NoError(t, unread)
			require.True(t, again.Open())
			require.Len(t, again.Unanswered(), 1)
			if c.state == backend.Unknown {
				require.ErrorContains(t, err, "a Set of this push was not answered, and until ")
				require.Positive(t, again.AtWork(time.Now(), c.longest))
			}
		})
	}
}

// Values that others have given to the registers of a Set do not show that it was made: it would replace what they have
// written beside them, to the same port.
func TestSetIsMadeAsAWhole(t *testing.T) {
	p, leaves := unanswered(t, time.Hour)
	one := p.Unanswered()[0]
	beside := func(port string) buffer.Layout {
		r := buffer.Register{Kind: buffer.GroupReserved, Port: port, Index: 6}
		return leaves.With([]buffer.Step{{Register: r, To: 20}})
	}
	require.False(t, one.Made(nil))
	require.True(t, one.Made(leaves))
	require.False(t, one.Made(beside("Ethernet1")))
	require.True(t, one.Made(beside("Ethernet9")), "of another port")
}
