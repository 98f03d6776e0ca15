package push

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/gnmi/push"
	"github.com/cellwarden/cellwarden/backend/gnmi/qos"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/cli/diff"
	"github.com/cellwarden/cellwarden/internal/unnamed"
	"github.com/cellwarden/cellwarden/report"
)

// This file prints the report of a push: of registers and of native values, of apply and of resume.

// document is the report as JSON. err is the error of the push, whose text and kind the document has. The result is
// not nil: an error without one has decided on its exit code in explained, and has no report.
func (d *deviceRun) document(err error) report.ApplyDocument {
	out := d.result.Document(err)
	out.Set = d.set
	for _, f := range d.files {
		x := unnamed.Add(&out.Files)
		x.File, x.Purpose = f.Name, f.Purpose
	}
	return out
}

// report prints how a push ended, with further lines at its end, and ends the command. The report is printed for a
// failed push as well: it says how the device was left. An error of the output wins over that of the push in the exit
// code. An error that has decided on its code comes before the device was read, so there is no state to report.
func (d *deviceRun) report(cmd *cobra.Command, err error, foot ...string) error {
	if _, decided := cli.DecidedCode(err); decided {
		return err
	}
	out := d.text(err)
	out.Foot = append(out.Foot, foot...)
	if printed := out.Write(cmd.OutOrStdout(), d.format, d.document(err)); printed != nil {
		return cli.ExitWith(cli.ExitFailure, printed)
	}
	return d.ended(err)
}

// pushTables are the tables that the report of a push can have.
var pushTables = []string{"verdict", "changes", "differences", "sent", "rounded", "not-sent", "needs-reload", "needed",
	"before", "switches"}

// text is the report as tables. A dry run lists every native value; otherwise values of one kind share a row. The
// tables are those that pushTables lists, as far as this push has them. err decides the colour of the head and the
// sentence about the state.
func (d *deviceRun) text(err error) *cli.Screen {
	out := &cli.Screen{Head: d.head(err), Mood: cli.MoodOf(err == nil),
		Sections: []cli.Section{holdsSection(d.result, d.DryRun)}}
	d.addChanges(out)
	if d.result.Rendering != nil {
		d.addNative(out)
	} else {
		d.addRegisters(out)
	}
	return out.WithoutEmpty()
}

// head are the first lines: the device, its state, and what is known of it. The first two lines are the device with its
// state, and a sentence about what that means.
func (d *deviceRun) head(err error) []string {
	r := d.result
	out := []string{d.headline() + cli.ChangedText(d.set)}
	if !d.sim && d.Dial.Address == "" {
		out[0] = r.Device + " (" + r.Profile.Title + "): no switch was contacted, nothing was sent" + cli.ChangedText(d.set)
	} else {
		out = append(out, "  "+d.stateText(err))
	}
	for _, f := range d.files {
		out = append(out, "  wrote "+f.Name+": "+f.Purpose)
	}
	// The first and the last place are filled below, so that the order of the lines is seen here.
	// A journal of an earlier version does not have all of the plan. Such a push is resumed all the same: the switch
	// itself was compared as far as the journal goes.
	lines := []string{"", unsaidText(r.Unsaid), notCompared("the journal does not have it", "the plan's ", r.Unrecorded),
		r.Commit, ""}
	if r.Probe != nil {
		lines[0] = r.Probe.String()
	}
	if r.Version != "" {
		lines[4] = "version " + r.Version
	}
	for _, line := range lines {
		if line != "" {
			out = append(out, "  "+line)
		}
	}
	return out
}

// headline names the device and the state in which it was left. An undoing that succeeded is not called applied. The
// state is the engine's word for it. Applied is the state of a resumption that did what it was asked for, which with
// --undo is the undoing.
func (d *deviceRun) headline() string {
	if d.result.Undo && d.result.State == backend.Applied {
		return d.result.Device + ": undone"
	}
	return fmt.Sprintf("%s: %s", d.result.Device, d.result.State)
}

// unsaidText names what was not compared, because the switch did not say it; empty: there is nothing. It keeps a
// claim of equality from covering what nobody could compare. The parts are those of the chip and the ports: see
// push.Result.
func unsaidText(unsaid []string) string {
	return notCompared("the switch does not say it", "its ", unsaid)
}

// notCompared names what was not compared and why; empty: there is nothing.
func notCompared(why, of string, parts []string) string {
	if len(parts) == 0 {
		return ""
	}
	return "not compared, because " + why + ": " + of + strings.Join(parts, ", "+of)
}

// addChanges adds the changes, the differences after them, and the changes of others. Changes are what this push made
// or would make, differences what was read back otherwise, others what somebody else wrote.
func (d *deviceRun) addChanges(out *cli.Screen) {
	r := d.result
	out.Sections = append(out.Sections, d.changeSection("changes", d.changesTitle(), r.Changes, d.DryRun))
	// Where others have written too, the differences are theirs as well: the table of the others says more.
	if len(r.Others) == 0 {
		out.Sections = append(out.Sections, d.changeSection("differences", differencesTitle(r), r.Differences, true))
	}
	out.Sections = append(out.Sections, d.changeSection("others",
		"Not written by this push, and left: present and previous values", r.Others, true))
}

// changesTitle is the title of the changes: made, remaining or planned. A push that is resumed has only what remained
// of it. A push that failed has planned changes: what became of them is in the tables after it.
func (d *deviceRun) changesTitle() string {
	r, title := d.result, "Changes"
	switch {
	// The changes were made, and the title stays as it is.
	case r.State == backend.Applied:
	case r.Resumed && r.Rendering != nil:
		title = "Remaining changes"
	default:
		title = "Planned changes"
	}
	if r.Rendering != nil {
		title += " of native configuration (" + r.Rendering.Dialect + ")"
	}
	return title
}

// changeSection lists changes: steps of registers, all native values, or the number of native values by kind. It prints
// "unknown" for the previous values of a switch that was not read. every lists each native value; a dry run does, since
// its reader decides by them.
func (d *deviceRun) changeSection(name, title string, changes []push.Change, every bool) cli.Section {
	if d.result.Rendering == nil {
		return stepSection(name, title, changes)
	}
	if !every {
		return kindSection(name, title, changes)
	}
	// A value that a switch does not have is a dash; one that was not read is unknown. Probe is nil where no switch was
	// read. A configuration of --current is read, too.
	nothing := "-"
	if d.result.Probe == nil && d.sonic.Current == nil {
		nothing = "unknown"
	}
	s := cli.Table(name, title, "path", "may stop", "now", "after")
	for _, c := range changes {
		s.Row(c.Path, c.Reach.String(), cmp.Or(c.From, nothing), cli.Dash(c.To))
	}
	return s
}

// stepSection lists steps of registers, with the traffic that each may stop. What a step may stop is the device's own,
// as its profile says, and not the chip's.
func stepSection(name, title string, changes []push.Change) cli.Section {
	steps, reach := make([]buffer.Step, len(changes)), map[buffer.Step]buffer.Disruption{}
	for i, c := range changes {
		steps[i], reach[c.Step] = c.Step, c.Reach
	}
	return diff.StepSection(name, title, steps, func(s buffer.Step) buffer.Disruption { return reach[s] })
}

// differencesTitle tells what the differences of a push are from: from the plan where the push was
// undone, and from the previous values where it could not be. A resumed push that cancelled a commit and
// made nothing else names what is left.
func differencesTitle(r *push.Result) string {
	switch {
	case r.State == backend.Partial && r.Has == backend.HasBefore:
		return "Left to be changed: present values, and those to come"
	case r.State == backend.Partial || r.State == backend.Unknown:
		return "Differences: present and previous values"
	}
	return "Differences: present and planned values"
}

// addRegisters adds the outcome of every register, over OpenConfig or of a simulated ASIC. The last lines count the
// outcomes of all registers and end with the verdict.
func (d *deviceRun) addRegisters(out *cli.Screen) {
	r, in := d.result, &d.plan.Intent
	if len(r.LeftAlone) > 0 {
		out.Foot = append(out.Foot, "left alone, because the topology does not name them (--prune resets them): "+
			buffer.FoldPorts(r.LeftAlone))
	}
	if c := r.Compatibility; c != nil {
		out.Sections = append(out.Sections, statementSections(c, d.DryRun)...)
		addShares(out, r.Shares, in)
		out.Foot = append(out.Foot, fmt.Sprintf("%s of the plan: %d sent as planned, %d rounded, %d not expressible",
			cli.Plural(len(c.Registers), "register", "registers"), c.Count(qos.Sent), c.Count(qos.Rounded),
			c.Count(qos.Inexpressible)), r.Verdict)
	}
	// Credits are counted by both ends of a cable, and the simulated ASIC has no neighbours.
	if d.sim && d.credits() {
		out.Foot = append(out.Foot, "credits (CBFC): the registers are set; whether the neighbours count credits is not "+
			"checked: see verify")
	}
	// what are pools of the egress, limits of queues and trimming: a layout has no registers for them.
	if what, _ := in.NotWritten(); what != "" {
		out.Foot = append(out.Foot, "not sent: "+what+": "+buffer.EgressNotWritten)
	}
}

// addNative adds what the native configuration cannot express, what needs a reload, and the verdict. The verdict is
// about lossless groups: whether this push brings all that they need.
func (d *deviceRun) addNative(out *cli.Screen) {
	r := d.result
	out.Sections = append(out.Sections, waitingSection(r.Rendering.Waiting, d.DryRun),
		omittedSection(r.Rendering.Omitted))
	addShares(out, r.Shares, &d.plan.Intent)
	out.Foot = append(out.Foot, cli.Prefixed("note: ", r.Rendering.Notes)...)
	// A resumed push has the values of its journal and not the whole plan, so it proves nothing about lossless
	// groups.
	if r.Resumed {
		return
	}
	if !r.Profile.NativeOnly() && d.file.to == "" {
		out.Foot = append(out.Foot, "run cellwarden apply without --native to send the registers that OpenConfig can express")
	}
	// The verdict comes last, because a reader of a terminal sees the end.
	verdict := r.Verdict + reloadAdvice(r)
	if r.Lossless && d.file.to != "" {
		verdict = "everything that the lossless groups need is on the switch or in these files"
	}
	out.Foot = append(out.Foot, verdict)
}
