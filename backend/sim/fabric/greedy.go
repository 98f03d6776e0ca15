package fabric

import "github.com/cellwarden/cellwarden/backend/sim/fabric/internal/packet"

// A flow with a Sender is greedy if it waits for nothing but its turn: its frames may have several lengths and end with
// messages, but it has no window, no acknowledgements, no congestion control, no rate, no bursts and no times of
// silence. What it sends next does not depend on when it looks, so its host's port may be lazy (lazy.go), and alone in
// its ring it stays there.

// isGreedy tells whether the sender of a flow is greedy.
func (f *Flow) isElidable(paced bool) bool {
	c := &f.Sender
	return !paced && c.Window == 0 && c.ACK.Every == 0 && c.DCQCN == nil && len(c.Trace) == 0 && c.OnOff == OnOff{}
}

// sendGreedy sends a frame of a greedy flow, the next one of its class, at a time that is now or, for a lazy port,
// earlier.
func (s *part) sendElidable(i int32, p *port, c *class, fl *flow, x *sender, at int64) {
	if at >= fl.stop {
		x.queued = false
		s.leaveRing(p, c, fl)
		if p.elidesSends {
			s.sendNextElided(i, p)
		} else {
			s.kick(i)
		}
		return
	}
	payload := x.payload(fl, &x.next)
	k := packet.Packet{Flow: x.flow, Bytes: uint16(payload + fl.header), Seq: x.next.seq, PCP: fl.pcp, DSCP: fl.dscp,
		Priority: fl.class, TTL: fl.ttl, ECT: fl.ect}
	x.advance(&x.next, payload)
	x.newest = x.next.seq
	fl.sent++
	s.total.Sent++
	s.transmit(i, p, &k, at)
	x.queued = x.payload(fl, &x.next) > 0
	if fl.next < 0 && x.queued {
		return // it is alone in its ring, and stays there
	}
	s.leaveRing(p, c, fl)
	if x.queued {
		s.enqueueFlow(p, x.flow)
	}
}
