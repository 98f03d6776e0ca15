package journal_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/backendtest"
	"github.com/cellwarden/cellwarden/backend/journal"
	"github.com/cellwarden/cellwarden/backend/sim"
)

// A push that changes nothing makes no file; one that is applied is not listed.
func TestNothingIsUnfinished(t *testing.T) {
	dir := t.TempDir()
	asic, err := sim.New(backendtest.Chip())
	require.NoError(t, err)
	for range 2 {
		w := journal.NewIn(dir, journal.About{Target: "leaf1", Want: backendtest.Layout(10)})
		_, err := w.Converge(t.Context(), asic, backendtest.Layout(10), backend.Options{})
		require.NoError(t, err)
	}
	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, files, 1)
	p, err := journal.Reader{}.ReadFile(filepath.Join(dir, files[0].Name()))
	require.NoError(t, err)
	require.False(t, p.Open())
	require.Equal(t, backendtest.Layout(10), p.Want)
	open, err := journal.Reader{}.List(dir)
	require.NoError(t, err)
	require.Empty(t, open)
	open, err = journal.Reader{}.List(filepath.Join(dir, "nothing"))
	require.NoError(t, err)
	require.Empty(t, open)
}

// A nil Writer writes nothing and ends with the error of the push.
func TestNoJournal(t *testing.T) {
	var w *journal.Writer
	asic, err := sim.New(backendtest.Chip())
	require.NoError(t, err)
	r, err := w.Converge(t.Context(), asic, backendtest.Layout(10), backend.Options{})
	require.NoError(t, err)
	require.Equal(t, backend.Applied, r.State)
	require.Empty(t, w.Name())
	no := errors.New("no")
	require.Equal(t, no, w.End(backend.Refused, no))
}

// A journal that is being written is under way, and is not resumed; nor is one that was continued since it was read.
func TestNotResumed(t *testing.T) {
	file := filepath.Join(t.TempDir(), "push.jsonl")
	f, err := journal.Create(file, "", time.Now())
	require.NoError(t, err)
	_, err = f.Write([]byte(`{"schema":"cellwarden.journal/v1","kind":"start"}` + "\n" + `{"schema":`))
	require.NoError(t, err)
	u, open := journal.Reader{}.Unfinished(file)
	require.True(t, open)
	require.Equal(t, "under way", u.State)
	p, err := journal.Reader{}.ReadFile(file)
	require.NoError(t, err)
	require.True(t, p.Torn)
	var not *journal.ContinueError
	err = p.Resume(t.Context(), nil, journal.Options{})
	require.ErrorAs(t, err, &not)
	require.ErrorIs(t, err, journal.ErrUnderWay)
	require.NoError(t, f.Close())

	asic, err := sim.New(backendtest.Chip())
	require.NoError(t, err)
	no := errors.New("not allowed")
	err = p.Resume(t.Context(), &journal.Registers{Backend: asic}, journal.Options{Allow: func() error { return no }})
	require.ErrorIs(t, err, no)
	require.ErrorIs(t, p.Resume(t.Context(), nil, journal.Options{}), journal.ErrContinued)
	p, err = journal.Reader{}.ReadFile(file)
	require.NoError(t, err)
	require.True(t, p.Resumed)
	require.False(t, p.Torn, "what was cut off is taken off")
	require.Equal(t, "end, unchanged", p.LastLine())
}

// Whatever a file has, what is read of it can be told.
func FuzzRead(f *testing.F) {
	const start = `{"schema":"cellwarden.journal/v1","kind":"start"`
	f.Add([]byte(start + `,"want":[{"register":"group reserved","port":"a","index":3,"value":6}],"rollback_after":"2m0s"}` + "\n"))
	f.Add([]byte(start + "}\n" + `{"schema":"cellwarden.journal/v1","kind":"send","phase":1,"commit":"x"}` + "\n{"))
	f.Add([]byte(`{"schema":"cellwarden.journal-native/v1","kind":"start","changes":[{"at":[["qos"]],"to":1}]}` + "\n"))
	f.Add([]byte("{}\n{}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := journal.Reader{}.Read(data)
		if err != nil {
			return
		}
		_, _, _ = p.Progress(), p.LastLine(), p.Open()
		require.LessOrEqual(t, p.AtWork(p.Start.Time, time.Minute), time.Minute)
		require.Equal(t, strings.Contains(p.Start.Schema, "native"), len(p.Values) > 0)
	})
}
