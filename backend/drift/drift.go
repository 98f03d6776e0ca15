// Package drift compares what devices have with their plans: once, or whenever a
// device reports a change. It changes nothing.
//
// A [Comparer] compares one device. [Registers] is one, of a backend and a layout;
// native configuration has its own. [Watch] compares until there is a difference.
package drift

import (
	"context"
	"errors"
	"fmt"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/buffer"
)

// Difference is one value of a device that is not as planned: a register, or a value
// of native configuration.
type Difference struct {
	Register string // name of the register; empty: a native value
	Path     string // where the device has it; empty: not known
	Has      string // a register in its unit, a native value as JSON; empty: nothing
	Planned  string // in the same form; empty: nothing
	Waits    string // why a push does not put it right; empty: a push does
}

// Result is what a comparison found.
type Result struct {
	Compared    int // registers of the plan that were compared
	NotCompared int // registers of the plan that the device cannot have
	Differences []Difference
}

// Comparer is a device and a plan to compare it with.
type Comparer interface {
	// Compare reads the device and compares it.
	Compare(context.Context) (*Result, error)
}

// Registers compares the registers of a backend. Ports that the layout does not name
// are not looked at.
type Registers struct {
	Backend     backend.Backend
	Want        buffer.Layout                // what of the plan the device can have
	NotCompared int                          // registers of the plan that it cannot have
	Path        func(buffer.Register) string // where the device has a register; nil: not known
}

// Compare reads the registers.
func (r *Registers) Compare(ctx context.Context) (*Result, error) {
	now, err := r.Backend.Observe(ctx)
	if err != nil {
		return nil, err
	}
	named := map[string]bool{}
	for _, s := range r.Want {
		named[s.Port] = true
	}
	out := &Result{Compared: len(r.Want), NotCompared: r.NotCompared}
	for _, s := range buffer.Diff(now.Only(func(r buffer.Register) bool { return named[r.Port] }), r.Want) {
		d := Difference{Register: s.Register.String(), Has: s.Kind.Text(s.From), Planned: s.Kind.Text(s.To)}
		if r.Path != nil {
			d.Path = r.Path(s.Register)
		}
		out.Differences = append(out.Differences, d)
	}
	return out, nil
}

// WatchOn is the backend's: see backend.Watcher.
func (r *Registers) WatchOn(ctx context.Context, changed func(context.Context) error, lost func(error)) error {
	w, ok := r.Backend.(backend.Watcher)
	if !ok {
		return fmt.Errorf("%s: %w", r.Backend.Name(), backend.ErrNotReported)
	}
	return w.WatchOn(ctx, changed, lost)
}

// Watchable is a Comparer whose device reports changes.
type Watchable interface {
	Comparer
	backend.Watcher
}

// Event is what happens while a device is watched.
type Event string

// The events.
const (
	AsPlanned   Event = "as planned"  // the device was read, is as planned, and is watched from now on
	Lost        Event = "lost"        // the device cannot be reached, and is tried again
	Back        Event = "back"        // it can be reached again, and is as planned
	Interrupted Event = "interrupted" // the context ended, and the device was as planned to the end
)

// ErrInterrupted says that watching ended while the device could not be reached.
var ErrInterrupted = errors.New("interrupted while the switch could not be compared with the plan")

// errDiffers ends the watching.
var errDiffers = errors.New("there are differences")

// Watch compares whenever the device reports a change, until there is a difference
// or the context ends. Its Result is that of the last comparison. tell is called for
// each event, with the reason of Lost. The error of a device that does not report
// changes is a backend.ErrNotReported.
func Watch(ctx context.Context, d Watchable, tell func(Event, error)) (*Result, error) {
	w := &watcher{device: d, tell: tell}
	err := d.WatchOn(ctx, w.compare, w.lost)
	switch {
	case errors.Is(err, errDiffers):
		return w.last, nil
	case errors.Is(err, backend.ErrNotReported), ctx.Err() == nil:
		return nil, err
	case w.inTouch:
		tell(Interrupted, nil)
		return w.last, nil
	default:
		return nil, ErrInterrupted
	}
}

// watcher is one Watch.
type watcher struct {
	device  Comparer
	tell    func(Event, error)
	last    *Result
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
		w.tell(AsPlanned, nil)
	case !w.inTouch:
		w.tell(Back, nil)
	}
	w.inTouch, w.begun = true, true
	return nil
}

// lost notes that the device cannot be reached, and tells it once.
func (w *watcher) lost(why error) {
	if w.inTouch || !w.begun {
		w.tell(Lost, why)
	}
	w.inTouch, w.begun = false, true
}
