package backend_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/backendtest"
	"github.com/cellwarden/cellwarden/backend/sim"
	"github.com/cellwarden/cellwarden/buffer"
)

// A device takes a plan, and has it already the second time.
func ExampleConverge() {
	asic, err := sim.New(backendtest.Chip())
	if err != nil {
		fmt.Println(err)
		return
	}
	for range 2 {
		report, err := backend.Converge(context.Background(), asic, backendtest.Layout(10), backend.Options{})
		fmt.Println(report.State, len(report.Steps), "steps", err)
	}
	// Output:
	// applied 28 steps <nil>
	// unchanged 0 steps <nil>
}

// faulty returns a device that holds Layout(600) already and then misbehaves.
func faulty(t *testing.T, f *backendtest.Faulty) *backendtest.Faulty {
	t.Helper()
	asic, err := sim.New(backendtest.Chip())
	require.NoError(t, err)
	_, err = backend.Converge(t.Context(), asic, backendtest.Layout(600), backend.Options{})
	require.NoError(t, err)
	f.Backend = asic
	return f
}

// target is a layout that needs both phases from Layout(600): less reserved, more headroom.
func target() buffer.Layout {
	l := backendtest.Layout(20)
	var more []buffer.Step
	for _, s := range l {
		if s.Kind == buffer.GroupHeadroom {
			more = append(more, buffer.Step{Register: s.Register, To: 800})
		}
	}
	return l.With(more)
}

func run(t *testing.T, f *backendtest.Faulty) (*backend.Report, buffer.Layout, error) {
	t.Helper()
	r, err := backend.Converge(t.Context(), f, target(), backend.Options{})
	now, look := f.Backend.Observe(t.Context())
	require.NoError(t, look)
	return r, now, err
}

func TestTwoPhases(t *testing.T) {
	f := faulty(t, &backendtest.Faulty{})
	r, now, err := run(t, f)
	require.NoError(t, err)
	require.Equal(t, backend.Applied, r.State)
	require.Equal(t, 2, f.Applies())
	require.Equal(t, target(), now)
}

func TestFirstPhaseFails(t *testing.T) {
	r, now, err := run(t, faulty(t, &backendtest.Faulty{FailApply: 1}))
	require.ErrorIs(t, err, backendtest.ErrFault)
	require.ErrorContains(t, err, "phase 1 of 2")
	require.Equal(t, backend.Refused, r.State)
	require.Equal(t, backendtest.Layout(600), now)
}

func TestSecondPhaseFailsAndTheFirstIsUndone(t *testing.T) {
	r, now, err := run(t, faulty(t, &backendtest.Faulty{FailApply: 2}))
	require.ErrorIs(t, err, backendtest.ErrFault)
	require.Equal(t, backend.RolledBack, r.State)
	require.Equal(t, backendtest.Layout(600), now)
}

func TestErrorAlthoughWritten(t *testing.T) {
	r, now, err := run(t, faulty(t, &backendtest.Faulty{WriteAndFail: 1}))
	require.ErrorIs(t, err, backendtest.ErrFault)
	require.Equal(t, backend.RolledBack, r.State, "an error does not mean that nothing was written: the device is read")
	require.Equal(t, backendtest.Layout(600), now)
}

func TestUndoFailsToo(t *testing.T) {
	f := faulty(t, &backendtest.Faulty{WriteAndFail: 1})
	f.FailApply = 2
	r, _, err := run(t, f)
	require.ErrorIs(t, err, backendtest.ErrFault)
	require.Equal(t, backend.Partial, r.State)
	require.NotEmpty(t, r.Differences)
}

func TestDeviceDies(t *testing.T) {
	r, _, err := run(t, faulty(t, &backendtest.Faulty{DieAt: 1}))
	require.ErrorContains(t, err, "the state of simulated test chip is unknown, because it cannot be read")
	require.Equal(t, backend.Unknown, r.State)
}

func headroom(port string) buffer.Register {
	return buffer.Register{Kind: buffer.GroupHeadroom, Port: port, Index: 3}
}

func TestDeviceHoldsSomethingElse(t *testing.T) {
	halve := func(l buffer.Layout) buffer.Layout {
		var steps []buffer.Step
		for _, s := range l {
			if s.Kind == buffer.GroupHeadroom && s.Value == 800 {
				steps = append(steps, buffer.Step{Register: s.Register, To: 400})
			}
		}
		return l.With(steps)
	}
	r, now, err := run(t, faulty(t, &backendtest.Faulty{Twist: halve}))
	require.ErrorIs(t, err, backend.ErrMismatch)
	require.ErrorContains(t, err, "Ethernet1 group 3 headroom 400 cells -> 800 cells")
	require.Equal(t, backend.Partial, r.State, "nobody knows who made these values: they are left")
	require.Equal(t, backend.HasNeither, r.Has)
	require.ErrorContains(t, err, "410 short", "what is left takes the cells that the previous values need")
	require.Empty(t, buffer.Diff(now, backendtest.Layout(600).With(buffer.Undo(r.Differences)).With([]buffer.Step{
		{Register: headroom("Ethernet1"), To: 800}, {Register: headroom("Ethernet2"), To: 800}})))
}

func TestPortsThatThePlanDoesNotName(t *testing.T) {
	f := faulty(t, &backendtest.Faulty{})
	one := backendtest.Layout(10).Only(func(r buffer.Register) bool { return r.Port == "Ethernet1" })
	r, err := backend.Converge(t.Context(), f, one, backend.Options{})
	require.NoError(t, err)
	require.Equal(t, []string{"Ethernet2"}, r.LeftAlone)
	now, err := f.Observe(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, 600, now.Value(buffer.Register{Kind: buffer.GroupReserved, Port: "Ethernet2", Index: 3}))

	r, err = backend.Converge(t.Context(), f, one, backend.Options{Prune: true})
	require.NoError(t, err)
	require.Empty(t, r.LeftAlone)
	now, err = f.Observe(t.Context())
	require.NoError(t, err)
	require.Equal(t, one, now)
}

// wordless is a device that cannot express headroom.
type wordless struct{ backend.Backend }

func (wordless) Capabilities(context.Context) (backend.Capabilities, error) {
	return backend.Capabilities{Missing: map[buffer.Kind]string{buffer.GroupHeadroom: "no leaf"}}, nil
}

func TestGapsAreReportedAndNotSent(t *testing.T) {
	f := faulty(t, &backendtest.Faulty{})
	r, err := backend.Converge(t.Context(), wordless{f}, target(), backend.Options{})
	require.NoError(t, err)
	require.Equal(t, []backend.Gap{{Kind: buffer.GroupHeadroom, Count: 2, Why: "no leaf"}}, r.Gaps)
	now, err := f.Observe(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, 100, now.Value(buffer.Register{Kind: buffer.GroupHeadroom, Port: "Ethernet1", Index: 3}),
		"untouched")
}

func TestDryRunAndStrictSendNothing(t *testing.T) {
	f := faulty(t, &backendtest.Faulty{})
	r, err := backend.Converge(t.Context(), f, target(), backend.Options{DryRun: true})
	require.NoError(t, err)
	require.Equal(t, backend.Unchanged, r.State)
	require.NotEmpty(t, r.Steps)
	r, err = backend.Converge(t.Context(), wordless{f}, target(), backend.Options{Strict: true})
	require.ErrorIs(t, err, backend.ErrGaps)
	require.Equal(t, backend.Unchanged, r.State)
	require.Zero(t, f.Applies())
}
