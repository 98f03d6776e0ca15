package native

import (
	"context"
	"fmt"
	"slices"
	"time"

	"google.golang.org/grpc/codes"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/gnmi"
)

// device is a switch and the changes that make a plan of it: what the engine of
// package backend drives.
type device struct {
	client   *gnmi.Client
	language Language
	plan     []Change // all that differed when the switch was first read
	longest  time.Duration
	late     bool // a Set was not answered in time: the switch may be at work on it
}

var _ backend.Device[Reading, Change] = (*device)(nil)

// Name is the client's.
func (d *device) Name() string { return d.client.Name() }

// Noun is values: a change is of the value at a path.
func (d *device) Noun() string { return "values" }

// Mismatch counts the changes and names the first.
func (d *device) Mismatch(changes []Change) string {
	return fmt.Sprintf("%d of %d, first %s", len(changes), len(d.plan), changes[0].Path)
}

// Recovery is long enough for a configuration updater that makes a Set in steps.
func (d *device) Recovery() time.Duration { return 5 * time.Minute }

// Confirmer is the client's, where Sets are sent as commits.
func (d *device) Confirmer() backend.Confirmer {
	if !d.client.Commits() {
		return nil
	}
	return confirmer{d.client, d}
}

// confirmer confirms and cancels the commit of a device.
type confirmer struct {
	*gnmi.Client
	device *device
}

// Cancel has the switch undo the commit. A switch that did is no longer at work.
func (c confirmer) Cancel(ctx context.Context) (bool, error) {
	undone, err := c.Client.Cancel(ctx)
	if undone {
		c.device.late = false
	}
	return undone, err
}

// Late tells whether a Set was not answered in time.
func (d *device) Late() bool { return d.late }

// Wait waits as long as the client waits between two attempts.
func (d *device) Wait(ctx context.Context, readings int) bool {
	return d.client.WaitToRetry(ctx, readings)
}

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
func (d *device) Diff(now Reading) []Change {
	var out []Change
	for _, c := range d.plan {
		if v := now.at(c.update.Path); !c.made(v) {
			c.From = jsonText(v)
			out = append(out, c)
		}
	}
	return out
}

// Restore lists the changes that give every path of the plan the value back that
// it had. It is deleted where it was not there.
func (d *device) Restore(now, before Reading) []Change {
	var out []Change
	for _, c := range d.plan {
		v, was := now.at(c.update.Path), before.at(c.update.Path)
		if jsonText(v) == jsonText(was) {
			continue
		}
		c.update.JSON = nil
		if was != nil {
			c.update.JSON = []byte(jsonText(was))
		}
		c.before, c.after, c.whole = v, was, true
		c.From, c.To = jsonText(v), jsonText(was)
		out = append(out, c)
	}
	return out
}

// Phases are those of the rendering. What is restored is restored in the
// opposite order.
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

// Send sends one Set, and again if it is known not to have arrived: see
// gnmi.Client.Deliver. The commit of the phase before is confirmed first, because a
// switch has one commit at a time.
func (d *device) Send(ctx context.Context, phase backend.Phase[Change]) error {
	if err := d.client.Confirm(ctx); err != nil {
		return err
	}
	err := d.client.Deliver(ctx, d.request(phase.Changes), d.longest, func(ctx context.Context) (gnmi.Effect, error) {
		now, err := d.Read(ctx)
		switch {
		case err != nil:
			return gnmi.MadeInPart, err
		case all(phase.Changes, now, (*Change).made):
			return gnmi.Made, nil
		case all(phase.Changes, now, (*Change).untouched):
			return gnmi.NotMade, nil
		}
		return gnmi.MadeInPart, nil
	})
	d.late = d.late || err != nil && slices.Contains(unanswered, codeOf(err))
	return err
}

// unanswered are the codes after which the switch may still be at work: gRPC
// gives them when an answer did not come.
var unanswered = []codes.Code{codes.DeadlineExceeded, codes.Canceled, codes.Unavailable}

// all tells whether something holds of each change and the value at its path.
func all(changes []Change, now Reading, holds func(*Change, any) bool) bool {
	for i := range changes {
		if !holds(&changes[i], now.at(changes[i].update.Path)) {
			return false
		}
	}
	return true
}
