package link

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/dcbx/linkcheck"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/grouped"
	"github.com/cellwarden/cellwarden/report"
)

// shownBy says what shows a finding. Every finding has one of the three, so that nobody takes a claim for a
// measurement.
func shownBy(f *report.LinkFinding) string {
	switch {
	case f.Scenario != "":
		return "shown by: examples/scenarios/" + f.Scenario
	case f.CreditRun != "":
		return "shown by: one link with credits, " + f.CreditRun
	}
	return "not simulated: " + f.NotSimulated
}

// screen is the results as text. CSV has a row for each finding; people read a finding's parts below each other. rows
// is for CSV. Findings that were taken out are counted in the first line, which would claim too much otherwise.
func (c *linkRun) screen(d *report.LinkDocument, rows bool) *cli.Screen {
	r := &cli.Screen{Head: []string{headline(d)}}
	if c.hidden > 0 {
		r.Head[0] += fmt.Sprintf(", but for %s that %s not listed", cli.Plural(c.hidden, "finding", "findings"),
			map[bool]string{true: "is", false: "are"}[c.hidden == 1])
	}
	findings := cli.Table("findings", "Findings", "severity", "code", "finding")
	if rows {
		findings.Columns = []string{"a", "b", "severity", "code", "what", "consequence", "repair", "scenario", "credit_run"}
	}
	// Only ends that both send DCBX have something in force; the others have what is configured.
	force := cli.Table("in-force", "In force after negotiation", "end", "version", "pfc", "why", "bandwidths", "why")
	for _, l := range d.Links {
		for _, f := range l.Findings {
			if rows {
				findings.Row(l.A, l.B, f.Severity, f.Code, f.What, f.Consequence, f.Repair, f.Scenario, f.CreditRun)
				continue
			}
			findings.Row(f.Severity, f.Code, f.What)
			// An empty first cell marks a row that goes on with the one above.
			findings.Row("", "", "consequence: "+f.Consequence)
			findings.Row("", "", "repair: "+f.Repair)
			findings.Row("", "", shownBy(&f))
			if f.Simulated != nil {
				findings.Row("", "", "simulated: "+simulatedText(&f))
			}
		}
		// Each end has a row, as each can keep its own value or take over that of the other.
		if f := l.InForce; f != nil {
			forceRow(&force, l.A, &f.A)
			forceRow(&force, l.B, &f.B)
		}
	}
	// Without --scenarios both are empty.
	own, not := plannedSections(d)
	// The findings come first, then what was simulated of this link, then what is in force.
	r.Sections = []cli.Section{findings, own, force}
	// The order is: what was not simulated, what was not compared, and why findings are not listed.
	r.Note(slices.Concat(not, gaps(d), d.Notes)...)
	return r.WithoutEmpty()
}

// firstLink gives the results a first screen, which has of a finding what differs alone. The consequence and the repair
// are behind --all.
func firstLink(r *cli.Screen) *cli.Screen {
	var shown []cli.Section
	for _, s := range r.Sections {
		if s.Name != "findings" {
			continue
		}
		// Rows with an empty first cell go on with the row above: see screen.
		s.Rows = slices.DeleteFunc(slices.Clone(s.Rows), func(row []any) bool { return row[0] == "" })
		shown = append(shown, s)
	}
	return r.Short(shown...).OrWhole()
}

// forceRow adds what is in force at an end. Each value has whether it is the end's own or its neighbour's, and the
// reason that its state machine has.
func forceRow(s *cli.Section, name string, e *report.LinkEnd) {
	from := func(peer bool) string {
		if peer {
			return "the other end's"
		}
		return "its own"
	}
	// PFC that is configured and not active has no priorities in force.
	flow := "off"
	if e.PFCActive {
		flow = cli.Dash(cli.Joined(e.PFC))
	}
	s.Row(name, e.Version, flow+", "+from(e.PFCFromPeer), string(e.PFCReason), from(e.ETSFromPeer), string(e.ETSReason))
}

// headline says what was compared and found, and no more. DIFFER counts findings, and SAME is said of what was compared
// alone: what an end does not say was not compared. UNKNOWN is about PFC, without which nothing of a link is known to
// be lossless.
func headline(d *report.LinkDocument) string {
	states := map[linkcheck.Verdict]int{}
	for _, l := range d.Links {
		states[l.State]++
	}
	// One link is named in the first line; of many the list has the names.
	one := ""
	if len(d.Links) == 1 {
		one = ": " + d.Links[0].A + " and " + d.Links[0].B
	}
	// Links are counted by state, the worst first.
	var parts []string
	for _, x := range []struct {
		state     linkcheck.Verdict
		one, many string
	}{{linkcheck.Differ, "has findings", "have findings"},
		{linkcheck.Same, "is the same as far as compared", "are the same as far as compared"},
		{linkcheck.Unknown, "is not known", "are not known"}} {
		// The parts add up to all links, as a link has one of the three states.
		if n := states[x.state]; n > 0 {
			parts = append(parts, cli.Plural(n, x.one, x.many))
		}
	}
	of := cli.Plural(len(d.Links), "link", "links") + one
	if len(d.Links) > 1 {
		of += ": " + strings.Join(parts, ", ")
	}
	switch d.Verdict {
	case linkcheck.Differ:
		return fmt.Sprintf("DIFFER: %s, %s on %s", cli.Plural(d.Errors, "error", "errors"),
			cli.Plural(d.Warnings, "warning", "warnings"), of)
	case linkcheck.Unknown:
		if creditsUnknown(d) {
			return "UNKNOWN: the PFC or the credits (CBFC) of an end are not known, on " + of
		}
		return "UNKNOWN: the PFC of an end is not known, on " + of
	}
	return "SAME as far as compared, on " + of
}

// creditsUnknown tells whether the credits of an end are not known where the other end has them. It decides between two
// wordings of UNKNOWN, which ask for different things.
func creditsUnknown(d *report.LinkDocument) bool {
	for _, l := range d.Links {
		for _, g := range l.Unknown {
			if g.Aspect == linkcheck.CreditsAspect {
				return true
			}
		}
	}
	return false
}

// gaps says what could not be compared: by end on one link, by number on many. Aspects are in the order in which links
// have them.
func gaps(d *report.LinkDocument) (out []string) {
	// An aspect may be compared on one link and not known on another.
	type links struct{ compared, missing int }
	var aspects grouped.By[string, links]
	for _, l := range d.Links {
		for _, a := range l.Compared {
			aspects.Of(a).compared++
		}
		for _, g := range l.Unknown {
			aspects.Of(g.Aspect).missing++
		}
	}
	var all, none []string
	for a, n := range aspects.All() {
		switch {
		case n.missing == 0:
			all = append(all, a)
		// On many links what nobody knows is one line; on one link the lines below name the ends.
		case n.compared == 0 && len(d.Links) > 1:
			none = append(none, a)
		// The lines at the end name the aspect with its ends.
		case len(d.Links) == 1:
		default:
			out = append(out, fmt.Sprintf("%s: compared on %s, not known on %s", a, cli.Plural(n.compared, "link", "links"),
				cli.Plural(n.missing, "link", "links")))
		}
	}
	// What was compared on all links comes first, then what only some have, and last what none has.
	if len(all) > 0 {
		out = slices.Insert(out, 0, "compared: "+strings.Join(all, ", "))
	}
	if len(none) > 0 {
		out = append(out, "not known on any link: "+strings.Join(none, ", "))
	}
	if len(d.Links) == 1 {
		for _, g := range d.Links[0].Unknown {
			out = append(out, fmt.Sprintf("not compared: %s, which %s not say", g.Aspect, doNot(g.Ends)))
		}
	}
	return out
}

// doNot joins the ends that do not say something with their verb.
func doNot(ends []string) string {
	if len(ends) == 1 {
		return ends[0] + " does"
	}
	return strings.Join(ends, " and ") + " do"
}
