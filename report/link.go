package report

import (
	"github.com/cellwarden/cellwarden/dcbx"
	"github.com/cellwarden/cellwarden/dcbx/linkcheck"
	"github.com/cellwarden/cellwarden/finding"
)

// LinkDocument is the two ends of links compared ("cellwarden.link/v1").
type LinkDocument struct {
	Schema string `json:"schema"`
	// Verdict is "differ": there are findings; "unknown": none, and the PFC of an end is not known, or its credits beside
	// those of the other end; or "same".
	Verdict  linkcheck.State `json:"verdict"`
	Errors   int             `json:"errors"`
	Warnings int             `json:"warnings"`
	Links    []struct {
		A        string          `json:"a"`
		B        string          `json:"b"`
		State    linkcheck.State `json:"state"`
		Findings []LinkFinding   `json:"findings"`
		Compared []string        `json:"compared"`
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
	// Simulated is what the run of either gave; null: without --sim, or nothing shows the finding.
	Simulated *LinkRun `json:"simulated"`
}

// LinkRun is what a simulation that shows a finding gave. It is the scenario's network, and not the link that was
// compared.
type LinkRun struct {
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
