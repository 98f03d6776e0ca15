package backend_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/backendtest"

	"github.com/cellwarden/cellwarden/backend/sim"
	"github.com/cellwarden/cellwarden/buffer"
)

// A device that was emptied differs from its plan in every register.
func ExampleRegisters() {
	asic, err := sim.New(backendtest.Chip())
	if err != nil {
		log.Fatal(err)
	}
	r := buffer.Register{Kind: buffer.GroupReserved, Port: "Ethernet1", Index: 3}
	plan := backend.RegisterDrift{Backend: asic, Want: buffer.Layout{{Register: r, Value: 6}}}
	found, err := plan.Compare(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	for _, d := range found.Differences {
		fmt.Printf("%s: %s, planned %s\n", d.Register, d.Has, d.Planned)
	}
	// Output:
	// Ethernet1 group 3 reserved: 0 cells, planned 6 cells
}

// script is a device whose comparisons and losses follow a script.
type script struct {
	found []int // differences of each comparison; negative: the device cannot be reached
	err   error // in the end
}

func (s *script) Compare(context.Context) (*backend.DriftResult, error) {
	n := s.found[0]
	s.found = s.found[1:]
	return &backend.DriftResult{Compared: 7, Differences: make([]backend.Difference, n)}, nil
}

func (s *script) WatchOn(ctx context.Context, changed func(context.Context) error, lost func(error)) error {
	for len(s.found) > 0 {
		if s.found[0] < 0 {
			s.found = s.found[1:]
			lost(errors.New("gone"))
			continue
		}
		if err := changed(ctx); err != nil {
			return err
		}
	}
	return s.err
}

func TestWatch(t *testing.T) {
	ended, stop := context.WithCancel(t.Context())
	stop()
	broken := errors.New("broken")
	for name, test := range map[string]struct {
		ctx    context.Context
		device script
		events []backend.DriftEvent
		found  int // -1: an error
		err    error
	}{
		"differs":         {t.Context(), script{found: []int{0, 0, 2}}, []backend.DriftEvent{backend.DriftAsPlanned}, 2, nil},
		"differs already": {t.Context(), script{found: []int{1}}, nil, 1, nil},
		"lost and back": {t.Context(), script{found: []int{0, -1, -1, 0, 1}},
			[]backend.DriftEvent{backend.DriftAsPlanned, backend.DriftLost, backend.DriftBack}, 1, nil},
		"lost at first": {t.Context(), script{found: []int{-1, -1, 0, 1}},
			[]backend.DriftEvent{backend.DriftLost, backend.DriftBack}, 1, nil},
		"interrupted": {ended, script{found: []int{0}, err: context.Canceled},
			[]backend.DriftEvent{backend.DriftAsPlanned, backend.DriftInterrupted}, 0, nil},
		"interrupted while it is lost": {ended, script{found: []int{0, -1}, err: context.Canceled},
			[]backend.DriftEvent{backend.DriftAsPlanned, backend.DriftLost}, -1, backend.ErrDriftInterrupted},
		"fails": {t.Context(), script{found: []int{0}, err: broken}, []backend.DriftEvent{backend.DriftAsPlanned},
			-1, broken},
		"does not report": {t.Context(), script{err: backend.ErrNotReported}, nil, -1, backend.ErrNotReported},
	} {
		t.Run(name, func(t *testing.T) {
			var events []backend.DriftEvent
			keep := func(e backend.DriftEvent, _ error) { events = append(events, e) }
			found, err := backend.WatchDrift(test.ctx, &test.device, keep)
			require.ErrorIs(t, err, test.err)
			require.Equal(t, test.events, events)
			if test.found < 0 {
				require.Nil(t, found)
				return
			}
			require.Len(t, found.Differences, test.found)
		})
	}
}

// A backend that does not report changes cannot be watched.
func TestWatchOfABackendThatDoesNotReport(t *testing.T) {
	asic, err := sim.New(backendtest.Chip())
	require.NoError(t, err)
	_, err = backend.WatchDrift(t.Context(), &backend.RegisterDrift{Backend: asic}, func(backend.DriftEvent, error) {})
	require.ErrorIs(t, err, backend.ErrNotReported)
}
