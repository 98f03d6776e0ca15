package prove

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/cellwarden/cellwarden/backend/sim/fabric"
	"github.com/cellwarden/cellwarden/backend/sim/scenario"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/dcbx"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/unit"
)

// simTables are the tables that the report of a run can have. --table is compared with them before the run, which may
// take minutes.
var simTables = []string{"verdict", "summary", "completion", "flows", "links", "ports", "dcbx", "shares",
	"credits", "link-layer"}

// simRuleText is the rule in a line: with the names of some switches if not all have it. Its source says whether the
// rule is measured, inferred or assumed.
func simRuleText(r *report.SimRule, rules int) string {
	who := ""
	// Most runs have one rule for all switches; names then say nothing.
	if rules > 1 {
		who = shortList(r.Switches, 4) + ": "
	}
	return fmt.Sprintf("%s%s: %s (%s)", who, r.Behaviour, r.Rule, r.Source)
}

// simScreen returns the tables: the whole run, the flows, and the ports that
// paused, were paused or dropped frames. What the numbers rest on stands above them: what was left out, the rule of
// each switch, the account of credits. Tables that a scenario has no use for are left out.
func simScreen(d *report.SimDocument, s *scenario.Scenario, r *scenario.Result, units string) *cli.Screen {
	out := &cli.Screen{Head: []string{s.Name}}
	// It stands before all numbers, because it says which of them are estimates.
	if d.FastForward != nil {
		out.Head = append(out.Head, "fast-forward: "+fastText(d, r))
	}
	if s.Lesson != "" {
		out.Head = append(out.Head, s.Lesson)
	}
	// Each is a flow list of another simulator, with what was read of it.
	out.Head = append(out.Head, cli.Prefixed("flows     ", s.Lists)...)
	// Switches with one rule share a line.
	for _, x := range d.Rules {
		out.Head = append(out.Head, "rule      "+simRuleText(&x, len(d.Rules)))
	}
	// A switch has a line for each account that its links count by.
	for i := range d.Planned {
		out.Head = append(out.Head, "credits   "+plannedText(&d.Planned[i]))
	}
	// Counts are of frames and of the whole network; the maxima are of single groups.
	sum := cli.Table("summary", "Summary", "what", "value")
	// These rows stand in every summary, also at 0: no drop is an answer. Those that follow are of features that a
	// scenario may not have.
	sum.Row("frames delivered", cli.Count(d.Delivered))
	sum.Row("drops", cli.Count(d.Drops))
	sum.Row("pause sent", cli.Count(d.PauseSent))
	sum.Row("resume sent", cli.Count(d.ResumeSent))
	sum.Row("ECN marked", cli.Count(d.Marked))
	sum.Row("CNP sent", cli.Count(d.CNP))
	if d.Trimmed > 0 {
		sum.Row("frames trimmed", cli.Count(d.Trimmed))
		sum.Row("of these, dropped at once", cli.Count(d.TrimDropped))
		sum.Row("arrived trimmed", cli.Count(d.TrimmedArrived))
	}
	simMaxima(&sum, d, s, units)
	// It tells how much work the run was, and is the same on every machine.
	sum.Row("events", cli.Count(d.Events))
	for _, x := range []struct {
		name string
		n    int64
	}{{"frames retransmitted", r.Summary.Resent}, {"ACK sent", r.Summary.ACK}, {"NAK sent", r.Summary.NAK},
		{"storms detected by watchdogs", d.Storms}, {"deadlocks", int64(d.Deadlocks)}} {
		if x.n > 0 {
			sum.Row(x.name, cli.Count(x.n))
		}
	}
	// In the order of the simulator and not of a map, so that the same run prints the same bytes.
	for _, reason := range fabric.Reasons() {
		if n := d.ByReason[reason]; n > 0 {
			sum.Row("drops: "+reason, cli.Count(n))
		}
	}
	// Only the maxima are amounts of cells, and get MB.
	sum.MB("value", "MB")
	out.Sections = []cli.Section{sum, simCompletions(r), simFlows(r), simLinkUse(r), simPorts(s, r),
		SimNegotiated(d.DCBX), SimShared(d.DCBX), simCredits(d.Credits), simLinkLayers(d.LinkLayers)}
	// A deadlock is below the tables and in no number of them: frames that wait forever are not dropped.
	if d.Locked {
		out.Foot = append(out.Foot, "DEADLOCK at the end: "+r.Cycle)
	}
	out.Foot = append(out.Foot, cli.Prefixed("finding: ", d.Findings)...)
	// The last line is what the run was made for.
	verdict, _ := s.Verdict(r)
	out.Foot = append(out.Foot, fmt.Sprintf("last delivery at %v, run to %v, seed %d", r.Summary.LastDelivery, r.End,
		d.Seed), verdict)
	// A table of a feature that the scenario does not use is empty.
	return out.WithoutEmpty()
}

// simMaxima adds the most cells in use at one time; after a fast run that left something out, in what was simulated. Of
// a fast run they are lower bounds, and the words behind their names say so.
func simMaxima(to *cli.Section, d *report.SimDocument, s *scenario.Scenario, units string) {
	headroom, shared, where := d.MaxHeadroom, d.MaxShared, ""
	// After a leap the maxima of the whole run are not known. Both are absent together.
	if shared == nil {
		headroom, shared, where = d.FastForward.MaxHeadroom, d.FastForward.MaxShared, " while simulated"
	}
	simMaximum(to, "maximum headroom", where, *headroom, s, units)
	simMaximum(to, "maximum shared", where, *shared, s, units)
}

// simMaximum adds a maximum. Switches with cells of several sizes have no bytes in common. n is cells of one group. The
// MMUs of planned switches have the cell of their chip.
func simMaximum(to *cli.Section, name, where string, n int64, s *scenario.Scenario, units string) {
	var cell cells.Size
	// A cell of 0 is a switch without an MMU.
	for i := range s.Network.Switches {
		if size := s.Network.Switches[i].MMU.Cell; i == 0 {
			cell = size
		} else if size != cell {
			cell = 0
		}
	}
	switch {
	// Cells of several sizes, or of none, are counted in every unit.
	case cell == 0:
		to.Row(name+" cells"+where, cli.Count(n))
	case units == cli.InBytes:
		to.Row(name+" bytes"+where, cli.Count(cell.Bytes(cells.Count(n))))
	default:
		to.Row(name+" cells"+where, cli.Amount{Cells: cells.Count(n), Bytes: cell.Bytes(cells.Count(n))})
	}
}

// simRows is the largest number of rows of a table; further rows are counted.
const simRows = 40

// capped is a table of at most simRows rows. more are further ones.
type capped struct {
	cli.Section
	more int
}

// Row adds a row, or counts it.
func (c *capped) Row(cells ...any) {
	if len(c.Rows) == simRows {
		c.more++
		return
	}
	c.Section.Row(cells...)
}

// section is the table, with what it leaves out in its title.
func (c *capped) section() cli.Section {
	if c.more > 0 {
		c.Title += fmt.Sprintf(" (the first %d; %d more)", simRows, c.more)
	}
	return c.Section
}

// simFlows is the table of the flows. Flows are listed one by one, up to simRows; their entries are in the table of
// completions.
func simFlows(r *scenario.Result) cli.Section {
	s := capped{Section: cli.Table("flows", "Flows", "flow", "sent", "delivered", "lost", "rate", "last delivery")}
	for i := range r.Flows {
		f := &r.Flows[i]
		s.Row(f.Name, cli.Count(f.Sent), cli.Count(f.Delivered), cli.Count(f.Lost), roughly(f.Rate).String(), f.Last.String())
	}
	return s.section()
}

// roughly rounds a rate of a gigabit or more to megabits. The JSON document has
// the exact counts.
func roughly(r unit.BitRate) unit.BitRate {
	// Below a gigabit three digits matter, as a flow that is paused most of the time shows.
	if r < unit.Gbps {
		return r
	}
	return (r + unit.Mbps/2) / unit.Mbps * unit.Mbps
}

// simPorts lists the priorities of ports that paused, were paused or dropped
// frames. A row is a priority of a port. Its counters are frames, and paused for is how long the neighbour has stopped
// it.
func simPorts(s *scenario.Scenario, r *scenario.Result) cli.Section {
	out := capped{Section: cli.Table("ports", "Ports", "port", "class", "pause sent", "resume sent", "pause received",
		"paused for", "drops")}
	for i := range r.Ports {
		p := &r.Ports[i]
		c := &p.Counters
		for prio := range fabric.Priorities {
			// A quiet priority has no row: a switch has eight of them on every port.
			if c.PauseSent[prio]+c.PauseReceived[prio]+c.Drops[prio] == 0 {
				continue
			}
			out.Row(p.Name, s.ClassName(prio), cli.Count(c.PauseSent[prio]), cli.Count(c.ResumeSent[prio]),
				cli.Count(c.PauseReceived[prio]), c.PausedTime[prio].String(), cli.Count(c.Drops[prio]))
		}
	}
	return out.section()
}

// fastText is the first line about it. Skipped is a time, and its share of the time with traffic is in thousandths. The
// bounds are those that tests hold.
func fastText(d *report.SimDocument, r *scenario.Result) string {
	f := d.FastForward
	switch {
	case f.Refused != "":
		return "not used: " + f.Refused
	case f.Leaps == 0:
		return "no steady state was found; every event was simulated"
	}
	return fmt.Sprintf("%v of the %v with traffic were not simulated (%d.%d %%, %d leaps). Completion times, times of "+
		"pauses and marks are estimates: they differed by less than %d %% from whole runs where this was compared, "+
		"numbers of pauses by less than %d %%. Maxima are those of what was simulated; the whole run can have larger ones.",
		r.FastForward.Skipped, r.Span, f.Share/10, f.Share%10, f.Leaps, f.Bound/10, f.Pauses/10)
}

// simLinks is the largest number of links in a result. A link is one direction of a cable: the port that sends on it
// has the row.
const simLinks = 10

// simCompletions is the table of the completion times. A row is an entry of the file, whose flows may be thousands.
func simCompletions(r *scenario.Result) cli.Section {
	s := capped{Section: cli.Section{Name: "completion",
		Title: "Completion times and slowdowns (time divided by that of " +
			"the flow alone)", Columns: scenario.CompletionColumns}}
	for i := range r.Completions {
		row := make([]any, 0, len(s.Columns))
		for _, x := range scenario.CompletionRow(&r.Completions[i]) {
			row = append(row, x)
		}
		s.Row(row...)
	}
	return s.section()
}

// simLinkUse is the table of the links that were used most. Use is the part of the time with traffic in which the port
// sent, in percent.
func simLinkUse(r *scenario.Result) cli.Section {
	s := cli.Table("links", fmt.Sprintf("Links in the %v of traffic", r.Span), "port that sends", "rate", "use", "frames")
	// The result has the links by their use, so the first ones are the bottlenecks.
	for _, l := range r.Links[:min(len(r.Links), simLinks)] {
		s.Row(l.Port, unit.BitRate(l.Rate).String(), scenario.UseText(l.Use), cli.Count(l.Frames))
	}
	if n := len(r.Links) - simLinks; n > 0 {
		s.Title += fmt.Sprintf(" (the %d most used; %d more)", simLinks, n)
	}
	return s
}

// The credits (CBFC), the retry (LLR) and the errors of the links of a run.

// plannedText is the account in a line, with some of the neighbours whose account is assumed. A credit is bytes, and
// the overhead bytes that are added to each packet before it is counted.
func plannedText(p *report.SimCredits) string {
	out := fmt.Sprintf("%s: those of its plan; a credit is %v, a packet has %v more than its length", p.Switch, p.Credit,
		p.Overhead)
	if len(p.Assumed) == 0 {
		return out
	}
	// Four names fit a line; the JSON has all of them.
	return fmt.Sprintf("%s; assumed: neighbours without a plan count alike and give as many (%s)", out,
		shortList(p.Assumed, 4))
}

// simCredits is the table of the virtual channels that were used. Consumed and freed are counts of credits at the two
// ends: what is missing between them is in use or has leaked.
func simCredits(channels []report.SimChannel) cli.Section {
	s := capped{Section: cli.Table("credits", "Credits (CBFC)", "from", "to", "class", "consumed", "freed", "most in use",
		"without credits", "leaked", "repaired")}
	for i := range channels {
		// A channel that no packet used says nothing. Waited is picoseconds in which a frame had to wait for credits.
		if c := &channels[i]; c.Consumed > 0 {
			s.Row(c.From, c.To, c.Class, cli.Count(c.Consumed), cli.Count(c.Freed), cli.Count(int64(c.MostInUse)),
				unit.Time(c.Waited).String(), cli.Count(c.Leaked), cli.Count(c.Repaired))
		}
	}
	return s.section()
}

// simLinkLayers is the table of the messages, the errors and the retry of the ports. Only ports whose link has credits,
// retry or errors are in the list.
func simLinkLayers(layers []report.SimLinkLayer) cli.Section {
	s := capped{Section: cli.Table("link-layer", "Messages, errors and retry (LLR) of links", "port", "CF_Updates sent",
		"CC_Updates sent", "frames corrupted", "replays", "frames resent", "timeouts", "given up", "buffer full")}
	for i := range layers {
		l := &layers[i]
		// Full is picoseconds in which the replay buffer was full, and the sender waited.
		s.Row(l.Port, cli.Count(l.CFSent), cli.Count(l.CCSent), cli.Count(l.Corrupted), cli.Count(l.Replays),
			cli.Count(l.Repeated), cli.Count(l.Timeouts), cli.Count(l.GivenUp), unit.Time(l.Full).String())
	}
	return s.section()
}

// The DCBX of the ports of a run.

// SimShared is the table of the ports that speak of their shares. Shares are those that are in force at the end of the
// run.
func SimShared(ports []report.SimDCBX) cli.Section {
	s := capped{Section: cli.Table("shares", "Shares by DCBX", "port", "shares at the end", "of", "changes", "since",
		"why")}
	for i := range ports {
		x := ports[i].Shares
		// Ports with PFC in DCBX and no shares have no row here.
		if x == nil {
			continue
		}
		var groups []string
		for _, g := range x.Groups {
			// The bandwidth of a group is in whole percents, as in the TLVs.
			how := g.Algorithm
			// Only ETS has a bandwidth; strict and credit-based groups have their algorithm.
			if how == dcbx.Enhanced.String() {
				how = fmt.Sprintf("%d%%", g.Bandwidth)
			}
			groups = append(groups, priorityText(g.Priorities)+": "+how)
		}
		// nil: nothing has changed since the start.
		of, since := "its own", "the start"
		if x.Taken {
			of = "the neighbour"
		}
		if x.Since != nil {
			since = unit.Time(*x.Since).String()
		}
		s.Row(ports[i].Port, strings.Join(groups, "; "), of, cli.Count(x.Changed), since, string(x.Reason))
	}
	return s.section()
}

// SimNegotiated is the table of the ports that speak DCBX. Drops stand beside the negotiation, because frames that are
// lost before PFC is in force are lost by it.
func SimNegotiated(ports []report.SimDCBX) cli.Section {
	s := capped{Section: cli.Table("dcbx", "DCBX", "port", "configured PFC", "PFC at the end", "since", "why", "LLDP sent",
		"LLDP heard", "drops", "last drop")}
	for i := range ports {
		d := &ports[i]
		// nil: nothing has changed since the start.
		since, last := "the start", "-"
		if d.Since != nil {
			since = unit.Time(*d.Since).String()
		}
		// A port that has dropped nothing has a dash.
		if d.LastDrop != nil {
			last = unit.Time(*d.LastDrop).String()
		}
		// No reason was noted where no exchange took place before the end of the run.
		why := cmp.Or(string(d.Reason), "it has not begun to speak")
		s.Row(d.Port, priorityText(d.Configured), priorityText(d.InForce), since, why, cli.Count(d.Sent), cli.Count(d.Heard),
			cli.Count(d.Drops), last)
	}
	return s.section()
}

// priorityText prints priorities. An empty list is none.
func priorityText(list []int) string { return cmp.Or(cli.Joined(list), "none") }
