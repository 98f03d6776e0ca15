package scenario

import (
	"github.com/cellwarden/cellwarden/internal/grouped"
	"github.com/cellwarden/cellwarden/internal/unnamed"
	"github.com/cellwarden/cellwarden/report"
)

// documentLinks is the largest number of links in a document: those that were used most.
const documentLinks = 10

// Document returns the result of a run as it is published. Times are picoseconds, sizes bytes or cells as their keys
// say. A number that the run does not know is null.
func (s *Scenario) Document(r *Result) report.SimDocument {
	// Lists that are copied here are [] and not null in JSON.
	d := report.SimDocument{Schema: report.Schema("sim"), Name: s.Name, Seed: s.Network.Seed,
		Delivered: r.Summary.Delivered, Drops: r.Summary.Drops, ByReason: r.Summary.ByReason,
		PauseSent: r.Summary.PauseSent, ResumeSent: r.Summary.ResumeSent, Marked: r.Summary.Marked, CNP: r.Summary.CNP,
		Trimmed: r.Summary.Trimmed, TrimDropped: r.Summary.TrimDropped, TrimmedArrived: r.Summary.TrimmedArrived,
		MaxHeadroom: new(int64(r.Summary.MaxHeadroom)), MaxShared: new(int64(r.Summary.MaxShared)),
		LastDelivery: int64(r.Summary.LastDelivery), Events: r.Summary.Events, Storms: r.Storms,
		Deadlocks: len(r.Deadlocks), Locked: r.InDeadlock, End: int64(r.End), Cut: r.Cut,
		Unmet: append([]string{}, r.Unmet...), Rules: documentRules(s), Lists: s.Lists, Span: int64(r.Span),
		LinksUsed: len(r.Links), Planned: s.PlannedCredits, DCBX: documentDCBX(r)}
	for _, f := range r.Findings {
		d.Findings = append(d.Findings, f.String())
	}
	documentFast(&d, r)
	documentTraffic(&d, r)
	d.Credits, d.LinkLayers = documentChannels(s, r)
	// null: a run with another end than the file's was not compared with its expectations.
	if r.Checked {
		d.Met = new(len(r.Unmet) == 0)
	}
	return d
}

// documentRules lists the rules of the switches, each once. The source says whether the rule is measured, from the
// chip file, or assumed.
func documentRules(s *Scenario) []report.SimRule {
	// Two switches may compare alike by different sources, and stay apart: one is measured, the other assumed.
	type rule struct{ behaviour, source string }
	var by grouped.By[rule, report.SimRule]
	for i := range s.Rules {
		b := &s.Rules[i]
		r := by.Of(rule{b.Name, b.Source})
		r.Behaviour, r.Rule, r.Source = b.Name, b.Compares(), b.Source
		r.Switches = append(r.Switches, s.Network.Switches[i].Name)
	}
	return grouped.Each(by.Keys, func(k rule) report.SimRule { return *by.Of(k) })
}

// fastBound is the bound, in thousandths, that the tests hold for the difference between fast and whole runs of their
// networks, of completion times, times of pauses and numbers of marks: see TestRunFastAgainstExact in package fabric.
// pausesBound is that of numbers of pauses. 10 thousandths are 1 %.
const fastBound, pausesBound = 10, 30

// documentFast adds what a fast run left out; nothing if all was to be simulated.
func documentFast(d *report.SimDocument, r *Result) {
	f := r.FastForward
	if f == nil {
		return
	}
	// Skipped is the simulated time that was not run event by event, in picoseconds.
	out := unnamed.New(&d.FastForward)
	out.Skipped, out.Leaps, out.Refused = int64(f.Skipped), f.Leaps, f.Refused
	// In thousandths. The division comes first, so that no product of picoseconds overflows.
	out.Share = int64(f.Skipped / max(r.Span/1000, 1))
	// After a leap the maxima are those of the parts that were simulated: a lower bound, which has a key of its own.
	if f.Leaps > 0 {
		out.Bound, out.Pauses = fastBound, pausesBound
		out.MaxHeadroom, d.MaxHeadroom = d.MaxHeadroom, nil
		out.MaxShared, d.MaxShared = d.MaxShared, nil
	}
}

// documentTraffic adds the completions of the run, and the links that were used most. Of the links only documentLinks
// are listed; LinksUsed counts all of them.
func documentTraffic(d *report.SimDocument, r *Result) {
	completions := unnamed.List(&d.Completions, len(r.Completions))
	for i := range r.Completions {
		c, to := &r.Completions[i], &completions[i]
		to.Entry, to.Flows, to.Arrived = c.Entry, c.Flows, c.Arrived
		to.First, to.Last = orNull(Measure(c.First)), int64(c.Last)
		// Times are picoseconds, and slowdowns thousandths.
		to.Times, to.Slowdowns = spreadOf(c.Times), spreadOf(c.Slowdowns)
	}
	links := unnamed.List(&d.Links, min(len(r.Links), documentLinks))
	for i := range links {
		l, to := &r.Links[i], &links[i]
		to.Port, to.Rate, to.Use, to.Sent = l.Name, int64(l.Rate), l.Use, int64(l.Sent)
		to.Frames, to.Bytes = l.Frames, int64(l.Bytes)
	}
}

// orNull returns a number, or nil if it is not known: null in JSON, where 0 would be a time.
func orNull(m Measure) *int64 {
	if m == Unknown {
		return nil
	}
	return new(int64(m))
}

// spreadOf is a distribution as the document has it: null for what is not known.
func spreadOf(s Spread) report.SimSpread {
	return report.SimSpread{Mean: orNull(s.Mean), P50: orNull(s.P50), P99: orNull(s.P99), P999: orNull(s.P999),
		Most: orNull(s.Most)}
}
