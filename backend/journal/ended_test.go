package journal_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/backendtest"
	"github.com/cellwarden/cellwarden/backend/journal"
	"github.com/cellwarden/cellwarden/backend/sim"
)

// A journal that ended is not read again, until it is written to.
func TestEndedIsReadOnce(t *testing.T) {
	dir, asic := t.TempDir(), emptyASIC(t)
	file := pushed(t, dir, asic, backendtest.Layout(10))
	requireOpen := func(want int, why string) {
		t.Helper()
		open, err := journal.Reader{}.List(dir)
		require.NoError(t, err)
		require.Len(t, open, want, why)
	}
	requireOpen(0, "it has ended")
	whole, err := os.ReadFile(file)
	require.NoError(t, err)
	info, err := os.Stat(file)
	require.NoError(t, err)
	damaged := bytes.Replace(whole, []byte(`"value":10`), []byte(`"value":11`), 1)
	require.NotEqual(t, whole, damaged)
	require.NoError(t, os.WriteFile(file, damaged, 0o600))
	require.NoError(t, os.Chtimes(file, time.Time{}, info.ModTime()))
	requireOpen(0, "it is not read: its size and time are those of the journal that ended")
	values, err := journal.Reader{Values: func([]journal.Value) error { return nil }}.List(dir)
	require.NoError(t, err)
	require.Len(t, values, 1, "a Reader that checks values reads what another one has read")
	require.NoError(t, os.Chtimes(file, time.Time{}, info.ModTime().Add(time.Second)))
	requireOpen(1, "it was written to, and is damaged")
	require.NoError(t, os.WriteFile(file, whole, 0o600))
	requireOpen(0, "it is whole again")

	p, err := journal.Reader{}.ReadFile(file)
	require.NoError(t, err)
	no := errors.New("not allowed")
	require.ErrorIs(t, p.Resume(t.Context(), &journal.Registers{Backend: asic},
		journal.Options{Undo: true, Allow: func() error { return no }}), no)
	require.NoError(t, os.Chtimes(file, time.Time{}, info.ModTime()))
	requireOpen(1, "it was resumed, and has another size")
	p, err = journal.Reader{}.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, p.Resume(t.Context(), &journal.Registers{Backend: asic}, journal.Options{}))
	requireOpen(0, "it has ended again")
}

// BenchmarkOfDevice is a rollout of 100 switches whose journals are in one directory: each looks for earlier pushes.
func BenchmarkOfDevice(b *testing.B) {
	b.Setenv("XDG_STATE_HOME", b.TempDir())
	dir := b.TempDir()
	for range 100 {
		asic, err := sim.New(backendtest.Chip())
		require.NoError(b, err)
		w := journal.NewIn(dir, journal.About{Target: "leaf1", Want: backendtest.Layout(10)})
		_, err = w.Converge(b.Context(), asic, backendtest.Layout(10), backend.Options{})
		require.NoError(b, err)
	}
	for b.Loop() {
		for i := range 100 {
			same := func(u journal.Unfinished) bool { return u.Target == fmt.Sprint(i) }
			require.Empty(b, journal.Reader{}.OfDevice(nil, same, dir))
		}
	}
}
