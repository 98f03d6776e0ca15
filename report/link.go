package report

import (
	"strings"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/dcbx"
	"github.com/cellwarden/cellwarden/dcbx/linkcheck"
	"github.com/cellwarden/cellwarden/finding"
	"github.com/cellwarden/cellwarden/internal/unnamed"
	"github.com/cellwarden/cellwarden/pfc"
)

// LinkDocument is the two ends of links compared ("cellwarden.link/v1").
type LinkDocument struct {
	Schema string `json:"schema"`
	// Verdict is "differ": there are findings; "unknown": none, and the PFC of an end is not known, or its credits beside
	// those of the other end; or "same".
	Verdict  linkcheck.Verdict `json:"verdict"`
	Errors   int               `json:"errors"`
	Warnings int               `json:"warnings"`
	Links    []struct {
		A        string            `json:"a"`
		B        string            `json:"b"`
		State    linkcheck.Verdict `json:"state"`
		Findings []LinkFinding     `json:"findings"`
		Compared []string          `json:"compared"`
		// Unknown are the aspects that could not be compared.
		Unknown []struct {
			Aspect string   `json:"aspect"`
			Ends   []string `json:"ends"` // that do not say it
		} `json:"unknown"`
		// InForce is what is in force after negotiation; null: not both ends send DCBX.
		InForce *struct {
			A LinkEnd `json:"a"`
			B LinkEnd `json:"b"`
		} `json:"in_force"`
		// Planned are simulations with the numbers of this link; absent: without --scenarios, or no finding is about
		// headroom.
		Planned []struct {
			End     string      `json:"headroom_of"`
			LinkOf  string      `json:"link_of"`        // the end that says speed, cable and frames
			Link    string      `json:"link"`           // these
			Groups  []int       `json:"groups"`         // of the port
			Granted cells.Count `json:"headroom_cells"` // of the group with the least margin, as planned
			Needed  cells.Count `json:"needed_cells"`   // with one cell fewer a frame is lost
			Lost    int64       `json:"frames_lost"`
			NotRun  string      `json:"not_simulated"` // why; empty: it was
		} `json:"this_link,omitempty"`
	} `json:"links"`
	Notes []string `json:"notes"` // what was not compared, and why
}

// LinkFinding is a difference of the two ends of a link.
type LinkFinding struct {
	Code        finding.Code     `json:"code"`
	Severity    finding.Severity `json:"severity"`
	What        string           `json:"what"`
	Consequence string           `json:"consequence"`
	Repair      string           `json:"repair"`
	Scenario    string           `json:"scenario"`   // of examples/scenarios; empty: none shows it
	CreditRun   string           `json:"credit_run"` // of one link with credits; empty: none shows it
	// NotSimulated says why neither a scenario nor a run shows the consequence; empty: one does.
	NotSimulated string `json:"not_simulated"`
	// Simulated is what the run of either gave; null: without --scenarios, or nothing shows the finding.
	Simulated *LinkRun `json:"simulated"`
}

// LinkRun is what a simulation that shows a finding gave. It is the scenario's network, and not the link that was
// compared.
type LinkRun struct {
	Numbers    string           `json:"numbers_of"` // the file whose numbers were run; "default": one link with credits
	Sent       int64            `json:"frames_sent"`
	Drops      int64            `json:"drops"`
	ByReason   map[string]int64 `json:"drops_by_reason"`
	PauseSent  int64            `json:"pause_sent"`
	AsExpected bool             `json:"expectations_met"`
	End        int64            `json:"end_ps"`
	// Flows are those of the scenario, or the directions of a link with credits.
	Flows []struct {
		Name string `json:"name"`
		Sent int64  `json:"frames_sent"`
		Lost int64  `json:"frames_lost"`
		Rate int64  `json:"bits_per_second"`
		// Waited is for how much of the time the sender had a frame and no credits; 0 in scenarios, which have none.
		Waited int64 `json:"without_credits_thousandths"`
	} `json:"flows"`
}

// LinkEnd is what is in force at one end of a link.
type LinkEnd struct {
	Version     string      `json:"version"`
	PFC         []int       `json:"pfc_priorities"`
	PFCActive   bool        `json:"pfc_active"`
	PFCFromPeer bool        `json:"pfc_from_peer"`
	PFCReason   dcbx.Reason `json:"pfc_reason"`
	ETSFromPeer bool        `json:"ets_from_peer"`
	ETSReason   dcbx.Reason `json:"ets_reason"`
}

// Links returns the document of compared links, with notes of what was not compared, and why. The verdict is the worst
// state of a link; of no link it is "same".
func Links(results []linkcheck.Result, notes ...string) LinkDocument {
	d := LinkDocument{Schema: Schema("link"), Verdict: linkcheck.Same, Notes: append([]string{}, notes...)}
	links := unnamed.List(&d.Links, len(results))
	for i := range results {
		r := &results[i]
		one := &links[i]
		one.A, one.B, one.State, one.Compared = r.A, r.B, r.State, append([]string{}, r.Compared...)
		one.Findings = []LinkFinding{}
		for _, f := range r.Findings {
			one.Findings = append(one.Findings, linkFinding(&f))
			if f.Severity == finding.Error {
				d.Errors++
			} else {
				d.Warnings++
			}
		}
		unknown := unnamed.List(&one.Unknown, len(r.Unknown))
		for j, g := range r.Unknown {
			unknown[j].Aspect, unknown[j].Ends = g.Aspect, g.Ends
		}
		if s := r.Settled; s != nil {
			force := unnamed.New(&one.InForce)
			force.A, force.B = inForce(&s.A), inForce(&s.B)
		}
		// The worst state of a link is that of all: a difference, then an unknown.
		if r.State == linkcheck.Differ || r.State == linkcheck.Unknown && d.Verdict == linkcheck.Same {
			d.Verdict = r.State
		}
	}
	return d
}

// linkFinding returns a finding as a document has it.
func linkFinding(f *finding.Finding) LinkFinding {
	out := LinkFinding{Code: f.Code, Severity: f.Severity, What: f.Message, Consequence: f.Effect, Repair: f.Repair}
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

// inForce returns what is in force at an end.
func inForce(o *dcbx.Operational) LinkEnd {
	e := LinkEnd{Version: o.Version.String(), PFC: []int{}, PFCActive: o.PFC.Active, PFCFromPeer: o.PFC.FromPeer,
		PFCReason: o.PFC.Reason, ETSFromPeer: o.ETS.FromPeer, ETSReason: o.ETS.Reason}
	for p := range pfc.PerLink {
		if o.Enabled.Has(p) {
			e.PFC = append(e.PFC, p)
		}
	}
	return e
}
