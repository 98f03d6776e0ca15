package backendtest_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/backendtest"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
)

// foreign is a device as its author writes it with the documents of package backend alone, and with words of its own in
// its refusals.
type foreign struct {
	chip  buffer.Chip
	holds buffer.Layout
	pipes map[string]int // of the ports that were written to
}

func (f *foreign) Name() string { return "foreign" }

func (f *foreign) Capabilities(context.Context) (backend.Capabilities, error) {
	return backend.Capabilities{Transactional: true}, nil
}

func (f *foreign) Observe(context.Context) (buffer.Layout, error) { return f.holds, nil }

func (f *foreign) Apply(_ context.Context, steps []buffer.Step) error {
	for _, s := range steps {
		if a := s.To; s.Kind == buffer.GroupAlpha && a != buffer.Unset && (a < int64(f.chip.MinAlpha) ||
			a > int64(f.chip.MaxAlpha)) {
			return fmt.Errorf("%w: bad threshold", backend.ErrRefused)
		}
		if _, known := f.pipes[s.Port]; !known && s.Port != "" {
			f.pipes[s.Port] = len(f.pipes) % f.chip.PipeCount()
		}
	}
	next := f.holds.With(steps)
	takes, err := next.Cells(f.chip, f.pipes)
	if err != nil {
		return fmt.Errorf("%w: %w", backend.ErrRefused, err)
	}
	for i, s := range f.chip.Slices {
		if takes[i] > s.Cells-s.Taken() {
			return errors.Join(backend.ErrRefused, buffer.ErrNoFit, fmt.Errorf("table full: %d", cells.Count(i)))
		}
	}
	f.holds = next
	return nil
}

// A device may refuse with a text of its own.
func TestAForeignDevice(t *testing.T) {
	backendtest.Run(t, func(_ *testing.T, chip buffer.Chip) backend.Backend {
		return &foreign{chip: chip, pipes: map[string]int{}}
	})
}
