package native

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/gnmi"
	"github.com/cellwarden/cellwarden/internal/sleep"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/nos/sonic"
)

// interrupted is a push that was written down and did not come to its end.
type interrupted struct {
	Changes []recordedChange // all that it was to change, in its order
	Undo    bool             // restore the previous values, instead of making the planned ones
	// Overwrite also changes values that are neither those from before the push nor the planned ones.
	// Else they are left, and are the Report's Others.
	Overwrite bool

	// Unanswered is the Set whose answer is not known, if there is one, and Within how long the switch may still be at
	// work on it: for so long it is waited until the switch has all of it. 0: not at all.
	Unanswered []recordedChange
	Restores   bool // the Unanswered gives previous values back
	Within     time.Duration
	// Pause waits between two looks; nil: it sleeps.
	Pause func(context.Context, time.Duration) error
}

// foundChange is what a switch has of a change that was written down.
type foundChange struct {
	recordedChange
	Now   string // JSON; empty: nothing is there
	Holds holding
}

// holding is which value of a change a switch has.
type holding string

// What a switch may hold: the value from before the push, the planned one, or another one.
const (
	holdsBefore  holding = "before"
	holdsPlanned holding = "planned"
	holdsOther   holding = "something else"
)

// Look reads what the switch has at the paths of the changes, says so in the Report's Found, and finds what is left to
// be done. It sends nothing. What is neither from before nor planned is left, unless Overwrite is set; entries of a
// table that the changes do not name are left alone. If the Push fails, it restores what this Look found.
func (i *interrupted) Look(ctx context.Context, client *gnmi.Client) (*Push, error) {
	p := &Push{device: &device{Client: client}, Report: &Report{Device: client.Name(), State: backend.Unchanged}}
	if err := validate(i.Changes); err != nil {
		return p, err
	}
	p.device.language = written(i.Changes)
	now, err := i.readUntilMade(ctx, p.device)
	if err != nil {
		return p, fmt.Errorf("reading %s: %w", client.Name(), err)
	}
	for _, r := range i.Changes {
		p.Report.Found = append(p.Report.Found, r.found(now))
	}
	left, others := i.left(now)
	p.plan(append(left, i.made(now)...), now) // what is made is compared in the end, too
	p.push.Words = backend.Resume{Undo: i.Undo}.Words()
	if p.push.Left = others; len(others) > 0 {
		p.Report.Others, p.Report.Has = others, backend.HasNeither
	}
	return p, nil
}

// It is waited for a longer time after each look, so that what is over soon is
// found soon, and a switch that is at work is not asked too often.
const (
	firstPause   = 100 * time.Millisecond
	longestPause = 5 * time.Second
)

// readUntilMade reads the switch until it has made the changes that it did not answer, or until their time is over.
func (i *interrupted) readUntilMade(ctx context.Context, d *device) (Trees, error) {
	pause := i.Pause
	if pause == nil {
		pause = sleep.For
	}
	left := i.Within
	for wait := firstPause; ; wait = min(2*wait, longestPause) {
		now, err := d.Read(ctx)
		if err != nil || left <= 0 || !remains(now, i.Unanswered, i.Restores) {
			return now, err
		}
		if err := pause(ctx, min(left, wait)); err != nil {
			return nil, err
		}
		left -= wait
	}
}

// remains tells whether a Set of these changes would still change what a switch holds, or takes away what others have
// written beside its values: a Set of CONFIG_DB writes each entry, or each table, as a whole, and so does one that
// gives previous values back.
func remains(now Trees, set []recordedChange, restores bool) bool {
	return slices.ContainsFunc(set, func(r recordedChange) bool {
		c := r.change(now)
		if c.after != nil && (restores || r.Origin == sonic.Origin) {
			return !same(c.before, c.after)
		}
		return !c.made(c.before)
	})
}

// left is what the switch does not have of the goal, but for what others have changed. What is
// undone is undone in the opposite order.
func (i *interrupted) left(now Trees) (left, others []Change) {
	for _, r := range i.Changes {
		for _, r := range r.entries() {
			c := r.change(now)
			was := r.mustValue(r.Before, false)
			back, foreign := takenBack(c.before, was, merged(was, c.after, c.after != nil && r.Origin != sonic.Origin))
			switch {
			case i.Undo && foreign:
				if !i.Overwrite && !same(c.before, back) {
					left = append(left, c.to(c.before, back)) // what is still the push's
				}
				c = c.to(c.before, was)
			case i.Undo:
				c = c.to(c.before, back)
			}
			switch {
			case c.made(c.before):
			case foreign && !i.Overwrite:
				others = append(others, c)
			default:
				left = append(left, c)
			}
		}
	}
	if i.Undo {
		slices.Reverse(left)
		var kept []Change
		left, kept = keepNeeded(now, left)
		others = append(others, kept...)
	}
	if i.Changes[0].Origin == sonic.Origin {
		return folded(left, now), others
	}
	return left, others
}

// made is what the switch has already of the goal: others may change it before the end, and so may a Set of this push
// that was not answered.
func (i *interrupted) made(now Trees) []Change {
	var out []Change
	for _, r := range i.Changes {
		for _, r := range r.entries() {
			c := r.change(now)
			if was := r.mustValue(r.Before, false); i.Undo {
				c = c.to(c.before, was)
			}
			if c.made(c.before) {
				out = append(out, c)
			}
		}
	}
	return out
}

// folded puts entries of CONFIG_DB together as tables where the updater wants it so: a patch adds an entry only to an
// existing table, and leaves no table empty. Of several phases it is the first that makes a table, and the last that
// takes it away.
func folded(changes []Change, now Trees) []Change {
	out, done := changes, map[string]bool{}
	for _, c := range changes {
		if path := c.update.Path; len(path) == entryLength && !done[path[tableLength-1].Name] {
			done[path[tableLength-1].Name] = true
			out = foldTable(out, path[:tableLength], now.at(path[:tableLength]))
		}
	}
	return out
}

// foldTable does it for one table.
func foldTable(changes []Change, path []nos.Elem, there any) []Change {
	var adds, deletes []int
	for n, c := range changes {
		switch {
		case len(c.update.Path) != entryLength || !slices.Equal(c.update.Path[:tableLength], path):
		case c.after == nil:
			deletes = append(deletes, n)
		default:
			adds = append(adds, n)
		}
	}
	table, _ := there.(map[string]any)
	fold, phase := adds, 0
	switch {
	case there == nil:
		phase = changes[adds[0]].Phase // what is not there needs no deletion
	case len(adds) == 0 && len(deletes) == len(table):
		fold, phase = deletes, changes[deletes[len(deletes)-1]].Phase
	default:
		return changes
	}
	fold = slices.DeleteFunc(fold, func(n int) bool { return changes[n].Phase != phase })
	one := changes[fold[0]]
	one.Path, one.before, one.after, one.whole = nos.Text(path), there, nil, false
	one.update.Path, one.update.JSON = path, nil
	entries := map[string]any{}
	for _, n := range fold {
		if c := changes[n]; c.after != nil {
			entries[c.update.Path[tableLength].Name] = c.after
		}
	}
	if len(entries) > 0 {
		one.after = entries
		one.update.JSON = nos.Compact(entries)
	}
	one.From, one.To = jsonText(one.before), jsonText(one.after)
	var out []Change
	for n, c := range changes {
		switch {
		case n == fold[0]:
			out = append(out, one)
		case !slices.Contains(fold, n):
			out = append(out, c)
		}
	}
	return out
}
