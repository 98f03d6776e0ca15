package push

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/gnmi/qos"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/cli"
	publish "github.com/cellwarden/cellwarden/report"
)

// This file prints the report of a push of registers, as tables and as JSON.

// ApplyJSON is the report of a push as JSON.
type ApplyJSON struct {
	Schema      string        `json:"schema"`
	Set         []string      `json:"set,omitempty"` // changes of the topology
	Device      string        `json:"device"`
	State       string        `json:"state"`
	Error       string        `json:"error,omitempty"`
	Target      string        `json:"target,omitempty"`   // what the switch reported about itself
	Unsaid      []string      `json:"not_said_by_target"` // what of the chip and the ports could not be compared
	Lacking     []string      `json:"not_in_journal,omitempty"`
	Commit      string        `json:"commit,omitempty"`  // whether it undoes an unconfirmed push
	Journal     string        `json:"journal,omitempty"` // file of the journal; empty: nothing was sent, or it is off
	Files       []writtenJSON `json:"files,omitempty"`   // that were written in place of sending, in their order
	Profile     string        `json:"profile,omitempty"`
	Lossless    bool          `json:"lossless_by_this_push"`
	Steps       []string      `json:"steps"`
	Gaps        []gapJSON     `json:"not_expressible"`
	Numbers     []numberJSON  `json:"numbers"`
	Needs       []string      `json:"needed_besides"` // on the switch, for the sent values to take effect
	Holds       string        `json:"holds"`          // what the device had when it was read last
	Undo        bool          `json:"undo,omitempty"` // applied is that the values from before the push are back
	Differences []string      `json:"differences"`
	Others      []string      `json:"changed_by_others"` // what this push did not write, back to the previous values
	LeftAlone   []string      `json:"ports_left_alone"`
	Native      *nativeJSON   `json:"native,omitempty"` // native values
	// Shares are what the weights of queues make of groups; absent: there are no groups, or no weights are sent.
	Shares []publish.Schedule `json:"ets,omitempty"`
}

type gapJSON struct {
	Register string `json:"register"`
	Count    int    `json:"count"`
	Why      string `json:"why"`
}

// credits tells whether the plan has virtual channels with credits.
func (p *Push) credits() bool {
	return slices.ContainsFunc(p.want, func(s buffer.Setting) bool { return s.Kind.OfCredits() })
}

func (p *Push) document(err error) ApplyJSON {
	r := p.Report
	egress, needed := p.in.NotWritten()
	d := ApplyJSON{Schema: "cellwarden.apply/v1", Set: p.set, Device: r.Device, State: string(r.State),
		Steps:    texts(r.Steps),
		Lossless: p.sim && len(r.Gaps) == 0 && !needed && !p.credits(),
		Gaps:     []gapJSON{}, Numbers: []numberJSON{}, Needs: []string{}, Differences: texts(r.Differences),
		Holds: p.words().of(r.Has), Undo: p.undo, Others: texts(r.Others),
		Unsaid: append([]string{}, p.unsaid...), Lacking: p.lacking,
		LeftAlone: append([]string{}, r.LeftAlone...)}
	for _, g := range p.gaps() {
		d.Gaps = append(d.Gaps, gapJSON{g.Kind.String(), g.Count, g.Why})
	}
	if egress != "" {
		d.Gaps = append(d.Gaps, gapJSON{egress, 0, buffer.EgressNotWritten})
	}
	if p.met != nil {
		d.Target = p.met.String()
	}
	d.Commit, d.Journal, d.Files = p.commit, p.wrote, p.files
	if p.changes != nil {
		p.changes.fill(p, &d)
	}
	if err != nil {
		d.Error = err.Error()
	}
	return d
}

// fill writes the outcome of every register into the JSON report.
func (c *RegisterChanges) fill(p *Push, d *ApplyJSON) {
	if c.Compat == nil {
		return
	}
	d.Profile, d.Lossless, d.Numbers = c.Compat.Profile.Name, p.sends(c.Compat), numbersDocument(c.Compat)
	d.Shares = sharesDocument(c.shares)
	for _, q := range c.Compat.Prerequisites() {
		d.Needs = append(d.Needs, q.Text)
	}
}

// gaps counts the registers that are not expressible, by kind.
func (p *Push) gaps() []backend.Gap {
	c, ok := p.changes.(*RegisterChanges)
	if !ok || c.Compat == nil {
		return p.Report.Gaps
	}
	counts := map[buffer.Kind]int{}
	for _, n := range c.Compat.Registers {
		if n.Outcome == qos.Inexpressible {
			counts[n.Kind]++
		}
	}
	var out []backend.Gap
	for _, k := range slices.Sorted(maps.Keys(counts)) {
		out = append(out, backend.Gap{Kind: k, Count: counts[k], Why: c.Compat.Profile.Rule(k).Reason()})
	}
	return out
}

func texts(steps []buffer.Step) []string {
	out := make([]string, len(steps))
	for i, s := range steps {
		out[i] = s.String()
	}
	return out
}

// text is the report as tables.
func (p *Push) text(err error) *cli.Screen {
	what := p.changes
	if what == nil {
		what = &RegisterChanges{Push: p}
	}
	out := what.text(p, err)
	out.Head[0] += cli.ChangedText(p.set)
	return out
}

// text is the report of registers, over OpenConfig or of a simulated ASIC.
func (c *RegisterChanges) text(p *Push, err error) *cli.Screen {
	r := p.Report
	out := &cli.Screen{Head: []string{p.headline(r.Device, r.State), "  " + p.stateText(err)}}
	if c.Compat != nil && len(c.Compat.Layout) == 0 && err == nil {
		out.Head[1] = "  nothing was sent: this kind of switch cannot express any register of the plan over OpenConfig"
	}
	if !p.sim && p.dial.Target == "" {
		out.Head = []string{r.Device + " (" + p.profile.Title + "): no switch was contacted, nothing was sent"}
	}
	if p.met != nil {
		out.Head = append(out.Head, "  "+p.met.String())
	}
	for _, text := range []string{unsaidText(p.unsaid), unrecordedText(p.lacking)} {
		if text != "" {
			out.Head = append(out.Head, "  "+text)
		}
	}
	if p.commit != "" {
		out.Head = append(out.Head, "  "+p.commit)
	}
	if len(r.Steps) > 0 {
		title := "Changes"
		if r.State != backend.Applied {
			title = "Planned changes"
		}
		out.Sections = append(out.Sections, cli.StepSection("changes", title, r.Steps, c.reach))
	}
	if len(r.Differences) > 0 && len(r.Others) == 0 {
		out.Sections = append(out.Sections, cli.StepSection("differences", differencesTitle(r.State, r.Has),
			r.Differences, c.reach))
	}
	if len(r.Others) > 0 {
		out.Sections = append(out.Sections, cli.StepSection("others", othersTitle, r.Others, c.reach))
	}
	if len(r.LeftAlone) > 0 {
		out.Foot = append(out.Foot, "left alone, because the topology does not name them (--prune resets them): "+
			buffer.FoldPorts(r.LeftAlone))
	}
	if c.Compat != nil {
		out.Sections = append(out.Sections, statementSections(c.Compat, p.opt.DryRun)...)
		addShares(out, c.shares, &p.in)
		out.Foot = append(out.Foot, fmt.Sprintf("%s of the plan: %d sent as planned, %d rounded, %d not expressible",
			cli.Plural(len(c.Compat.Registers), "register", "registers"),
			c.Compat.Count(qos.Sent), c.Compat.Count(qos.Rounded), c.Compat.Count(qos.Inexpressible)),
			losslessText(c.Compat, &p.in))
	}
	if p.sim && p.credits() {
		out.Foot = append(out.Foot, "credits (CBFC): the registers are set; whether the neighbours count credits is not "+
			"checked: see verify")
	}
	if what, _ := p.in.NotWritten(); what != "" {
		out.Foot = append(out.Foot, "not sent: "+what+": "+buffer.EgressNotWritten)
	}
	return out
}

// differencesTitle tells what the differences of a push are from: from the plan where the push was
// undone, and from the previous values where it could not be. A resumed push that cancelled a commit and
// made nothing else names what is left.
func differencesTitle(s backend.State, has backend.Content) string {
	switch {
	case s == backend.Partial && has == backend.HasBefore:
		return "Left to be changed: present values, and those to come"
	case s == backend.Partial || s == backend.Unknown:
		return "Differences: present and previous values"
	}
	return "Differences: present and planned values"
}

// othersTitle is the title of what this push did not write.
const othersTitle = "Not written by this push, and left: present and previous values"

// reach is the traffic that a step may stop. It comes from the target's profile, or
// else is the worst case of all vendors for this kind of register.
func (c *RegisterChanges) reach(s buffer.Step) buffer.Disruption {
	if c.Compat != nil {
		return c.Compat.Profile.Disruption(s.Kind)
	}
	return s.Disruption()
}

// headline names the device and the state in which it was left. An undoing that succeeded is not called applied.
func (p *Push) headline(device string, state backend.State) string {
	if p.undo && state == backend.Applied {
		return device + ": undone"
	}
	return fmt.Sprintf("%s: %s", device, state)
}

// wording is what the contents of a device are called in a report.
type wording struct {
	goal, before string // what the push leads to, and what the device had when it began
	again        string // what to run if the state is not known
}

// words are those of a push, of one that is resumed, or of one that is undone.
func (p *Push) words() wording {
	if !p.resumes {
		return wording{string(backend.HasPlan), string(backend.HasBefore), "Run apply again later: apply compares first"}
	}
	text := backend.Resume{Undo: p.undo}.Words()
	return wording{text[backend.HasPlan], text[backend.HasBefore], "Run resume again later: resume reads the switch first"}
}

// of is what a content is called.
func (w wording) of(has backend.Content) string {
	switch has {
	case backend.HasPlan:
		return w.goal
	case backend.HasBefore:
		return w.before
	case backend.HasNeither:
		return "neither " + w.goal + " nor " + w.before
	}
	return string(has)
}

// nothingLeft describes a push that had nothing to send; empty: it is none that is resumed.
func (p *Push) nothingLeft() string {
	switch {
	case !p.resumes:
		return ""
	case p.undo:
		return "nothing remains to be done: the values of the push are those from before it; nothing was sent"
	}
	return "nothing remains to be done: the values of the push are as planned; nothing was sent"
}

// changed describes a push that succeeded.
func (p *Push) changed(what, unit string) string {
	if p.undo {
		what += " have the values from before the push again"
	} else {
		what += " changed"
	}
	return what + ", read back and found equal" + unit
}

// stateText describes how a push of registers ended.
func (p *Push) stateText(err error) string {
	r := p.Report
	switch r.State {
	case backend.Unchanged:
		switch {
		case err != nil:
			return "nothing was sent"
		case p.opt.DryRun && len(r.Steps) > 0:
			return fmt.Sprintf("dry run: nothing was sent; %s would change", cli.Plural(len(r.Steps), "register", "registers"))
		}
		return cmp.Or(p.nothingLeft(),
			"the device already holds every value of the plan that it can express; nothing was sent")
	case backend.Applied:
		return p.changed(cli.Plural(len(r.Steps), "register", "registers"), ", in cells")
	}
	return p.failedText(r.State, r.Has, len(r.Differences), len(r.Others), "register", "registers", err)
}

// failedText describes how a push that failed left the device: by what was read, compared with
// the plan and with the previous values.
func (p *Push) failedText(s backend.State, has backend.Content, differ, others int, one, many string,
	err error) string {
	w := p.words()
	switch {
	case s == backend.Refused:
		return refusedText(w, has, cli.Plural(others, one, many), err)
	case s == backend.RolledBack:
		return "the changes were undone. The device was read back and holds " + w.before
	case s == backend.Partial && has == backend.HasPlan:
		return "the device was read back and holds exactly " + w.goal +
			". The push failed all the same, and it could not be " +
			"undone"
	case s == backend.Partial && others == 0 && has == backend.HasBefore:
		return fmt.Sprintf("a commit of this push was cancelled. Nothing else was changed: %s are left",
			cli.Plural(differ, one, many))
	case s == backend.Partial && others > 0:
		done := "the changes of this push were undone. "
		if differ == 0 { // a push that was resumed
			done = "all else was done. "
		}
		return done + fmt.Sprintf("Values that this push did not write were left: %d. Another client wrote them, or the device "+
			"stores other values than it is sent", others)
	case s == backend.Partial:
		return fmt.Sprintf("the device holds %s: %s differ from the previous ones", w.of(backend.HasNeither),
			cli.Plural(differ, one, many))
	case has == backend.NotRead:
		return fmt.Sprintf("the device could not be read. It may hold %s, %s, or a mixture. %s", w.goal, w.before, w.again)
	default:
		return fmt.Sprintf("the device held %s when it was read last, and may still be working on a Set. %s", w.of(has),
			w.again)
	}
}

// refusedText describes a push of which nothing was made.
func refusedText(w wording, has backend.Content, others string, err error) string {
	out := "the Set failed and changed nothing"
	switch {
	case errors.Is(err, backend.ErrRefused):
		out = "the device refused the change"
	case errors.Is(err, backend.ErrMismatch):
		out = "the device accepted the change and did not store it"
	}
	if has == backend.HasBefore {
		return out + ". It was read back and holds " + w.before
	}
	return out + ". It was read back: meanwhile another client changed " + others
}
