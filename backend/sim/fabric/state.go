package fabric

import (
	"slices"

	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/clock"
	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/credits"
	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/packet"
	"github.com/cellwarden/cellwarden/buffer/mmu"
	"github.com/cellwarden/cellwarden/cbfc"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/unit"
)

// MMU returns a switch's MMU. It is nil if the switch has an admission rule.
func (s *Sim) MMU(i int) *mmu.MMU { return s.switches[i].mmu }

// Ports returns the number of ports of a switch.
func (s *Sim) Ports(node int) int { return len(s.switches[node].ports) }

// Queue returns the frames and bytes that wait in a switch's egress queue,
// without the frame that is being sent.
func (s *Sim) Queue(node, port, queue int) (frames int, bytes unit.Bytes) {
	q := &s.ports[int(s.switches[node].first)+port].queues[queue]
	return int(q.Len), unit.Bytes(waitingBytes(q))
}

// waitingBytes is the bytes of the packets of a queue.
func waitingBytes(q *packet.Queue) (n int64) {
	for i := range q.Len {
		n += int64(q.At(i).Bytes)
	}
	return n
}

// Counters returns the counters of a port.
func (s *Sim) Counters(e End) PortCounters {
	p := &s.ports[s.port(e)]
	c := p.past().PortCounters
	c.FramesIn, c.FramesOut, c.BytesIn, c.BytesOut = p.framesIn, p.framesOut, p.bytesIn, p.bytesOut
	for q, at := range c.LastDrop {
		c.LastDrop[q] = s.leaps.modelTime(int64(at))
	}
	return c
}

// PausedTime returns how long a priority of a port was paused. It includes a
// pause that still lasts, which [PortCounters] does not.
func (s *Sim) PausedTime(e End, priority int) unit.Time {
	return s.pausedTime(&s.ports[s.port(e)], priority)
}

// pausedTime returns how long a priority was paused, including a pause that
// still lasts.
func (s *Sim) pausedTime(p *port, priority int) unit.Time {
	t := p.past().PausedTime[priority]
	if p.pausing.receiver.Paused(unit.Time(s.now), priority) {
		t += unit.Time(s.now - p.past().since[priority])
	}
	return t
}

// FlowState is the progress of a flow.
type FlowState struct {
	Sent, Delivered, Lost int64      // frames
	Resent                int64      // frames sent again, among Sent
	Refused               int64      // frames that arrived out of sequence
	Trimmed               int64      // frames that arrived trimmed
	Bytes                 unit.Bytes // delivered, from destination address to FCS
	Last                  unit.Time  // time of the last delivery
}

// Flow returns the progress of a flow.
func (s *Sim) Flow(i int) FlowState {
	f := &s.flows[i]
	return FlowState{Sent: f.sent, Delivered: f.delivered, Lost: f.lost, Resent: f.resent, Refused: f.refused, Trimmed: f.trimmed,
		Bytes: unit.Bytes(f.bytes), Last: s.leaps.modelTime(f.last)}
}

// Done tells whether a flow has sent everything and every frame has arrived or
// was lost. A flow without end is never done.
func (s *Sim) Done(i int) bool {
	f := &s.flows[i]
	if f.sent != f.delivered+f.lost+f.refused+f.trimmed {
		return false
	}
	if f.sender < 0 {
		return f.unsent == 0
	}
	x := &s.senders[f.sender]
	if x.ackEvery > 0 { // what was lost is sent again
		return x.size > 0 && f.bytes-f.delivered*f.header == x.size
	}
	return x.size > 0 && x.next.off == x.size
}

// Started returns when a flow starts, or started; false while it waits for others.
func (s *Sim) Started(i int) (unit.Time, bool) {
	at := s.starting.at[i]
	return s.leaps.modelTime(at), at < clock.Never
}

// Arrived tells whether all payload of a flow has arrived at its receiver. A flow without end never has.
func (s *Sim) Arrived(i int) bool { return s.flows[i].arrived(s.starting.payload[i]) }

// Watchdog returns the counters of a switch port's watchdog; zero if it has
// none.
func (s *Sim) Watchdog(node, port int) WatchdogCounters {
	d := s.ports[int(s.switches[node].first)+port].pausing.watchdog
	if d == nil {
		return WatchdogCounters{}
	}
	out := d.count
	out.Active = d.active
	return out
}

// DCBX returns the DCBX of a port; false if it does not speak it.
func (s *Sim) DCBX(e End) (DCBXState, bool) {
	p := &s.ports[s.port(e)]
	l := p.pausing.lldp
	if l == nil {
		return DCBXState{}, false
	}
	out := l.state
	out.PFC = p.pfc
	return out, true
}

// LinkCounters count what the link layer of a port did: messages of credits (CF and CC) sent and lost, frames that were
// corrupted, and what link-layer retry repeated, acknowledged and gave up.
type LinkCounters = credits.Counters

// LayerState is what the link layer of a port did so far, and its credits now.
type LayerState struct {
	LinkCounters
	Channels [Priorities]ChannelCounters
	Full     unit.Time                // for which its replay buffer had no place for the next frame
	Gives    pfc.Priorities           // channels for which it gives credits to its peer
	Takes    pfc.Priorities           // channels for which its peer gives it credits
	InUse    [Priorities]cbfc.Credits // of what it sends: consumed, and not returned yet
	Leaked   [Priorities]cbfc.Credits // of what it gives: by frames that never arrived, and not repaired yet
}

// LinkLayer returns the state of a port's link layer; false if its link has none.
func (s *Sim) LinkLayer(e End) (LayerState, bool) {
	p := &s.ports[s.port(e)]
	l := p.pausing.layer
	if l == nil {
		return LayerState{}, false
	}
	out := LayerState{LinkCounters: l.end.Counters(), Full: unit.Time(l.fullFor)}
	if l.full {
		out.Full += unit.Time(s.now - l.fullAt)
	}
	if l.to != nil {
		out.Gives = l.to.Channels
	}
	if l.from != nil {
		out.Takes = l.from.Channels
	}
	for n := range Priorities {
		out.Channels[n], out.Leaked[n] = l.channel(n, s.now)
		out.InUse[n] = l.end.Sender.Ends[n].InUse()
	}
	return out, true
}

// CountQueues makes a switch count by group and by queue from now on: see
// Tally. A switch with an admission rule has no groups, and counts nothing. A
// second call changes nothing.
func (s *Sim) CountQueues(node int) {
	sw := &s.switches[node]
	if sw.tallies != nil || sw.mmu == nil {
		return
	}
	defer s.setElidable(sw)
	sw.tallies = &tallies{make([]Tally, len(sw.owner)), make([]Tally, len(sw.ports)*Priorities)}
	// Frames that are in the switch already are charged, so that cells do not
	// become negative when they leave.
	for j := range sw.ports {
		i := sw.first + int32(j)
		p := &s.ports[i]
		for q := range p.queues {
			for n := range p.queues[q].Len {
				k := p.queues[q].At(n)
				sw.tallies.hold(sw.mmu.Cells(k.Charged()), k.Group(), int32(j), uint8(q))
			}
		}
		if l := &p.leaving; l.held {
			sw.tallies.hold(sw.mmu.Cells(l.Charged()), l.Group(), int32(j), l.queue)
		}
	}
}

// GroupTally returns the tally of a group of a switch's MMU; zero before
// CountQueues.
func (s *Sim) GroupTally(node, group int) Tally {
	if t := s.switches[node].tallies; t != nil {
		return t.groups[group]
	}
	return Tally{}
}

// QueueTally returns the tally of an egress queue of a switch's port; zero
// before CountQueues.
func (s *Sim) QueueTally(node, port, queue int) Tally {
	if t := s.switches[node].tallies; t != nil {
		return t.queues[port*Priorities+queue]
	}
	return Tally{}
}

// Reasons lists the names of all reasons for a drop, as a Summary names them.
func Reasons() []string {
	var out []string
	for _, c := range mmu.Causes() {
		out = append(out, c.String())
	}
	for c := dropNoRoute; c < drops; c++ {
		out = append(out, Reason(c))
	}
	return out
}

// FoundDeadlocks returns the deadlocks that the looks of Network.DeadlockEvery
// have found so far, each once. A deadlock counts if two looks in a row find
// the same cycle and no queue of it has moved in between.
func (s *Sim) FoundDeadlocks() []FoundDeadlock { return slices.Clone(s.failing.deadlocks.found) }
