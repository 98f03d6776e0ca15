package drift_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/backendtest"
	"github.com/cellwarden/cellwarden/backend/drift"
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
	plan := drift.Registers{Backend: asic, Want: buffer.Layout{{Register: r, Value: 6}}}
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

func (s *script) Compare(context.Context) (*drift.Result, error) {
	n := s.found[0]
	s.found = s.found[1:]
	return &drift.Result{Compared: 7, Differences: make([]drift.Difference, n)}, nil
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
		events []drift.Event
		found  int // -1: an error
		err    error
	}{
		"differs":         {t.Context(), script{found: []int{0, 0, 2}}, []drift.Event{drift.AsPlanned}, 2, nil},
		"differs already": {t.Context(), script{found: []int{1}}, nil, 1, nil},
		"lost and back": {t.Context(), script{found: []int{0, -1, -1, 0, 1}},
			[]drift.Event{drift.AsPlanned, drift.Lost, drift.Back}, 1, nil},
		"lost at first": {t.Context(), script{found: []int{-1, -1, 0, 1}},
			[]drift.Event{drift.Lost, drift.Back}, 1, nil},
		"interrupted": {ended, script{found: []int{0}, err: context.Canceled},
			[]drift.Event{drift.AsPlanned, drift.Interrupted}, 0, nil},
		"interrupted while it is lost": {ended, script{found: []int{0, -1}, err: context.Canceled},
			[]drift.Event{drift.AsPlanned, drift.Lost}, -1, drift.ErrInterrupted},
		"fails": {t.Context(), script{found: []int{0}, err: broken}, []drift.Event{drift.AsPlanned},
			-1, broken},
		"does not report": {t.Context(), script{err: backend.ErrNotReported}, nil, -1, backend.ErrNotReported},
	} {
		t.Run(name, func(t *testing.T) {
			var events []drift.Event
			found, err := drift.Watch(test.ctx, &test.device, func(e drift.Event, _ error) { events = append(events, e) })
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
	_, err = drift.Watch(t.Context(), &drift.Registers{Backend: asic}, func(drift.Event, error) {})
	require.ErrorIs(t, err, backend.ErrNotReported)
}
