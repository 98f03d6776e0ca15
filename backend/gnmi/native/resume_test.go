package native_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/gnmi/native"
	"github.com/cellwarden/cellwarden/internal/effort"
	"github.com/cellwarden/cellwarden/internal/sonicfake"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/nos/eos"
	"github.com/cellwarden/cellwarden/nos/sonic"
	"github.com/cellwarden/cellwarden/nos/srlinux"
	"github.com/cellwarden/cellwarden/unit"
)

// recorded is what a push would write down.
func recorded(p *native.Push) []native.Recorded {
	var out []native.Recorded
	for _, c := range p.Report.Changes {
		out = append(out, c.Recorded())
	}
	return out
}

// SR Linux and EOS, too: what was written down is led back, as a whole where it was there before, and made again.
func TestFixedIsResumed(t *testing.T) {
	plan := planned(t, 40*unit.Metre, "Ethernet0", "Ethernet4")
	for name, test := range map[string]struct {
		rendering *nos.Rendering
		tree      *tree
	}{
		"srlinux": {srlinux.System.Render(plan), &tree{module: "srl_nokia-qos", root: map[string]any{"qos": map[string]any{
			"queues": map[string]any{"pfc-queue": []any{map[string]any{"pfc-queue-name": "pfcq-3", "beside": "x"}}},
			"interfaces": map[string]any{"interface": []any{map[string]any{"interface-id": "Ethernet4",
				"pfc": map[string]any{"pfc-enable": false}}}}}}}},
		"eos": {eos.System.Render(plan), &tree{module: "openconfig-qos", origin: "openconfig", root: map[string]any{}}},
	} {
		t.Run(name, func(t *testing.T) {
			client := served(t, test.tree, 0)
			p, err := native.Look(t.Context(), client, &native.Fixed{Rendering: test.rendering})
			require.NoError(t, err)
			i := &native.Interrupted{Changes: recorded(p)}
			require.NoError(t, p.Run(t.Context()))

			for _, undo := range []bool{true, false, true} {
				i.Undo = undo
				p, err := i.Look(t.Context(), client)
				require.NoError(t, err)
				require.Len(t, p.Report.Changes, len(i.Changes))
				require.NoError(t, p.Run(t.Context()))
				require.Equal(t, backend.Applied, p.Report.State)
				p, err = i.Look(t.Context(), client)
				require.NoError(t, err)
				require.Empty(t, p.Report.Changes, "nothing is left")
				for _, f := range p.Report.Found {
					require.Equal(t, map[bool]string{true: "before", false: "planned"}[undo], string(f.Holds),
						nos.Text(f.Path))
				}
			}
		})
	}
}

// A push that is resumed and fails restores what it found.
func TestSONiCIsResumedAndFails(t *testing.T) {
	effort.SkipFew(t, "it waits for a switch that fails")
	for n, f := range faults {
		if f.name == "hangs" || f.name == "hangs after half" || f.name == "hangs after it wrote" {
			continue
		}
		for k, undo := range []bool{false, true} {
			if !effort.Some(n+k, 2) {
				continue
			}
			s := sonicfake.New(shipped())
			s.ASIC, s.Version = "th", "SONiC.20251110.1"
			client := served(t, s, 0)
			p, err := native.Look(t.Context(), client, language(t, 40*unit.Metre))
			require.NoError(t, err)
			i := &native.Interrupted{Changes: recorded(p), Undo: undo}
			before := s.Config()
			if undo {
				require.NoError(t, p.Run(t.Context()))
				before = s.Config()
			}
			sets := s.Sets()
			s.Fault = f.fault
			if sets > 0 {
				s.Fault = func(a *sonicfake.Arrived) error {
					later := *a
					later.N -= sets
					return f.fault(&later)
				}
			}
			p, err = i.Look(t.Context(), client)
			require.NoError(t, err)
			err = p.Run(t.Context())
			require.Equal(t, f.state, p.Report.State, "%s %v: %v", f.name, undo, err)
			switch f.state {
			case backend.Applied, backend.Partial:
			default:
				require.Equal(t, before, s.Config(), "%s %v", f.name, undo)
			}
		}
	}
}

// It is waited for a Set that was not answered, for so long as the switch may be at work on it and no longer.
func TestInterruptedWaits(t *testing.T) {
	s := sonicfake.New(shipped())
	s.ASIC, s.Version = "th", "SONiC.20251110.1"
	client := served(t, s, 0)
	p, err := native.Look(t.Context(), client, language(t, 40*unit.Metre))
	require.NoError(t, err)
	var waited time.Duration
	pauses := 0
	i := &native.Interrupted{Changes: recorded(p), Undo: true, Unanswered: recorded(p), Within: time.Minute}
	i.Pause = func(_ context.Context, d time.Duration) error { waited += d; pauses++; return nil }
	p, err = i.Look(t.Context(), client)
	require.NoError(t, err)
	require.Empty(t, p.Report.Changes)
	require.Equal(t, time.Minute, waited)
	require.Less(t, pauses, 20)

	i.Pause = func(context.Context, time.Duration) error {
		other, err := native.Look(t.Context(), client, language(t, 40*unit.Metre))
		require.NoError(t, err)
		return other.Run(t.Context())
	}
	p, err = i.Look(t.Context(), client)
	require.NoError(t, err)
	require.Len(t, p.Report.Changes, len(i.Changes), "it has come after all")

	s.Load(shipped())
	stopped := errors.New("stopped")
	i.Pause = func(context.Context, time.Duration) error { return stopped }
	_, err = i.Look(t.Context(), client)
	require.ErrorIs(t, err, stopped)
	ctx, cancel := context.WithCancel(t.Context())
	i.Pause = nil
	time.AfterFunc(10*time.Millisecond, cancel)
	_, err = i.Look(ctx, client)
	require.ErrorContains(t, err, "context canceled")
	require.Equal(t, 1, s.Sets())
}

func TestValidate(t *testing.T) {
	field := native.Recorded{Origin: sonic.Origin, Path: sonic.Path("CABLE_LENGTH", "AZURE", "Ethernet0"), Planned: `"5m"`}
	require.NoError(t, native.Validate([]native.Recorded{field}))
	for want, change := range map[string]func(*native.Recorded){
		"want a change":                                func(r *native.Recorded) { r.Before = r.Planned },
		"phase -1: want 0 or more":                     func(r *native.Recorded) { r.Phase = -1 },
		`"{": want a value of JSON`:                    func(r *native.Recorded) { r.Before = "{" },
		`"null": want a value of JSON`:                 func(r *native.Recorded) { r.Before = "null" },
		`7: want a table's entries, an entry's fields`: func(r *native.Recorded) { r.Planned = "7" },
		"a table of CONFIG_DB that a plan writes": func(r *native.Recorded) {
			r.Path = sonic.Path("USERS", "a",
				"b")
		},
		"beneath /qos, or of origin sonic-db": func(r *native.Recorded) { r.Origin = "" },
	} {
		r := field
		change(&r)
		err := native.Validate([]native.Recorded{r})
		require.ErrorContains(t, err, want)
		client := served(t, sonicfake.New(shipped()), 0)
		_, err = (&native.Interrupted{Changes: []native.Recorded{r}}).Look(t.Context(), client)
		require.ErrorContains(t, err, want)
	}
	require.ErrorContains(t, native.Validate(nil), "no changes: want 1 or more")
	within := field
	within.Path, within.Planned = sonic.Path("CABLE_LENGTH"), "{}"
	require.ErrorContains(t, native.Validate([]native.Recorded{within, field}),
		"change 2, /CONFIG_DB/localhost/CABLE_LENGTH/AZURE/Ethernet0: want each path once, and none within another")
	other := native.Recorded{Path: []nos.Elem{{Name: "qos"}, {Name: "x"}}, Planned: "1"}
	require.NoError(t, native.Validate([]native.Recorded{other}))
	require.ErrorContains(t, native.Validate([]native.Recorded{field, other}),
		`origin "": want that of the first, "sonic-db"`)
}
