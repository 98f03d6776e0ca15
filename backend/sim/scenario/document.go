package scenario

import (
	"github.com/cellwarden/cellwarden/backend/sim/fabric"
	"github.com/cellwarden/cellwarden/dcbx"
	"github.com/cellwarden/cellwarden/internal/grouped"
	"github.com/cellwarden/cellwarden/internal/unnamed"
	"github.com/cellwarden/cellwarden/pfc"
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
		Completions: r.Completions, LinksUsed: len(r.Links), Links: r.Links[:min(len(r.Links), documentLinks)],
		Planned: s.PlannedCredits, DCBX: documentDCBX(r)}
	for _, f := range r.Findings {
		d.Findings = append(d.Findings, f.String())
	}
	documentFast(&d, r)
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

// documentChannels returns the virtual channels of a run, and what the ports sent for them. A channel joins what its
// sender consumed with what its receiver freed, so it looks at both ends of the link.
func documentChannels(s *Scenario, r *Result) (channels []report.SimChannel, layers []report.SimLinkLayer) {
	// A host has one port, and a port of a switch has one link, so that an end has one peer.
	peers := s.peers()
	for i := range r.Ports {
		p := r.Ports[i].Layer
		if p == nil {
			continue
		}
		// Full is picoseconds, and the others are counts.
		layers = append(layers, report.SimLinkLayer{Port: r.Ports[i].Name, CFSent: p.CFSent, CFLost: p.CFLost,
			CCSent: p.CCSent, CCLost: p.CCLost, Corrupted: p.Corrupted, Replays: p.Replays, Repeated: p.Repeated,
			Timeouts: p.Timeouts, Flushes: p.Flushes, GivenUp: p.GivenUp, Most: p.Most, Full: int64(p.Full), Acks: p.Acks,
			Nacks: p.Nacks, Duplicates: p.Duplicates})
		// Both ends of a link have a layer or neither has one, so that the other end is there.
		to := r.port(peers[r.Ports[i].At])
		// Takes are the channels for which this port needs credits, which are those that its neighbour gives.
		for n := range fabric.Priorities {
			if !p.Takes.Has(n) {
				continue
			}
			// tx has what this end consumed, and rx what the other end freed.
			tx, rx := &p.Channels[n], &to.Layer.Channels[n]
			channels = append(channels, report.SimChannel{From: r.Ports[i].Name, To: to.Name, Class: s.ClassName(n), Channel: n,
				Consumed: tx.Consumed, Freed: rx.Freed, Returned: tx.Returned, InUse: p.InUse[n], MostInUse: tx.MostInUse,
				Waited: int64(tx.Waited), Leaked: rx.Leaked, Repaired: rx.Repaired})
		}
	}
	return channels, layers
}

// documentDCBX returns the DCBX of all ports that speak it. LastDrop is the latest over all priorities, in
// picoseconds; null: the port dropped nothing.
func documentDCBX(r *Result) (out []report.SimDCBX) {
	for i := range r.Ports {
		port, n := &r.Ports[i], r.Ports[i].DCBX
		if n == nil {
			continue
		}
		d := report.SimDCBX{Port: port.Name, Configured: priorityList(n.Configured), InForce: priorityList(n.PFC),
			Reason: n.Operational.PFC.Reason, Sent: n.Sent, Heard: n.Heard, Refused: n.Refused, Changed: n.Changed}
		// Drops stand beside the negotiation, because their last time shows whether PFC was in force then.
		for prio, dropped := range port.Counters.Drops {
			last := int64(port.Counters.LastDrop[prio])
			if d.Drops += dropped; dropped > 0 && (d.LastDrop == nil || *d.LastDrop < last) {
				d.LastDrop = &last
			}
		}
		// Only the first changes are listed. Changed counts all, and Since is the last of all.
		if n.Changed > 0 {
			d.Since = new(int64(n.ChangedAt))
		}
		changes := unnamed.List(&d.Changes, len(n.Changes))
		for k, c := range n.Changes {
			changes[k].At, changes[k].PFC, changes[k].Reason = int64(c.At), priorityList(c.PFC), c.Reason
		}
		documentShares(&d, n)
		out = append(out, d)
	}
	return out
}

// documentShares adds the ETS of a port; nothing if the port does not speak of it, or has not begun to speak. Shares
// are whole percents. A strict class has none.
func documentShares(d *report.SimDCBX, n *negotiated) {
	in := &n.Operational
	if !n.SaysShares || !n.Up {
		return
	}
	s := unnamed.New(&d.Shares)
	s.Taken, s.Reason, s.Changed = in.ETS.FromPeer, in.ETS.Reason, n.Rescheduled
	// Shares that have not changed since the start have no time.
	if n.Rescheduled > 0 {
		s.Since = new(int64(n.RescheduledAt))
	}
	// It is [] and not null in JSON.
	unnamed.List(&s.Groups, 0)
	for class, how := range in.Table.Selection {
		var of pfc.Priorities
		for p, c := range in.Table.Class {
			if int(c) == class {
				of |= pfc.Of(p)
			}
		}
		// A class without priorities has a share on the wire that no frame can use.
		if of == 0 {
			continue
		}
		g := unnamed.Add(&s.Groups)
		g.Priorities, g.Algorithm = priorityList(of), how.String()
		if how == dcbx.Enhanced {
			g.Bandwidth = int(in.Table.Bandwidth[class])
		}
	}
}

// priorityList returns the priorities of a set.
func priorityList(set pfc.Priorities) []int {
	// A document has [] and not null.
	out := []int{}
	for p := range pfc.PerLink {
		if set.Has(p) {
			out = append(out, p)
		}
	}
	return out
}
