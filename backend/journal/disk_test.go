package journal_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/asic"
	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/journal"
	"github.com/cellwarden/cellwarden/backend/sim"
	"github.com/cellwarden/cellwarden/buffer"
)

// failing is a journal's file of which so many lines can be written.
type failing struct{ lines int } // negative: how often it has failed

var errDiskFull = errors.New("no space left on device")

func (f *failing) Write(b []byte) (int, error) {
	if f.lines--; f.lines < 0 {
		return 0, errDiskFull
	}
	return len(b), nil
}
func (f *failing) Sync() error  { return nil }
func (f *failing) Close() error { return nil }
func (f *failing) Name() string { return "push.jsonl" }

// When the disk is full in the middle of a push, nothing more is sent, and what
// was sent is undone, though that can no longer be written down.
func TestJournalOnAFullDisk(t *testing.T) {
	chip, err := asic.Load("tomahawk")
	require.NoError(t, err)
	low := buffer.Register{Kind: buffer.GroupReserved, Port: "Ethernet1/1", Index: 3}
	high := buffer.Register{Kind: buffer.GroupReserved, Port: "Ethernet1/1", Index: 4}
	before := buffer.NewLayout([]buffer.Setting{{Register: low, Value: 9}})
	after := buffer.NewLayout([]buffer.Setting{{Register: high, Value: 9}})
	for lines, want := range []backend.State{backend.Unchanged, backend.Unchanged, backend.RolledBack, backend.RolledBack,
		backend.RolledBack, backend.Applied, backend.Applied} {
		asic, err := sim.New(chip)
		require.NoError(t, err)
		require.NoError(t, asic.Apply(t.Context(), buffer.Diff(nil, before)))
		w := journal.New(journal.About{}, func() (journal.File, error) { return &failing{lines}, nil })
		r, err := backend.Converge(t.Context(), asic, after, backend.Options{Observer: w.Registers()})
		err = w.End(r.State, err)
		require.Equal(t, want, r.State, lines)
		require.Equal(t, lines < 5, errors.Is(err, errDiskFull), "%d: full at its last line is no failure", lines)
		require.Equal(t, lines > 0 && lines < 6, w.Unended() != nil, lines)
		var uncreated *journal.CreateError
		require.Equal(t, lines < 1, errors.As(err, &uncreated), lines)
		now, err := asic.Observe(t.Context())
		require.NoError(t, err)
		require.Equal(t, map[bool]buffer.Layout{true: after, false: before}[want == backend.Applied], now, lines)
	}
}

// lower stores one cell less than it is sent, until a value is restored.
type lower struct {
	backend.Backend
	before buffer.Layout
}

func (l lower) Apply(ctx context.Context, steps []buffer.Step) error {
	steps = slices.Clone(steps)
	for i := range steps {
		if s := &steps[i]; s.To > 1 && s.To != l.before.Value(s.Register) {
			s.To--
		}
	}
	return l.Backend.Apply(ctx, steps)
}

// A push that cannot go on is undone, wherever the disk gets full. A switch that holds something
// else than was written is left with it, because another client could have made it.
func TestUndoneOnAFullDisk(t *testing.T) {
	chip, err := asic.Load("tomahawk")
	require.NoError(t, err)
	low := buffer.Register{Kind: buffer.GroupReserved, Port: "Ethernet1/1", Index: 3}
	before := buffer.NewLayout([]buffer.Setting{{Register: low, Value: 9}})
	after := buffer.NewLayout([]buffer.Setting{{Register: low, Value: 20}})
	for lines := range 5 {
		asic, err := sim.New(chip)
		require.NoError(t, err)
		require.NoError(t, asic.Apply(t.Context(), buffer.Diff(nil, before)))
		w := journal.New(journal.About{}, func() (journal.File, error) { return &failing{lines}, nil })
		r, err := backend.Converge(t.Context(), lower{asic, before}, after, backend.Options{Observer: w.Registers()})
		err = w.End(r.State, err)
		require.Error(t, err)
		require.Equal(t, map[bool]backend.State{true: backend.Unchanged, false: backend.Partial}[lines < 2], r.State, lines)
		require.Equal(t, lines < 3, errors.Is(err, errDiskFull), "%d: %v", lines, err)
		now, err := asic.Observe(t.Context())
		require.NoError(t, err)
		require.Equal(t, before, now.With(r.Others), lines)
	}
}
