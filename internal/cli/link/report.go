package link

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/dcbx"
	"github.com/cellwarden/cellwarden/dcbx/linkcheck"
	"github.com/cellwarden/cellwarden/finding"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/pfc"
)

// LinkJSON is the result of the link command as a document.
type LinkJSON struct {
	Schema string `json:"schema"`
	// differ: there are findings; unknown: none, and the PFC of an end is not known, or its credits beside those of the
	// other end
	Verdict  linkcheck.State `json:"verdict"`
	Errors   int             `json:"errors"`
	Warnings int             `json:"warnings"`
	Links    []linkOneJSON   `json:"links"`
	Notes    []string        `json:"notes"` // what was not compared, and why
}

// linkOneJSON is one link.
type linkOneJSON struct {
	A        string            `json:"a"`
	B        string            `json:"b"`
	State    linkcheck.State   `json:"state"`
	Findings []linkFindingJSON `json:"findings"`
	Compared []string          `json:"compared"`
	Unknown  []linkGapJSON     `json:"unknown"`
	InForce  *linkForceJSON    `json:"in_force"` // after negotiation; null: not both ends send DCBX
}

// linkFindingJSON is one finding.
type linkFindingJSON struct {
	Code        finding.Code     `json:"code"`
	Severity    finding.Severity `json:"severity"`
	What        string           `json:"what"`
	Consequence string           `json:"consequence"`
	Repair      string           `json:"repair"`
	Scenario    string           `json:"scenario"`   // of examples/scenarios; empty: none shows it
	CreditRun   string           `json:"credit_run"` // of one link with credits; empty: none shows it
	// NotSimulated says why neither a scenario nor a run shows the consequence; empty: one does.
	NotSimulated string `json:"not_simulated"`
	// Simulated is what the run of either gave; null: without --sim, or nothing shows the finding.
	Simulated *linkSimJSON `json:"simulated"`
}

// linkGapJSON is something that could not be compared.
type linkGapJSON struct {
	Aspect string   `json:"aspect"`
	Ends   []string `json:"ends"` // that do not say it
}

// linkForceJSON is what is in force at both ends.
type linkForceJSON struct {
	A linkEndJSON `json:"a"`
	B linkEndJSON `json:"b"`
}

// linkEndJSON is what is in force at one end.
type linkEndJSON struct {
	Version     string      `json:"version"`
	PFC         []int       `json:"pfc_priorities"`
	PFCActive   bool        `json:"pfc_active"`
	PFCFromPeer bool        `json:"pfc_from_peer"`
	PFCReason   dcbx.Reason `json:"pfc_reason"`
	ETSFromPeer bool        `json:"ets_from_peer"`
	ETSReason   dcbx.Reason `json:"ets_reason"`
}

// document returns the results as a document.
func (c *linkRun) document() LinkJSON {
	d := LinkJSON{Schema: "cellwarden.link/v1", Verdict: linkcheck.Same, Links: []linkOneJSON{}, Notes: c.notes}
	if d.Notes == nil {
		d.Notes = []string{}
	}
	for i := range c.results {
		r := &c.results[i]
		one := linkOneJSON{A: r.A, B: r.B, State: r.State, Findings: []linkFindingJSON{}, Compared: r.Compared,
			Unknown: []linkGapJSON{}}
		for _, f := range r.Findings {
			one.Findings = append(one.Findings, linkFinding(&f))
			if f.Severity == finding.Error {
				d.Errors++
			} else {
				d.Warnings++
			}
		}
		for _, g := range r.Unknown {
			one.Unknown = append(one.Unknown, linkGapJSON(g))
		}
		if one.Compared == nil {
			one.Compared = []string{}
		}
		if s := r.Settled; s != nil {
			one.InForce = &linkForceJSON{inForce(&s.A), inForce(&s.B)}
		}
		// The worst state of a link is that of all: a difference, then an unknown.
		if r.State == linkcheck.Differ || r.State == linkcheck.Unknown && d.Verdict == linkcheck.Same {
			d.Verdict = r.State
		}
		d.Links = append(d.Links, one)
	}
	return d
}

// linkFinding returns a finding as a document has it.
func linkFinding(f *finding.Finding) linkFindingJSON {
	out := linkFindingJSON{Code: f.Code, Severity: f.Severity, What: f.Message, Consequence: f.Effect, Repair: f.Repair}
	// What shows a finding is a scenario by its file, or a run of credits by its name.
	switch {
	case strings.HasSuffix(f.Shown, ".yaml"):
		out.Scenario = f.Shown
	case f.Shown != "":
		out.CreditRun = f.Shown
	default:
		out.NotSimulated = linkcheck.Codes().About(f.Code).NotShown
	}
	return out
}

// shownBy says what shows a finding.
func (f *linkFindingJSON) shownBy() string {
	switch {
	case f.Scenario != "":
		return "shown by: examples/scenarios/" + f.Scenario
	case f.CreditRun != "":
		return "shown by: one link with credits, " + f.CreditRun
	}
	return "not simulated: " + f.NotSimulated
}

// inForce returns what is in force at an end.
func inForce(o *dcbx.Operational) linkEndJSON {
	e := linkEndJSON{Version: o.Version.String(), PFC: []int{}, PFCActive: o.PFC.Active, PFCFromPeer: o.PFC.FromPeer,
		PFCReason: o.PFC.Reason, ETSFromPeer: o.ETS.FromPeer, ETSReason: o.ETS.Reason}
	for p := range pfc.PerLink {
		if o.Enabled.Has(p) {
			e.PFC = append(e.PFC, p)
		}
	}
	return e
}

// report is the results as text. CSV has a row for each finding; people read a finding's parts below each other.
func (c *linkRun) report(d *LinkJSON, rows bool) *cli.Screen {
	r := &cli.Screen{Head: []string{d.headline()}}
	if c.hidden > 0 {
		r.Head[0] += fmt.Sprintf(", but for %s that %s not listed", cli.Plural(c.hidden, "finding", "findings"),
			map[bool]string{true: "is", false: "are"}[c.hidden == 1])
	}
	findings := cli.Section{Name: "findings", Title: "Findings", Columns: []string{"severity", "code", "finding"}}
	if rows {
		findings.Columns = []string{"a", "b", "severity", "code", "what", "consequence", "repair", "scenario",
			"credit_run"}
	}
	force := cli.Section{Name: "in-force", Title: "In force after negotiation",
		Columns: []string{"end", "version", "pfc", "why", "bandwidths", "why"}}
	for _, l := range d.Links {
		for _, f := range l.Findings {
			if rows {
				findings.Row(l.A, l.B, f.Severity, f.Code, f.What, f.Consequence, f.Repair, f.Scenario, f.CreditRun)
				continue
			}
			findings.Row(f.Severity, f.Code, f.What)
			findings.Row("", "", "consequence: "+f.Consequence)
			findings.Row("", "", "repair: "+f.Repair)
			findings.Row("", "", f.shownBy())
			if f.Simulated != nil {
				findings.Row("", "", "simulated: "+f.Simulated.text())
			}
		}
		if f := l.InForce; f != nil {
			forceRow(&force, l.A, &f.A)
			forceRow(&force, l.B, &f.B)
		}
	}
	for _, s := range []cli.Section{findings, force} {
		if len(s.Rows) > 0 {
			r.Sections = append(r.Sections, s)
		}
	}
	r.Foot = append(d.gaps(), d.Notes...)
	for i := range r.Foot {
		r.Foot[i] = "- " + r.Foot[i]
	}
	return r
}

// forceRow adds what is in force at an end.
func forceRow(s *cli.Section, name string, e *linkEndJSON) {
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

// headline says what was compared and found, and no more.
func (d *LinkJSON) headline() string {
	states := map[linkcheck.State]int{}
	for _, l := range d.Links {
		states[l.State]++
	}
	one := ""
	if len(d.Links) == 1 {
		one = ": " + d.Links[0].A + " and " + d.Links[0].B
	}
	var parts []string
	for _, x := range []struct {
		state     linkcheck.State
		one, many string
	}{{linkcheck.Differ, "has findings", "have findings"},
		{linkcheck.Same, "is the same as far as compared", "are the same as far as compared"},
		{linkcheck.Unknown, "is not known", "are not known"}} {
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
		if d.creditsUnknown() {
			return "UNKNOWN: the PFC or the credits (CBFC) of an end are not known, on " + of
		}
		return "UNKNOWN: the PFC of an end is not known, on " + of
	}
	return "SAME as far as compared, on " + of
}

// creditsUnknown tells whether the credits of an end are not known where the other end has them.
func (d *LinkJSON) creditsUnknown() bool {
	return slices.ContainsFunc(d.Links, func(l linkOneJSON) bool {
		return slices.ContainsFunc(l.Unknown, func(g linkGapJSON) bool { return g.Aspect == linkcheck.CreditsAspect })
	})
}

// gaps says what could not be compared: by end on one link, by number on many.
func (d *LinkJSON) gaps() (out []string) {
	compared, missing := map[string]int{}, map[string]int{}
	var order []string
	note := func(aspect string) {
		if !slices.Contains(order, aspect) {
			order = append(order, aspect)
		}
	}
	for _, l := range d.Links {
		for _, a := range l.Compared {
			note(a)
			compared[a]++
		}
		for _, g := range l.Unknown {
			note(g.Aspect)
			missing[g.Aspect]++
		}
	}
	var all, none []string
	for _, a := range order {
		switch {
		case missing[a] == 0:
			all = append(all, a)
		// On many links what nobody knows is one line; on one link the lines below name the ends.
		case compared[a] == 0 && len(d.Links) > 1:
			none = append(none, a)
		case len(d.Links) == 1:
		default:
			out = append(
				out,
				fmt.Sprintf("%s: compared on %s, not known on %s", a, cli.Plural(compared[a], "link", "links"),
					cli.Plural(missing[a], "link", "links")),
			)
		}
	}
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
