package scenario

import (
	"github.com/cellwarden/cellwarden/backend/sim/fabric"
	"github.com/cellwarden/cellwarden/dcbx"
	"github.com/cellwarden/cellwarden/internal/unnamed"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/report"
)

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
