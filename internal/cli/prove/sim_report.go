package prove

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/backend/sim/fabric"
	"github.com/cellwarden/cellwarden/backend/sim/scenario"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/unit"
)

// SimJSON is the result as a document.
type SimJSON struct {
	Schema       string           `json:"schema"`
	Name         string           `json:"name"`
	Rules        []simRule        `json:"rules"`
	Lists        []string         `json:"flow_lists,omitempty"`
	FastForward  *simFast         `json:"fast_forward,omitempty"` // missing: every event was simulated
	Seed         uint64           `json:"seed"`
	Delivered    int64            `json:"frames_delivered"`
	Drops        int64            `json:"drops"`
	ByReason     map[string]int64 `json:"drops_by_reason"`
	PauseSent    int64            `json:"pause_sent"`
	ResumeSent   int64            `json:"resume_sent"`
	Marked       int64            `json:"ecn_marked"`
	CNP          int64            `json:"cnp_sent"`
	MaxHeadroom  int64            `json:"max_headroom_cells"`
	MaxShared    int64            `json:"max_shared_cells"`
	LastDelivery int64            `json:"last_delivery_ps"`
	Events       int64            `json:"events"`
	Storms       int64            `json:"watchdog_storms"`
	Deadlocks    int              `json:"deadlocks"`
	Locked       bool             `json:"ends_locked"`
	Findings     []string         `json:"findings,omitempty"`
	DCBX         []simDCBX        `json:"dcbx,omitempty"`            // of the ports that speak it
	Credits      []simChannel     `json:"credits,omitempty"`         // of the links that have them
	Planned      []simPlanned     `json:"planned_credits,omitempty"` // of switches whose plans have credits
	LinkLayers   []simLayer       `json:"link_layer,omitempty"`      // of ports with credits, retry or errors
	End          int64            `json:"end_ps"`
	Cut          bool             `json:"cut"`
	Met          *bool            `json:"expectations_met"` // null: expectations were not compared
	Unmet        []string         `json:"expectations_unmet"`
	Completions  []simCompletion  `json:"completions"`
	Span         int64            `json:"traffic_ps"`
	LinksUsed    int              `json:"links_used"`
	Links        []simLink        `json:"links"` // the most used
}

// simDocument converts the result.
func simDocument(s *scenario.Scenario, r *scenario.Result) SimJSON {
	d := SimJSON{Schema: "cellwarden.sim/v1", Name: s.Name, Seed: s.Network.Seed, Delivered: r.Summary.Delivered,
		Drops: r.Summary.Drops, ByReason: r.Summary.ByReason,
		PauseSent: r.Summary.PauseSent, ResumeSent: r.Summary.ResumeSent, Marked: r.Summary.Marked, CNP: r.Summary.CNP,
		MaxHeadroom: int64(r.Summary.MaxHeadroom), MaxShared: int64(r.Summary.MaxShared),
		LastDelivery: int64(r.Summary.LastDelivery),
		Events:       r.Summary.Events, Storms: r.Storms, Deadlocks: len(r.Deadlocks), Locked: r.InDeadlock,
		End: int64(r.End),
		Cut: r.Cut, Unmet: append([]string{}, r.Unmet...), Rules: simRules(s), Lists: s.Lists, FastForward: fastJSON(r),
		Completions: completionsJSON(r), Span: int64(r.Span), LinksUsed: len(r.Links), Links: linksJSON(r)}
	for _, f := range r.Findings {
		d.Findings = append(d.Findings, f.String())
	}
	d.DCBX = negotiated(r)
	d.Credits, d.LinkLayers = channelsOf(s, r)
	d.Planned = plannedCredits(s)
	if r.Checked {
		d.Met = new(len(r.Unmet) == 0)
	}
	return d
}

// simTables are the tables that the report of a run can have.
var simTables = []string{"verdict", "summary", "completion", "flows", "links", "ports", "dcbx", "shares",
	"credits", "link-layer"}

// simRule is a rule by which switches compare counters with limits.
type simRule struct {
	Switches  []string `json:"switches"`
	Behaviour string   `json:"behaviour"` // a family, a chip or the reference
	Rule      string   `json:"rule"`
	Source    string   `json:"rule_source"`
}

// simRules lists the rules of the switches, each once.
func simRules(s *scenario.Scenario) []simRule {
	out := []simRule{}
	for i := range s.Rules {
		b := &s.Rules[i]
		k := slices.IndexFunc(out, func(r simRule) bool { return r.Behaviour == b.Name && r.Source == b.Source })
		if k < 0 {
			k, out = len(out), append(out, simRule{Behaviour: b.Name, Rule: b.Compares(), Source: b.Source})
		}
		out[k].Switches = append(out[k].Switches, s.Network.Switches[i].Name)
	}
	return out
}

// text is the rule in a line: with the names of some switches if not all have it.
func (r *simRule) text(rules int) string {
	const shown = 4
	who := ""
	if n := len(r.Switches); rules > 1 {
		if who = strings.Join(r.Switches[:min(n, shown)], ", "); n > shown {
			who += fmt.Sprintf(" and %d more", n-shown)
		}
		who += ": "
	}
	return fmt.Sprintf("%s%s: %s (%s)", who, r.Behaviour, r.Rule, r.Source)
}

// report returns the tables: the whole run, the flows, and the ports that
// paused, were paused or dropped frames.
func (d *SimJSON) report(s *scenario.Scenario, r *scenario.Result) *cli.Screen {
	out := &cli.Screen{Head: []string{s.Name}}
	if d.FastForward != nil {
		out.Head = append(out.Head, "fast-forward: "+d.FastForward.text(r))
	}
	if s.Lesson != "" {
		out.Head = append(out.Head, s.Lesson)
	}
	for _, l := range s.Lists {
		out.Head = append(out.Head, "flows     "+l)
	}
	for _, x := range d.Rules {
		out.Head = append(out.Head, "rule      "+x.text(len(d.Rules)))
	}
	for i := range d.Planned {
		out.Head = append(out.Head, "credits   "+d.Planned[i].text())
	}
	sum := cli.Section{Name: "summary", Title: "Summary", Columns: []string{"what", "value"}}
	for _, x := range []struct {
		name string
		n    int64
	}{{"frames delivered", d.Delivered}, {"drops", d.Drops}, {"pause sent", d.PauseSent},
		{"resume sent", d.ResumeSent}, {"ECN marked", d.Marked},
		{"CNP sent", d.CNP}, {"maximum headroom cells", d.MaxHeadroom}, {"maximum shared cells", d.MaxShared},
		{"events", d.Events}} {
		sum.Row(x.name, cli.Count(x.n))
	}
	for _, x := range []struct {
		name string
		n    int64
	}{{"frames retransmitted", r.Summary.Resent}, {"ACK sent", r.Summary.ACK}, {"NAK sent", r.Summary.NAK},
		{"storms detected by watchdogs", d.Storms}, {"deadlocks", int64(d.Deadlocks)}} {
		if x.n > 0 {
			sum.Row(x.name, cli.Count(x.n))
		}
	}
	for _, reason := range fabric.Reasons() {
		if n := d.ByReason[reason]; n > 0 {
			sum.Row("drops: "+reason, cli.Count(n))
		}
	}
	out.Sections = []cli.Section{sum, simCompletions(r), simFlows(r), simLinkUse(r), simPorts(s, r),
		simNegotiated(d.DCBX), simShared(d.DCBX), simCredits(d.Credits), simLinkLayers(d.LinkLayers)}
	out.Sections = slices.DeleteFunc(out.Sections, func(s cli.Section) bool { return len(s.Rows) == 0 })
	if d.Locked {
		out.Foot = append(out.Foot, "DEADLOCK at the end: "+r.Cycle)
	}
	for _, f := range d.Findings {
		out.Foot = append(out.Foot, "finding: "+f)
	}
	verdict, _ := s.Verdict(r)
	out.Foot = append(out.Foot, fmt.Sprintf("last delivery at %v, run to %v, seed %d", r.Summary.LastDelivery, r.End,
		d.Seed), verdict)
	return out
}

// simRows is the largest number of rows of a table; further rows are counted.
const simRows = 40

// simFlows is the table of the flows.
func simFlows(r *scenario.Result) cli.Section {
	s := cli.Section{Name: "flows", Title: "Flows", Columns: []string{"flow", "sent", "delivered", "lost", "rate",
		"last delivery"}}
	for i := range r.Flows[:min(len(r.Flows), simRows)] {
		f := &r.Flows[i]
		s.Row(f.Name, cli.Count(f.Sent), cli.Count(f.Delivered), cli.Count(f.Lost), roughly(f.Rate).String(), f.Last.String())
	}
	if n := len(r.Flows) - simRows; n > 0 {
		s.Title += fmt.Sprintf(" (the first %d; %d more)", simRows, n)
	}
	return s
}

// roughly rounds a rate of a gigabit or more to megabits. The JSON document has
// the exact counts.
func roughly(r unit.BitRate) unit.BitRate {
	if r < unit.Gbps {
		return r
	}
	return (r + unit.Mbps/2) / unit.Mbps * unit.Mbps
}

// simPorts lists the priorities of ports that paused, were paused or dropped
// frames.
func simPorts(s *scenario.Scenario, r *scenario.Result) cli.Section {
	out := cli.Section{Name: "ports", Title: "Ports", Columns: []string{"port", "class", "pause sent", "resume sent",
		"pause received",
		"paused for", "drops"}}
	more := 0
	for i := range r.Ports {
		p := &r.Ports[i]
		c := &p.Counters
		for prio := range fabric.Priorities {
			if c.PauseSent[prio]+c.PauseReceived[prio]+c.Drops[prio] == 0 {
				continue
			}
			if len(out.Rows) == simRows {
				more++
				continue
			}
			out.Row(p.Name, s.ClassName(prio), cli.Count(c.PauseSent[prio]), cli.Count(c.ResumeSent[prio]),
				cli.Count(c.PauseReceived[prio]), c.PausedTime[prio].String(), cli.Count(c.Drops[prio]))
		}
	}
	if more > 0 {
		out.Title += fmt.Sprintf(" (the first %d; %d more)", simRows, more)
	}
	return out
}
