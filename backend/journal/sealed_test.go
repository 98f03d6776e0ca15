package journal_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/backendtest"
	"github.com/cellwarden/cellwarden/backend/journal"
	"github.com/cellwarden/cellwarden/backend/sim"
	"github.com/cellwarden/cellwarden/buffer"
)

// pushed makes a push to a device and returns its journal.
func pushed(t *testing.T, dir string, asic backend.Backend, want buffer.Layout) string {
	t.Helper()
	w := journal.NewIn(dir, journal.About{Target: "leaf1", Want: want})
	_, err := w.Converge(t.Context(), asic, want, backend.Options{})
	require.NoError(t, err)
	require.NoError(t, w.Unended())
	return w.Name()
}

func emptyASIC(t *testing.T) *sim.ASIC {
	t.Helper()
	asic, err := sim.New(backendtest.Chip())
	require.NoError(t, err)
	return asic
}

// A digit that was changed anywhere in a journal is found, and so is a line that is missing or that stands elsewhere.
func TestEachLineHasAChecksum(t *testing.T) {
	file := pushed(t, t.TempDir(), emptyASIC(t), backendtest.Layout(10))
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	_, err = journal.Reader{}.Read(data)
	require.NoError(t, err)
	digits := 0
	for i, c := range data {
		if c < '0' || c > '9' {
			continue
		}
		digits++
		changed := bytes.Clone(data)
		changed[i] = '0' + (c-'0'+1)%10
		_, err := journal.Reader{}.Read(changed)
		require.Error(t, err, "%s", changed[max(0, i-40):i+1])
	}
	require.Greater(t, digits, 200)
	lines := bytes.SplitAfter(data, []byte("\n"))
	for name, changed := range map[string][][]byte{
		"the second is missing":       append([][]byte{lines[0]}, lines[2:]...),
		"the second stands twice":     append([][]byte{lines[0], lines[1]}, lines[1:]...),
		"two have changed places":     {lines[0], lines[2], lines[1]},
		"the last has no checksum":    {lines[0], []byte(`{"schema":"` + journal.SchemaRegisters + `","kind":"end"}` + "\n")},
		"all but the first are cut":   {lines[0][:len(lines[0])-20], []byte("\n")},
		"one of another journal":      {lines[0], []byte(`{"schema":"cellwarden.journal/v1","kind":"end"}` + "\n")},
		"zeros that a crash has left": {lines[0], make([]byte, 100), []byte("\n")},
	} {
		_, err := journal.Reader{}.Read(bytes.Join(changed, nil))
		require.Error(t, err, name)
	}
	// The schema decides whether lines have checksums: damage there does not take them away.
	older := bytes.ReplaceAll(data, []byte(`"cellwarden.journal/v2"`), []byte(`"cellwarden.journal/v1"`))
	require.NotEqual(t, data, older)
	_, err = journal.Reader{}.Read(older)
	require.ErrorIs(t, err, journal.ErrChanged)
	_, err = journal.Reader{}.Read(bytes.Replace(data, []byte(`"value":10`), []byte(`"value":11`), 1))
	require.ErrorIs(t, err, journal.ErrChanged)
	require.ErrorContains(t, err, "line 1: ")
}

// A journal of version 1 has no checksum of a line, and one of its plan.
func TestPlanOfVersion1(t *testing.T) {
	const line = `{"schema":"cellwarden.journal/v1","kind":"start","plan_sha256":"` +
		`4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945"` // of []
	_, err := journal.Reader{}.Read([]byte(line + "}\n"))
	require.ErrorIs(t, err, journal.ErrChanged, "of null, and not of an empty list")
	_, err = journal.Reader{}.Read([]byte(line + `,"want":[{"register":"group reserved","port":"a","index":3,"value":6}]}` +
		"\n"))
	require.ErrorIs(t, err, journal.ErrChanged)
}

// A push that was killed before its first line was on the disk has sent nothing, and is not listed.
func TestKilledBeforeTheFirstLine(t *testing.T) {
	dir := t.TempDir()
	for _, text := range []string{"", `{"sch`, `{"schema":"cellwarden.journal/v2","kind":"start","ta`} {
		_, err := journal.Reader{}.Read([]byte(text))
		require.ErrorIs(t, err, journal.ErrNothingSent, text)
		require.NoError(t, os.WriteFile(filepath.Join(dir, "a.jsonl"), []byte(text), 0o600))
		open, err := journal.Reader{}.List(dir)
		require.NoError(t, err)
		require.Empty(t, open)
	}
	for _, text := range []string{"\x00\x00\x00", "leaf1", "{}"} {
		_, err := journal.Reader{}.Read([]byte(text))
		require.Error(t, err)
		require.NotErrorIs(t, err, journal.ErrNothingSent, "it is no journal, or a damaged one")
	}
}

// A push is not resumed over a later one of the same device, unless that is asked for.
func TestTwoJournalsOfOneTarget(t *testing.T) {
	dir, asic := t.TempDir(), emptyASIC(t)
	first := pushed(t, dir, asic, backendtest.Layout(10))
	data, err := os.ReadFile(first)
	require.NoError(t, err)
	lines := bytes.SplitAfter(data, []byte("\n"))
	require.NoError(t, os.WriteFile(first, bytes.Join(lines[:2], nil), 0o600))
	second := pushed(t, dir, asic, backendtest.Layout(20))

	p, err := journal.Reader{}.ReadFile(first)
	require.NoError(t, err)
	device := &journal.Registers{Backend: asic}
	err = p.Resume(t.Context(), device, journal.Options{})
	require.ErrorIs(t, err, journal.ErrLater)
	require.ErrorContains(t, err, second)
	now, look := asic.Observe(t.Context())
	require.NoError(t, look)
	require.Equal(t, backendtest.Layout(20), now)

	require.NoError(t, p.Resume(t.Context(), device, journal.Options{Overwrite: true}))
	now, look = asic.Observe(t.Context())
	require.NoError(t, look)
	require.Equal(t, backendtest.Layout(10), now)
}

// Undoing gives back what the push changed: also of a port that it reset, and not what others changed.
func TestUndoOfWhatWasChanged(t *testing.T) {
	asic := emptyASIC(t)
	before := backendtest.Layout(10)
	require.NoError(t, asic.Apply(t.Context(), buffer.Diff(nil, before)))
	want := backendtest.Layout(20).Only(func(r buffer.Register) bool { return r.Port == "Ethernet1" })
	w := journal.NewIn(t.TempDir(), journal.About{Target: "leaf1", Want: want})
	_, err := w.Converge(t.Context(), asic, want, backend.Options{Prune: true})
	require.NoError(t, err)
	theirs := buffer.Register{Kind: buffer.GroupReserved, Port: "Ethernet1", Index: 3}
	require.NoError(t, asic.Apply(t.Context(), []buffer.Step{{Register: theirs, From: 20, To: 33}}))

	p, err := journal.Reader{}.ReadFile(w.Name())
	require.NoError(t, err)
	device := &journal.Registers{Backend: asic}
	err = p.Resume(t.Context(), device, journal.Options{Undo: true})
	require.ErrorIs(t, err, backend.ErrOthers)
	require.Equal(t, backend.Partial, device.State())
	require.Equal(t, []buffer.Step{{Register: theirs, From: 33, To: 10}}, device.Report.Others)
	now, err := asic.Observe(t.Context())
	require.NoError(t, err)
	require.Equal(t, before.With([]buffer.Step{{Register: theirs, To: 33}}), now, "Ethernet2 is back")
	p, err = journal.Reader{}.ReadFile(w.Name())
	require.NoError(t, err)
	require.True(t, p.Open())
	require.NoError(t, p.Resume(t.Context(), device, journal.Options{Undo: true, Overwrite: true}))
	now, err = asic.Observe(t.Context())
	require.NoError(t, err)
	require.Equal(t, before, now)
}

// A device that did not answer a phase is given its time before the push is resumed.
func TestResumeWaitsForAPhase(t *testing.T) {
	asic := emptyASIC(t)
	file := pushed(t, t.TempDir(), asic, backendtest.Layout(10))
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, bytes.Join(bytes.SplitAfter(data, []byte("\n"))[:2], nil), 0o600))
	made, err := asic.Observe(t.Context())
	require.NoError(t, err)
	require.NoError(t, asic.Apply(t.Context(), buffer.Diff(made, nil)))
	p, err := journal.Reader{}.ReadFile(file)
	require.NoError(t, err)
	require.NotEmpty(t, p.Sending)
	waited := time.Duration(0)
	device := &journal.Registers{Backend: asic, Longest: time.Hour}
	device.Pause = func(_ context.Context, d time.Duration) error {
		if waited += d; waited > time.Minute { // it lands
			require.NoError(t, asic.Apply(t.Context(), p.Sending))
		}
		return nil
	}
	require.NoError(t, p.Resume(t.Context(), device, journal.Options{}))
	require.Greater(t, waited, time.Minute)
}
