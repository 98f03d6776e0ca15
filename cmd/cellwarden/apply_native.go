package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/gnmi"
	"github.com/cellwarden/cellwarden/backend/gnmi/native"
	"github.com/cellwarden/cellwarden/backend/gnmi/profile"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/dialect"
)

// nativeFlags are the flags of a push in the switch's own words.
type nativeFlags struct {
	on    bool
	sonic sonicFlags
}

func (f *nativeFlags) register(c *cobra.Command) {
	c.Flags().BoolVar(&f.on, "native", false, "push what OpenConfig has no words for in the switch's own: CONFIG_DB of SONiC (which has no other words, so that it needs no flag), SR Linux, EOS")
	f.sonic.register(c, "what the switch tells")
	c.MarkFlagsMutuallyExclusive("sim", "native")
}

// speaks tells whether a target is spoken to in its own words: where that
// was asked for, and where there are no others.
func (f *nativeFlags) speaks(target *profile.Profile) bool {
	return f.on || target.Name == profile.SONiC
}

// longestSets is how many requests' time one Set may take: SONiC's updater makes
// a change in steps.
const longestSets = 12

// language is how a target is spoken to. Without a switch it is as if nothing
// were known of what it has.
func (f *nativeFlags) language(target *profile.Profile, plan dialect.Plan) (native.Language, *dialect.Rendering, error) {
	known, err := f.sonic.options()
	if err != nil {
		return nil, nil, err
	}
	i := slices.Index(dialectNames(), target.Dialect)
	if i < 0 {
		return nil, nil, exit{exitUsage, fmt.Errorf("--native: profile %s has no words of its own: accepted: %s", target.Name, strings.Join(nativeProfiles(), ", "))}
	}
	r := dialects[i].render(plan, known)
	if target.Dialect == "sonic" {
		return &native.SONiC{Plan: plan, Options: known}, r, nil
	}
	return &native.Fixed{Rendering: r}, r, nil
}

func nativeProfiles() []string {
	var out []string
	for _, p := range profile.All() {
		if p.Dialect != "" {
			out = append(out, p.Name)
		}
	}
	return out
}

// spoken is a push in the switch's own words.
type spoken struct {
	report  *native.Report
	profile *profile.Profile
	resumed bool   // from its journal: the plan itself is not known
	known   string // what is known of the switch; empty: nothing to know
}

// spokenTo says of the changes how far they reach on this kind of switch.
func spokenTo(target *profile.Profile, r *native.Report) *spoken {
	for i := range r.Changes {
		c := &r.Changes[i]
		c.Reach = c.Stops
		for _, k := range c.Carries {
			c.Reach = max(c.Reach, target.Disruption(k))
		}
	}
	return &spoken{report: r, profile: target}
}

// sayNative says what would be sent to a switch of which nothing is known.
func (p *push) sayNative(target *profile.Profile) error {
	_, r, err := p.native.language(target, dialect.Plan{Intent: p.in, Layout: p.want})
	if err != nil {
		return err
	}
	p.report = &backend.Report{Device: "profile " + target.Name, State: backend.Unchanged}
	p.spoken = spokenTo(target, &native.Report{State: backend.Unchanged, Rendering: r, Changes: native.Changes(r.Updates, nil)})
	if r.NotSent != "" {
		return exit{exitGaps, fmt.Errorf("nothing is sent: %s", r.NotSent)}
	}
	return p.enough()
}

// speak compares the plan with the switch and sends what differs.
func (p *push) speak(ctx context.Context, client *gnmi.Client) error {
	target := p.met.Profile
	language, _, err := p.native.language(target, dialect.Plan{Intent: p.in, Layout: p.want})
	if err != nil {
		return err
	}
	n, err := look(ctx, client, language, "nothing was sent")
	if err != nil {
		return err
	}
	n.Longest = longestSets * p.dial.timeout
	p.spoken = spokenTo(target, n.Report)
	if s, ok := language.(*native.SONiC); ok {
		p.spoken.known = s.Told
	}
	if err := p.enough(); err != nil || p.opt.DryRun {
		return err
	}
	if err := p.reaches(n.Report.Changes); err != nil {
		return err
	}
	err = p.runSpoken(ctx, n)
	p.report.State = n.Report.State
	return err
}

// look compares a plan with a switch, and says what is not done if it cannot.
func look(ctx context.Context, client *gnmi.Client, language native.Language, not string) (*native.Push, error) {
	n, err := native.Look(ctx, client, language)
	switch {
	case errors.Is(err, native.ErrPorts):
		return nil, exit{exitUsage, fmt.Errorf("%s: %w", not, err)}
	case errors.Is(err, native.ErrNotSent):
		return nil, exit{exitGaps, fmt.Errorf("%s: %w", not, err)}
	}
	return n, err
}

// enough refuses, with --strict, a push that leaves the switch not lossless.
func (p *push) enough() error {
	if r := p.spoken.report.Rendering; p.strict && (!r.Lossless() || r.NeedsReload()) {
		return fmt.Errorf("nothing was sent: %w: %s", backend.ErrGaps, losslessVerdict(r))
	}
	return nil
}

// reaches refuses changes that reach further into traffic than is allowed.
func (p *push) reaches(changes []native.Change) error {
	allowed := buffer.Disruption(slices.Index(reaches(), p.allowed))
	for _, c := range changes {
		if c.Reach > allowed {
			return exit{exitUsage, fmt.Errorf("nothing was sent: %s from %s to %s may stop the traffic of: %v; allowed: %s (--allow-disruption)", c.Path, dash(c.From), dash(c.To), c.Reach, p.allowed)}
		}
	}
	return nil
}

// runSpoken sends what differs, and writes down what is sent, as it is.
func (p *push) runSpoken(ctx context.Context, n *native.Push) error {
	if noJournal[p.journal] {
		return n.Run(ctx)
	}
	j := p.newJournal(startOfWords(p.dial.target, p.spoken.profile, p.in.Chip.Cell, n.Report.Changes))
	err := p.runWritten(ctx, n, j)
	if j.unwritten != nil {
		return j.unwritten
	}
	return err
}

func (p *push) runWritten(ctx context.Context, n *native.Push, j *journal) error {
	words := &wordsJournal{journal: j}
	n.Observer = words
	err := n.Run(ctx)
	err = errors.Join(err, words.unsaid)
	return errors.Join(err, j.end(n.Report.State, err))
}

// changeJSON is a change of a switch's own value.
type changeJSON struct {
	Path    string          `json:"path"`
	From    json.RawMessage `json:"from,omitempty"` // none: nothing is there
	To      json.RawMessage `json:"to,omitempty"`   // none: it goes
	MayStop string          `json:"may_stop,omitempty"`
}

func changesDocument(changes []native.Change) []changeJSON {
	out := make([]changeJSON, len(changes))
	for i, c := range changes {
		out[i] = changeJSON{Path: c.Path, From: json.RawMessage(c.From), To: json.RawMessage(c.To), MayStop: c.Reach.String()}
	}
	return out
}

// nativeJSON is the part of the report that is about the switch's own words.
type nativeJSON struct {
	Dialect     string        `json:"dialect"`
	Version     string        `json:"version,omitempty"` // that the switch told
	Found       []foundJSON   `json:"found,omitempty"`   // resume: what the switch had of the push
	Changes     []changeJSON  `json:"changes"`
	Waiting     []waitingJSON `json:"takes_a_reload"`
	Differences []changeJSON  `json:"differences"` // from: what was read back
	Notes       []string      `json:"notes"`
}

type waitingJSON struct {
	changeJSON
	Why      string `json:"why"`
	Critical bool   `json:"lossless_critical"`
}

// fill puts the push into the report's document.
func (s *spoken) fill(d *applyJSON) {
	r := s.report.Rendering
	own := &nativeJSON{Dialect: r.Dialect, Version: s.known, Found: foundDocument(s.report.Found), Changes: changesDocument(s.report.Changes), Waiting: []waitingJSON{},
		Differences: changesDocument(s.report.Differences), Notes: append([]string{}, r.Notes...)}
	for _, w := range r.Waiting {
		own.Waiting = append(own.Waiting, waitingJSON{changeJSON{Path: w.Path, From: json.RawMessage(w.From), To: json.RawMessage(w.To)}, w.Why, w.Critical})
	}
	for _, c := range s.report.Changes {
		d.Steps = append(d.Steps, fmt.Sprintf("%s: %s to %s", c.Path, dash(c.From), dash(c.To)))
	}
	for _, c := range s.report.Differences {
		d.Differences = append(d.Differences, fmt.Sprintf("%s: %s, not %s", c.Path, dash(c.From), dash(c.To)))
	}
	d.Gaps = []gapJSON{}
	for _, o := range r.Omitted {
		d.Gaps = append(d.Gaps, gapJSON{o.Kind.String(), o.Count, o.Why})
	}
	d.Profile, d.Native, d.Lossless = s.profile.Name, own, !s.resumed && r.Lossless() && !r.NeedsReload()
}

// text is the report for people. A dry run tells every value.
func (s *spoken) text(p *push, err error) *report {
	r := s.report
	out := &report{head: []string{fmt.Sprintf("%s: %s", p.report.Device, r.State), "  " + s.stateText(p, err)}}
	if p.met == nil {
		out.head = []string{p.report.Device + " (" + s.profile.Title + "): no switch was asked and nothing was sent"}
	} else {
		out.head = append(out.head, "  "+p.met.String())
	}
	if s.known != "" {
		out.head = append(out.head, "  it is "+s.known)
	}
	if s.resumed {
		out.sections = append(out.sections, holdsSection(r.Found, p.opt.DryRun))
	}
	if len(r.Changes) > 0 {
		title := "Changes, in the words of " + r.Rendering.Dialect
		if r.State != backend.Applied {
			title = "Changes that " + map[bool]string{false: "the plan asks for", true: "are left"}[s.resumed] + ", in the words of " + r.Rendering.Dialect
		}
		out.sections = append(out.sections, changeSection(title, r.Changes, p.opt.DryRun, map[bool]string{true: "not known", false: "-"}[p.met == nil]))
	}
	if len(r.Differences) > 0 {
		out.sections = append(out.sections, changeSection("Differences: what the switch holds, and what it should hold", r.Differences, true, "-"))
	}
	if len(r.Rendering.Waiting) > 0 {
		out.sections = append(out.sections, waitingSection(r.Rendering.Waiting, p.opt.DryRun))
	}
	if len(r.Rendering.Omitted) > 0 {
		out.sections = append(out.sections, omittedSection(r.Rendering.Omitted))
	}
	for _, n := range r.Rendering.Notes {
		out.foot = append(out.foot, "note: "+n)
	}
	if s.resumed {
		return out
	}
	if s.profile.Name != profile.SONiC {
		out.foot = append(out.foot, "what OpenConfig carries goes by cellwarden apply without --native")
	}
	out.foot = append(out.foot, losslessVerdict(r.Rendering))
	return out
}

// stateText says in a sentence how the switch was left.
func (s *spoken) stateText(p *push, err error) string {
	n := plural(len(s.report.Changes), "value", "values")
	switch {
	case s.report.State == backend.Unchanged && err != nil:
		return "nothing was sent"
	case s.report.State == backend.Unchanged && len(s.report.Changes) == 0 && s.resumed:
		return "nothing is left to be done, and nothing was sent"
	case s.report.State == backend.Unchanged && len(s.report.Changes) > 0:
		return "dry run: nothing was sent; " + n + " would change"
	case s.report.State == backend.Unchanged:
		return "it has all of the plan that it takes while it runs; nothing was sent"
	case s.report.State == backend.Applied:
		return n + " changed, read back and found equal"
	case s.report.State == backend.Partial:
		return fmt.Sprintf("it holds neither the plan nor what it held before: %s differ from before", plural(len(s.report.Differences), "value", "values"))
	}
	if s.report.State == backend.Unknown {
		return "it may hold the plan, what it held before, or parts of both, and may still be at work. Run " + map[bool]string{false: "apply", true: "resume"}[s.resumed] + " again later: it compares first"
	}
	return stateText(p.report, p.opt, err)
}
