package native

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/gnmi"
	"github.com/cellwarden/cellwarden/backend/journal"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/grouped"
	"github.com/cellwarden/cellwarden/nos"
)

// Observer writes a push of native values to a journal, or nil.
func Observer(w *journal.Writer) backend.Observer[Trees, Change] {
	return journal.Values[Trees](w, func(changes []Change) []journal.Value {
		return grouped.Each(changes, func(c Change) journal.Value {
			r := c.Recorded()
			return r.journaled()
		})
	})
}

// journaled is the change as a journal has it.
func (r *recordedChange) journaled() journal.Value {
	v := journal.Value{Path: nos.Text(r.Path), Origin: r.Origin, From: json.RawMessage(r.Before),
		To: json.RawMessage(r.Planned), Phase: r.Phase, MayStop: r.Reach.String()}
	for _, e := range r.Path {
		at := []string{e.Name}
		if e.Key != "" {
			at = append(at, e.Key, e.Value)
		}
		v.At = append(v.At, at)
	}
	return v
}

// parseValues reads the changes of a journal. It refuses what no push has written.
func parseValues(all []journal.Value) ([]recordedChange, error) {
	var out []recordedChange
	for i, v := range all {
		r := recordedChange{Origin: v.Origin, Before: string(v.From), Planned: string(v.To), Phase: v.Phase,
			Reach: buffer.Disruption(slices.Index(disruptions(), v.MayStop))}
		if r.Reach < 0 {
			return nil, fmt.Errorf("change %d: may_stop: %q: want %v", i+1, v.MayStop, disruptions())
		}
		for _, at := range v.At {
			switch len(at) {
			case 1:
				r.Path = append(r.Path, nos.Elem{Name: at[0]})
			case 3:
				r.Path = append(r.Path, nos.Elem{Name: at[0], Key: at[1], Value: at[2]})
			default:
				return nil, fmt.Errorf("change %d: at: %q: want a name, or a name, a key and its value", i+1, at)
			}
		}
		out = append(out, r)
	}
	return out, validate(out)
}

// CheckValues refuses changes of a journal that no push has written: see journal.Reader.
func CheckValues(all []journal.Value) error {
	_, err := parseValues(all)
	return err
}

// disruptions are the names of how far a change reaches.
func disruptions() []string {
	var out []string
	for d := buffer.DisruptsNothing; d <= buffer.DisruptsReboot; d++ {
		out = append(out, d.String())
	}
	return out
}

// Resumption is a switch whose push of native values is resumed: what a journal.Push needs.
type Resumption struct {
	Client *gnmi.Client // not embedded: a resumption has not its other methods
	// Longest is how long one Set may take. If the push was interrupted while a Set was not answered, the switch is given
	// that long to show that it was at work on it. 0: as the client's Options.SetTimeout says.
	Longest time.Duration
	// Pause waits between two readings of a switch that may be at work; nil: it sleeps.
	Pause func(context.Context, time.Duration) error
	// Push is what is left; nil before Look.
	Push *Push
}

var _ journal.Target = (*Resumption)(nil)

// Look reads the switch and finds what is left. A dry run does not wait for a switch that may be at work.
func (r *Resumption) Look(ctx context.Context, p *journal.Push, opt journal.Options) error {
	i := &interrupted{Undo: opt.Undo, Overwrite: opt.Overwrite, Pause: r.Pause}
	var err error
	if i.Changes, err = parseValues(p.Values); err != nil {
		return err
	}
	if !opt.DryRun && len(p.Pending) > 0 {
		if i.Unanswered, err = parseValues(p.Pending); err != nil {
			return err
		}
		all := p.Unanswered()
		i.Restores = all[len(all)-1].Restores // a device makes one after the other
		i.Within = p.AtWork(time.Now(), r.longest())
	}
	push, err := i.Look(ctx, r.Client)
	if err != nil {
		return err
	}
	r.Push, push.Longest = push, r.longest()
	return nil
}

// Remains reads the switch and tells whether a Set that was not answered, one of Unanswered of its push, would still
// change it or take away what others have written beside its values.
func (r *Resumption) Remains(ctx context.Context, one *journal.Push) (bool, error) {
	all, err := parseValues(one.Values)
	if err != nil {
		return true, err
	}
	now, err := (&device{Client: r.Client, language: written(all)}).Read(ctx)
	return err != nil || remains(now, all, one.Restores), err
}

func (r *Resumption) longest() time.Duration {
	if r.Longest > 0 {
		return r.Longest
	}
	return r.Client.LongestSet()
}

// Made tells whether the switch has a planned value of the push.
func (r *Resumption) Made() bool {
	return slices.ContainsFunc(r.Push.Report.Found, func(f foundChange) bool { return f.Holds == holdsPlanned })
}

// CommitWaits tells whether the switch says that a commit waits to be confirmed.
func (r *Resumption) CommitWaits(ctx context.Context) error { return r.Client.CommitWaits(ctx) }

// Unmade reports a state in which none of the changes that are left is made: they are the differences.
func (r *Resumption) Unmade(s backend.State) {
	r.Push.Report.State, r.Push.Report.Differences = s, r.Push.Report.Changes
}

// Run sends what is left.
func (r *Resumption) Run(ctx context.Context, w *journal.Writer) error {
	r.Push.Observer = Observer(w)
	return r.Push.Run(ctx)
}

// State tells how the switch was left.
func (r *Resumption) State() backend.State {
	if r.Push == nil {
		return backend.Unchanged
	}
	return r.Push.Report.State
}

// CancelCommit has the switch undo a commit of the push.
func (r *Resumption) CancelCommit(ctx context.Context, id string) (bool, error) {
	return r.Client.CancelCommit(ctx, id)
}

// MayHaveCancelled is the client's.
func (r *Resumption) MayHaveCancelled() bool { return r.Client.MayHaveCancelled() }
