package backend

import (
	"context"
	"errors"
	"fmt"

	"github.com/cellwarden/cellwarden/buffer"
)

// Difference is one value of a device that is not as planned: a register, or a value of native configuration.
type Difference struct {
	Register string // name of the register; empty: a native value
	Path     string // where the device has it; empty: not known
	Has      string // a register in its unit, a native value as JSON; empty: nothing
	Planned  string // in the same form; empty: nothing
	Waits    string // why a push does not put it right; empty: a push does
}

// DriftResult is what a comparison found.
type DriftResult struct {
	Compared    int // registers of the plan that were compared
	NotCompared int // registers of the plan that the device cannot have
	Differences []Difference
}

// RegisterDrift compares the registers of a backend. Ports that the layout does not name are not looked at.
type RegisterDrift struct {
	Backend     Backend
	Want        buffer.Layout                // what of the plan the device can have
	NotCompared int                          // registers of the plan that it cannot have
	Path        func(buffer.Register) string // where the device has a register; nil: not known
}

// Compare reads the registers.
func (r *RegisterDrift) Compare(ctx context.Context) (*DriftResult, error) {
	now, err := r.Backend.Observe(ctx)
	if err != nil {
		return nil, err
	}
	named := map[string]bool{}
	for _, s := range r.Want {
		named[s.Port] = true
	}
	out := &DriftResult{Compared: len(r.Want), NotCompared: r.NotCompared}
	for _, s := range buffer.Diff(now.Only(func(r buffer.Register) bool { return named[r.Port] }), r.Want) {
		d := Difference{Register: s.Register.String(), Has: s.Kind.Text(s.From), Planned: s.Kind.Text(s.To)}
		if r.Path != nil {
			d.Path = r.Path(s.Register)
		}
		out.Differences = append(out.Differences, d)
	}
	return out, nil
}

// WatchOn is the backend's: see [Watchable].
func (r *RegisterDrift) WatchOn(ctx context.Context, changed func(context.Context) error, lost func(error)) error {
	w, ok := r.Backend.(reporter)
	if !ok {
		return fmt.Errorf("%s: %w", r.Backend.Name(), ErrNotReported)
	}
	return w.WatchOn(ctx, changed, lost)
}

// Watchable is a device and a plan to compare it with, once or whenever the device reports a change. A [RegisterDrift]
// is one, of a backend and a layout; native configuration has its own.
type Watchable interface {
	// Compare reads the device and compares it.
	Compare(context.Context) (*DriftResult, error)
	reporter
}

// reporter is a device that reports changes.
type reporter interface {
	// WatchOn calls changed when the device reports a change, and once when it has reported its present state. It
	// begins again when the device cannot be reached, and calls lost with the reason. It ends when changed returns an
	// error that is not the device's, when the context ends, or when the device refuses.
	WatchOn(ctx context.Context, changed func(context.Context) error, lost func(error)) error
}

// DriftEvent is what happens while a device is watched.
type DriftEvent string

// The events.
const (
	DriftAsPlanned   DriftEvent = "as planned"  // the device was read, is as planned, and is watched from now on
	DriftLost        DriftEvent = "lost"        // the device cannot be reached, and is tried again
	DriftBack        DriftEvent = "back"        // it can be reached again, and is as planned
	DriftInterrupted DriftEvent = "interrupted" // the context ended, and the device was as planned to the end
)

// ErrDriftInterrupted says that watching ended while the device could not be reached.
var ErrDriftInterrupted = errors.New("interrupted while the switch could not be compared with the plan")

// errDiffers ends the watching.
var errDiffers = errors.New("there are differences")

// WatchDrift compares whenever the device reports a change, until there is a difference or the context ends. Its result
// is that of the last comparison. tell is called for each event, with the reason of DriftLost. The error of a device
// that does not report changes is an ErrNotReported.
func WatchDrift(ctx context.Context, d Watchable, tell func(DriftEvent, error)) (*DriftResult, error) {
	w := &watcher{device: d, tell: tell}
	err := d.WatchOn(ctx, w.compare, w.lost)
	switch {
	case errors.Is(err, errDiffers):
		return w.last, nil
	case errors.Is(err, ErrNotReported), ctx.Err() == nil:
		return nil, err
	case w.inTouch:
		tell(DriftInterrupted, nil)
		return w.last, nil
	default:
		return nil, ErrDriftInterrupted
	}
}

// watcher is one Watch.
type watcher struct {
	device  Watchable
	tell    func(DriftEvent, error)
	last    *DriftResult
	begun   bool // it was as planned once
	inTouch bool // it can be reached
}

// compare compares; errDiffers ends the watching.
func (w *watcher) compare(ctx context.Context) error {
	found, err := w.device.Compare(ctx)
	if err != nil {
		return err
	}
	w.last = found
	switch {
	case len(found.Differences) > 0:
		return errDiffers
	case !w.begun:
		w.tell(DriftAsPlanned, nil)
	case !w.inTouch:
		w.tell(DriftBack, nil)
	}
	w.inTouch, w.begun = true, true
	return nil
}

// lost notes that the device cannot be reached, and tells it once.
func (w *watcher) lost(why error) {
	if w.inTouch || !w.begun {
		w.tell(DriftLost, why)
	}
	w.inTouch, w.begun = false, true
}
