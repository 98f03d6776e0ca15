package native

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/gnmi"
	"github.com/cellwarden/cellwarden/internal/jsontree"
)

// device is a switch and the changes that make a plan of it: what the engine of package backend drives.
type device struct {
	*gnmi.Client
	language content
	plan     []Change      // all that the switch shall have, made or not
	beside   bool          // others are at work: what the rendering has left out, because it was there, may be gone
	flight   []Change      // of the last Set
	longest  time.Duration // that one Set may take; 0: as the client's options say
}

var _ backend.Device[Trees, Change] = (*device)(nil)

// Noun is values: a change is of the value at a path.
func (d *device) Noun() string { return "values" }

// Mismatch counts the changes and names the first.
func (d *device) Mismatch(changes []Change) string {
	return fmt.Sprintf("%d of %d, first %s", len(changes), len(d.plan), changes[0].Path)
}

// Confirmer is the client, where Sets are sent as commits.
func (d *device) Confirmer() backend.Confirmer {
	if sent, _ := d.Commits(); !sent {
		return nil
	}
	return d.Client
}

// Keeps asks the client. SONiC's server does not read the extension of commits (sonic-gnmi 5ec1c20b). Its rendering has
// only what the tables did not have when they were read, which may be nothing, and from now on Read renders once more.
func (d *device) Keeps(ctx context.Context) error {
	if d.language.overwrites() { // CONFIG_DB
		d.beside = true
		return nil
	}
	if len(d.plan) == 0 {
		return nil
	}
	return d.Client.Keeps(ctx)
}

// Wait waits as the client does.
func (d *device) Wait(ctx context.Context, _ int) bool { return d.WaitForAnswer(ctx) }

// numbered numbers the phases of changes.
func numbered(changes []Change) []Change {
	for i := range changes {
		switch {
		case i == 0:
			changes[i].number = 1
		case changes[i].Phase != changes[i-1].Phase:
			changes[i].number = changes[i-1].number + 1
		default:
			changes[i].number = changes[i-1].number
		}
	}
	return changes
}

// Diff lists the changes of the plan that are not made.
func (d *device) Diff(now Trees) []Change {
	var out []Change
	for _, c := range d.plan {
		if v := now.at(c.update.Path); !c.made(v) {
			c.From = jsonText(v)
			out = append(out, c)
		}
	}
	return numbered(out)
}

// Restore lists the changes that give every path of the plan the value back that
// it had. It is deleted where it was not there.
func (d *device) Restore(now, before Trees) []Change {
	var out []Change
	for _, c := range d.plan {
		v, was := now.at(c.update.Path), before.at(c.update.Path)
		if jsonText(v) != jsonText(was) {
			out = append(out, c.to(v, was))
		}
	}
	return out
}

// to is the change of the same path from one value to another, as a whole.
func (c Change) to(from, to any) Change {
	c.update.JSON = nil
	if to != nil {
		c.update.JSON = []byte(jsonText(to))
	}
	c.before, c.after, c.whole = from, to, true
	c.From, c.To = jsonText(from), jsonText(to)
	return c
}

// Pending divides changes that are to be sent by what the switch has now. An update that leaves
// what is beside it stays possible when others have changed that.
func (d *device) Pending(now Trees, changes []Change) (left, others []Change) {
	for _, c := range changes {
		v := now.at(c.update.Path)
		foreign := !c.untouched(v)
		if foreign && d.merges(&c) {
			_, foreign = takenBack(v, c.before, d.result(&c))
		}
		made := c.made(v)
		c.From = jsonText(v)
		switch {
		case made:
		case foreign:
			others = append(others, c)
		default:
			c.before = v
			left = append(left, c)
		}
	}
	return left, others
}

// Undo divides changes that were sent by what the switch has now. What others have added to an
// object stays, and so does an entry that others need since.
func (d *device) Undo(now Trees, sent []Change) (undo, others []Change) {
	for _, c := range sent {
		v := now.at(c.update.Path)
		back, foreign := takenBack(v, c.before, d.result(&c))
		if foreign {
			others = append(others, c.to(v, c.before))
		}
		if !same(v, back) {
			undo = append(undo, c.to(v, back))
		}
	}
	undo, kept := keepNeeded(now, undo)
	return undo, append(others, kept...)
}

// merges tells whether a change leaves what is beside it in an object.
func (d *device) merges(c *Change) bool {
	return c.after != nil && !c.whole && !d.language.overwrites()
}

// result is the value at a path after a change of the previous value.
func (d *device) result(c *Change) any { return merged(c.before, c.after, d.merges(c)) }

// merged is the value at a path after an update. Members of the previous value that the update does not name stay,
// unless the switch overwrites the whole value.
func merged(before, after any, beside bool) any {
	if !beside || before == nil {
		return after
	}
	was, err := jsontree.Decode([]byte(jsonText(before))) // Merge reuses it
	if err != nil {
		panic("native: " + err.Error()) // it was JSON
	}
	return jsontree.Merge(was, after)
}

// takenBack undoes a change in a value of the switch, leaf by leaf. A leaf that still has the value of the change gets
// its previous value. A leaf that another client has changed since stays, and foreign is true. The leaves of a marking
// curve belong together: if another client has changed one of them, takenBack restores none.
func takenBack(now, before, made any) (back any, foreign bool) {
	switch {
	case same(made, before), same(now, before): // nothing of it is the change's
		return now, false
	case same(now, made):
		return before, false
	}
	object, ok := now.(map[string]any)
	was, had := before.(map[string]any)
	is, makes := made.(map[string]any)
	if !ok || !had && before != nil || !makes && made != nil || isCurve(is) || isCurve(was) {
		return now, true
	}
	out, names := map[string]any{}, map[string]bool{}
	for _, m := range []map[string]any{object, was, is} {
		for name := range m {
			names[name] = true
		}
	}
	for name := range names {
		v, other := takenBack(object[name], was[name], is[name])
		if foreign = foreign || other; v != nil {
			out[name] = v
		}
	}
	if len(out) == 0 && before == nil {
		return nil, foreign
	}
	return out, foreign
}

// isCurve tells whether an object has the lower and the upper threshold of a marking curve, as an entry of SONiC's
// WRED_PROFILE has.
func isCurve(object map[string]any) bool {
	low, high := false, false
	for name := range object {
		threshold := strings.Contains(name, "threshold")
		low, high = low || threshold && strings.Contains(name, "min"), high || threshold && strings.Contains(name, "max")
	}
	return low && high
}

// same compares two trees by value, lists in any order.
func same(a, b any) bool { return jsontree.Contains(a, b) && jsontree.Contains(b, a) }

// Phases are those of the rendering. What is restored is restored in the opposite order.
func (d *device) Phases(changes []Change, restore bool) []backend.Phase[Change] {
	label := "sending to " + d.Name()
	if restore {
		changes, label = slices.Clone(changes), "restoring "+d.Name()
		slices.Reverse(changes)
	}
	var out []backend.Phase[Change]
	for i, c := range changes {
		if i == 0 || c.number != changes[i-1].number {
			out = append(out, backend.Phase[Change]{Number: c.number, Restore: restore, Label: label})
		}
		last := &out[len(out)-1]
		last.Changes = append(last.Changes, c)
	}
	return out
}

// Send sends one Set, and waits if it is not answered: see gnmi.Client.Deliver. The commit of the phase before is
// confirmed first, because a switch has one commit at a time.
func (d *device) Send(ctx context.Context, phase backend.Phase[Change]) error {
	if _, err := d.Confirm(ctx); err != nil {
		return err
	}
	d.flight = phase.Changes
	return d.Deliver(ctx, d.request(phase.Changes), d.longest,
		func(ctx context.Context) (holds, whole, untouched bool, err error) {
			now, err := d.Read(ctx)
			if err != nil {
				return false, false, false, err
			}
			holds, untouched = all(d.flight, now, (*Change).made), all(d.flight, now, (*Change).untouched)
			return holds, d.Settled(now), untouched, nil
		})
}

// Settled tells whether the Set that was sent last would change nothing of what the switch has now, nor take away what
// others have beside its values: a Set of CONFIG_DB writes each entry, or each table, as a whole.
func (d *device) Settled(now Trees) bool {
	return all(d.flight, now, func(c *Change, v any) bool {
		return c.made(v) && (c.after == nil || d.merges(c) || same(v, c.after))
	})
}

// all tells whether something holds of each change and the value at its path.
func all(changes []Change, now Trees, holds func(*Change, any) bool) bool {
	for i := range changes {
		if !holds(&changes[i], now.at(changes[i].update.Path)) {
			return false
		}
	}
	return true
}
