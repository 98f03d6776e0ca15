package push

import (
	"errors"
	"fmt"
	"slices"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/gnmi/push"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/cli"
)

// This file says in a sentence how a push left the device.

// credits tells whether the plan has virtual channels with credits.
func (d *deviceRun) credits() bool {
	return slices.ContainsFunc(d.plan.Layout, func(s buffer.Setting) bool { return s.Kind.OfCredits() })
}

// counted is a number of changes with its noun: registers, or values. A push is of one of the two, never of both.
func (d *deviceRun) counted(changes []push.Change) string {
	if d.result.Rendering != nil {
		return cli.Plural(len(changes), "value", "values")
	}
	return cli.Plural(len(changes), "register", "registers")
}

// stateText describes how the push ended. It claims nothing that was not read. err is that of the push; nil: it ended
// as it was to.
func (d *deviceRun) stateText(err error) string {
	r := d.result
	switch c := r.Compatibility; {
	case c != nil && len(c.Layout) == 0 && err == nil:
		return "nothing was sent: this kind of switch cannot express any register of the plan over OpenConfig"
	case r.State == backend.Unchanged && err != nil:
		return d.sentNothing()
	case r.State == backend.Unchanged && len(r.Changes) > 0 && (d.DryRun || r.Rendering != nil):
		return "dry run: nothing was sent; " + d.counted(r.Changes) + " would change"
	case r.State == backend.Unchanged:
		return d.nothingLeft()
	case r.State == backend.Applied:
		return d.changed()
	}
	return d.failedText(err)
}

// nothingLeft describes a push that had nothing to send. What the switch cannot express, or takes only with a reload,
// is not part of the claim. An undoing comes first, since it is resumed too.
func (d *deviceRun) nothingLeft() string {
	switch r := d.result; {
	case r.Undo:
		return "nothing remains to be done: the values of the push are those from before it; " + d.sentNothing()
	case r.Resumed:
		return "nothing remains to be done: the values of the push are as planned; " + d.sentNothing()
	case r.Rendering != nil:
		return "the switch already holds every value of the plan that it accepts without a reload; " + d.sentNothing()
	}
	return "the device already holds every value of the plan that it can express; " + d.sentNothing()
}

// sentNothing says what was sent of a push that has changed nothing: Sets without changes ask whether a commit waits.
func (d *deviceRun) sentNothing() string {
	if d.result.Sets > 0 {
		return "no change was sent"
	}
	return "nothing was sent"
}

// changed describes a push that succeeded. Registers are compared in cells, native values as texts.
func (d *deviceRun) changed() string {
	if len(d.result.Changes) == 0 && d.result.Undo { // see journal.Push.Resume
		return "the commit of the push was cancelled, and none waits any more: the values of the push are those from before " +
			"it, read back and found equal"
	}
	if len(d.result.Changes) == 0 && !d.result.Resumed {
		return "the device already held every value of the plan that it can express, and keeps it now: " + d.sentNothing()
	}
	out := d.counted(d.result.Changes)
	if d.result.Undo {
		out += " have the values from before the push again"
	} else {
		out += " changed"
	}
	out += ", read back and found equal"
	if d.result.Rendering == nil {
		out += ", in cells"
	}
	return out
}

// failedText describes how a push that failed left the device: by what was read, compared with the plan and with the
// previous values. The cases go from the most exact knowledge to the least. Where a Set may still be at work, what
// was read may not stay, and the sentence says so. The state is Refused, RolledBack, Partial or Unknown here:
// stateText has answered for the others.
func (d *deviceRun) failedText(err error) string {
	r := d.result
	// The sentence is about what was read, and not about what was sent: an answer may be lost, and a device may store
	// less than it confirms. Both are words for the content, which differ for an undoing: its goal is the values from
	// before the push.
	goal, before := r.Holds(backend.HasPlan), r.Holds(backend.HasBefore)
	// Both verbs read the switch before they send anything, so neither repeats what is there.
	again := "Run apply again later: apply compares first"
	if r.Resumed {
		again = "Run resume again later: resume reads the switch first"
	}
	switch s := r.State; {
	case r.Earlier != "" && r.Has == backend.HasPlan:
		return "the device holds " + goal + " now, and may not keep it: a Set of an earlier push may still replace it"
	case s == backend.Unknown && len(r.Changes) == 0 && r.Has == backend.HasPlan:
		return "the device holds " + goal + " now, and may not keep it. No change was sent"
	case s == backend.Unknown && errors.Is(err, backend.ErrCommitWaits) && r.Has == backend.HasPlan:
		return "the device holds " + goal + " now, and may not keep it, because a commit waits"
	case s == backend.Unknown && errors.Is(err, backend.ErrCommitWaits):
		return "the device refused the change, because a commit waits. It holds what it held before this push, and may not " +
			"keep it"
	case s == backend.Refused:
		return d.refusedText(err)
	case s == backend.RolledBack:
		return "the changes were undone. The device was read back and holds " + before
	case s == backend.Partial && r.Has == backend.HasPlan:
		return "the device was read back and holds exactly " + goal + ". The push failed all the same, and it could not be " +
			"undone"
	case s == backend.Partial && len(r.Others) == 0 && r.Has == backend.HasBefore:
		return "a commit of this push was cancelled. Nothing else was changed: " + d.counted(r.Differences) + " are left"
	// A value that others wrote is left: it may be the repair of the same fault.
	case s == backend.Partial && len(r.Others) > 0:
		done := "the changes of this push were undone. "
		if len(r.Differences) == 0 { // a push that was resumed
			done = "all else was done. "
		}
		return done + fmt.Sprintf("Values that this push did not write were left: %d. Another client wrote them, or the "+
			"device stores other values than it is sent", len(r.Others))
	case s == backend.Partial:
		return fmt.Sprintf("the device holds %s: %s differ from the previous ones", r.Holds(backend.HasNeither),
			d.counted(r.Differences))
	// The state is Unknown in the last two cases.
	case r.Has == backend.NotRead:
		return fmt.Sprintf("the device could not be read. It may hold %s, %s, or a mixture. %s", goal, before, again)
	}
	return fmt.Sprintf("the device held %s when it was read last, and may still be working on a Set. %s", r.Holds(r.Has),
		again)
}

// refusedText describes a push that changed nothing. A device that refuses a Set keeps what it had (gNMI 3.4.3: a Set
// is one transaction); that was read back all the same. Its state is Refused: read back as before the push but for
// what others changed meanwhile.
func (d *deviceRun) refusedText(err error) string {
	out := "the Set failed and changed nothing"
	switch {
	case errors.Is(err, backend.ErrRefused):
		out = "the device refused the change"
	case errors.Is(err, backend.ErrMismatch):
		out = "the device accepted the change and did not store it"
	}
	// Read back as before the push: the refusal is proved, and not only reported.
	if d.result.Has == backend.HasBefore {
		return out + ". It was read back and holds " + d.result.Holds(backend.HasBefore)
	}
	return out + ". It was read back: meanwhile another client changed " + d.counted(d.result.Others)
}
