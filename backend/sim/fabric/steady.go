package fabric

// A flow with a Sender is steady if it waits for nothing but its turn: its frames may have several lengths and end with
// messages, but it has no window, no acknowledgements, no congestion control, no rate, no bursts and no times of
// silence. What it sends next does not depend on when it looks, so its host's port may be lazy (lazy.go), and alone in
// its ring it stays there.

// isSteady tells whether the sender of a flow is steady.
func (f *Flow) isSteady(paced bool) bool {
	c := &f.Sender
	return !paced && c.Window == 0 && c.ACK.Every == 0 && c.DCQCN == nil && len(c.Trace) == 0 && c.OnOff == OnOff{}
}

// sendSteady sends a frame of a steady flow, the next one of its class, at a time that is now or, for a lazy port,
// earlier.
func (s *part) sendSteady(i int32, p *port, c *class, fl *flow, x *sender, at int64) {
	if at >= fl.stop {
		x.queued = false
		s.leaveRing(p, c, fl)
		if p.lazy {
			s.sendLazy(i, p)
		} else {
			s.kick(i)
		}
		return
	}
	payload := x.payload(fl, &x.next)
	k := packet{flow: x.flow, bytes: uint16(payload + fl.header), seq: x.next.seq, pcp: fl.pcp, dscp: fl.dscp,
		prio: fl.class, ttl: fl.ttl, ect: fl.ect}
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
