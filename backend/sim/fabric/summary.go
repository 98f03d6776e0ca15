package fabric

import (
	"errors"
	"fmt"
	"slices"

	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/clock"
	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/credits"
	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/packet"
	"github.com/cellwarden/cellwarden/buffer/mmu"
	"github.com/cellwarden/cellwarden/cbfc"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/diagnosis"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/unit"
)

// Summary is the result of a run. Numbers are of frames, but for the two of cells and the time, and are sums over the
// whole network.
type Summary struct {
	Sent       int64            `json:"frames_sent"`
	Delivered  int64            `json:"frames_delivered"`
	Drops      int64            `json:"drops"` // data and feedback frames
	ByReason   map[string]int64 `json:"drops_by_reason"`
	PauseSent  int64            `json:"pause_sent"`
	ResumeSent int64            `json:"resume_sent"`
	Marked     int64            `json:"ecn_marked"`
	CNP        int64            `json:"cnp_sent"`
	ACK        int64            `json:"ack_sent"`
	NAK        int64            `json:"nak_sent"`
	Resent     int64            `json:"frames_retransmitted"`   // among Sent
	Refused    int64            `json:"frames_out_of_sequence"` // arrived, but not delivered
	// Trimmed is frames that switches had no room for and trimmed (SAI's TRIM_PACKETS); TrimDropped those, among them,
	// whose rest found no room either (DROPPED_TRIM_PACKETS). These are among Drops; the others are only if their rest
	// was lost further on. TrimmedArrived is frames that arrived trimmed.
	Trimmed        int64 `json:"frames_trimmed,omitzero"`
	TrimDropped    int64 `json:"trimmed_dropped,omitzero"`
	TrimmedArrived int64 `json:"trimmed_arrived,omitzero"`

	Timeouts     int64       `json:"retransmission_timeouts"`
	MaxHeadroom  cells.Count `json:"max_headroom_cells"` // largest headroom of a group in a slice
	MaxShared    cells.Count `json:"max_shared_cells"`   // largest shared use of a group in a slice
	LastDelivery unit.Time   `json:"last_delivery_ps"`
	Events       int64       `json:"events"`
}

// Summary sums up the run so far. Sim.Summary costs a look at all accounts of all switches.
func (s *Sim) Summary() Summary {
	total := s.totals()
	out := Summary{Sent: total.Sent, Delivered: total.Delivered, Drops: total.Drops,
		PauseSent: total.PauseSent, ResumeSent: total.ResumeSent,
		CNP: total.Feedback[packet.CNP], ACK: total.Feedback[packet.ACK], NAK: total.Feedback[packet.NAK],
		Resent: total.Resent, TrimmedArrived: total.TrimmedArrived,
		Refused: total.Refused, Timeouts: total.Timeouts, Marked: total.Marked,
		LastDelivery: s.leaps.modelTime(s.lastDelivery()), Events: s.eventCount(), ByReason: map[string]int64{}}
	for i := range s.switches {
		// A switch with an admission rule has no MMU.
		if s.switches[i].mmu == nil {
			continue
		}
		// The MMU counts these by itself: they are no counters of a port.
		c := s.switches[i].mmu.Counters()
		out.Trimmed += c.Trimmed
		out.TrimDropped += c.TrimDropped
		// Peaks are of a group in one slice, so they are compared and not added up.
		for _, r := range s.switches[i].mmu.Snapshot(nil) {
			switch r.Account {
			case mmu.GroupHeadroomPeak:
				out.MaxHeadroom = max(out.MaxHeadroom, cells.Count(r.Value))
			case mmu.GroupSharedPeak:
				out.MaxShared = max(out.MaxShared, cells.Count(r.Value))
			}
		}
	}
	// A cause without drops has no entry.
	for c, n := range total.Causes {
		if n > 0 {
			out.ByReason[Reason(mmu.Cause(c))] = n
		}
	}
	return out
}

// Check returns an error that names every broken invariant: every frame was delivered or dropped or is still in the
// network, and every MMU's accounts add up. An error is a fault of the simulator, and not of the network. Nothing is
// changed.
func (s *Sim) Check() error {
	var bad []error
	total := s.totals()
	// Every frame of a flow and every answer has one of these ends. Pause frames and LLDP are counted apart.
	if way := s.underWay(); total.Sent+total.FeedbackMade != total.Delivered+total.Refused+total.TrimmedArrived+
		total.FeedbackDelivered+total.Drops+way {
		bad = append(bad, fmt.Errorf(
			"%d frames and %d answers sent, %d delivered, %d refused, %d trimmed, %d answers delivered, %d dropped, %d under way",
			total.Sent, total.FeedbackMade, total.Delivered, total.Refused, total.TrimmedArrived, total.FeedbackDelivered,
			total.Drops, way))
	}
	// What follows compares parts with each other, so that a fault is named near its place.
	bad = append(bad, s.checkSenders(), s.checkEgress(), s.checkLayers())
	for i := range s.switches {
		if s.switches[i].mmu == nil {
			continue
		}
		if err := errors.Join(s.switches[i].mmu.Check(), s.switches[i].checkTallies()); err != nil {
			bad = append(bad, fmt.Errorf("switch %d: %w", i, err))
		}
	}
	// Each drop is counted three times, by independent code: in all, by reason and by port.
	if counted := s.countedDrops(); total.Drops != counted[0] || total.Drops != counted[1] {
		bad = append(bad, fmt.Errorf("%d frames dropped, %d by reason, %d by port", total.Drops, counted[0],
			counted[1]))
	}
	return errors.Join(bad...)
}

// countedDrops returns the sum of the drops by cause, and by port. They must be equal. A frame that is lost on a link
// counts at a port as well (Lost, LostIn).
func (s *Sim) countedDrops() (sums [2]int64) {
	for _, n := range s.totals().Causes {
		sums[0] += n
	}
	for i := range s.ports {
		sums[1] += s.ports[i].past().Lost + s.ports[i].past().LostIn
		for _, n := range s.ports[i].past().Drops {
			sums[1] += n
		}
	}
	return sums
}

// checkEgress returns an error if a port's queues contradict its other state. A queue that waits and is empty would
// stop its port, and one that has frames and does not wait would never be sent.
func (s *Sim) checkEgress() error {
	var bad []error
	var marked int64
	for i := range s.ports {
		p := &s.ports[i]
		// The bits of waiting are queues at a switch, and classes at a host, which has no queues.
		for q := range p.queues {
			marked += p.past().Marked[q]
			if waits := p.waiting>>q&1 != 0; p.isSwitch() && waits != (p.queues[q].Len > 0) {
				bad = append(bad, fmt.Errorf("port %d: queue %d holds %d frames, waiting %v", i, q,
					p.queues[q].Len, waits))
			}
		}
		// A port that is idle and may send has an event that looks at it.
		if p.isSwitch() && p.linked && !p.busy && p.waiting&^p.paused != 0 &&
			!s.partOf(int32(i)).Pending(int32(i)*perPort+onReady) {
			bad = append(bad, fmt.Errorf("port %d is idle, but queues %08b may send", i, p.waiting&^p.paused))
		}
	}
	if all := s.totals().Marked; marked != all {
		bad = append(bad, fmt.Errorf("%d frames marked in all, %d in the queues", all, marked))
	}
	return errors.Join(bad...)
}

// checkSenders returns an error for each flow whose counters contradict each other. Frames under way are in none of the
// counters but sent.
func (s *Sim) checkSenders() error {
	var bad []error
	for i := range s.flows {
		f := &s.flows[i]
		// The difference is under way, and so never below 0.
		if f.sent < f.delivered+f.refused+f.trimmed+f.lost {
			bad = append(bad, fmt.Errorf("flow %d: %d frames sent, %d delivered, %d refused, %d lost", i, f.sent,
				f.delivered, f.refused, f.lost))
		}
	}
	// Not every flow has a sender, so a sender's number is not that of its flow.
	for i := range s.senders {
		if err := s.senders[i].check(); err != nil {
			bad = append(bad, fmt.Errorf("flow %d: %w", s.senders[i].flow, err))
		}
	}
	return errors.Join(bad...)
}

// checkLayers returns an error if credits are not conserved: each one that a sender has consumed belongs to a frame
// under way, has leaked, is in the receiver's buffer, or is freed.
func (s *Sim) checkLayers() error {
	var bad []error
	stored := s.storedCredits()
	for i := range s.ports {
		p := &s.ports[i]
		l := p.pausing.layer
		if l == nil || l.to == nil {
			continue
		}
		// Channels are those of priorities: channel N has the frames of priority N. Other frames have none, below 0.
		var way [Priorities]cbfc.Credits
		s.eachUnderWay(int32(i), func(f *credits.Frame[packet.Packet]) {
			if f.Channel >= 0 {
				way[f.Channel] += f.Credits
			}
		})
		// The sender of these credits is the other end of the link.
		from := s.ports[p.peer].pausing.layer
		for n := range Priorities {
			if !l.to.Channels.Has(n) {
				continue
			}
			tx, rx := &from.end.Sender.Ends[n], &l.end.Receiver.Ends[n]
			_, leaked := l.end.Channel(n)
			// Most includes the shared credits that the last packet may take beyond the channel's own.
			most := l.to.Pool.Most(n)
			// The counters are cyclic, and Since is the way from one to the other.
			if sent := tx.Consumed.Since(rx.Consumed); sent != way[n]+leaked || leaked < 0 {
				bad = append(bad, fmt.Errorf("port %d channel %d: %d credits sent and not arrived, %d under way, %d leaked", i,
					n, sent, way[n], leaked))
			}
			if in := rx.Stored(); in != stored[[2]int32{int32(i), int32(n)}] {
				bad = append(bad, fmt.Errorf("port %d channel %d: %d credits arrived and not freed, %d in the buffer", i, n, in,
					stored[[2]int32{int32(i), int32(n)}]))
			}
			if u := tx.InUse(); u > most {
				bad = append(bad, fmt.Errorf("port %d channel %d: %d credits in use of %d", i, n, u, most))
			}
		}
	}
	return errors.Join(bad...)
}

// storedCredits returns the credits of the frames in the buffers behind each port, by port and channel, with those
// that do not count as freed yet. It counts from the frames themselves, and not from what the ends have counted,
// which is compared with it.
func (s *Sim) storedCredits() map[[2]int32]cbfc.Credits {
	out := map[[2]int32]cbfc.Credits{}
	add := func(in int32, prio uint8, bytes uint16) {
		if l := s.ports[in].pausing.layer; l != nil && l.to != nil && l.to.Channels.Has(int(prio)) {
			out[[2]int32{in, int32(prio)}] += l.to.Account.Packet(unit.Bytes(bytes))
		}
	}
	for i := range s.ports {
		p := &s.ports[i]
		if l := p.pausing.layer; l != nil {
			// A frame that has left its buffer counts as freed only after the time that the receiver takes.
			for k := range l.freed.Len {
				f := l.freed.At(k)
				out[[2]int32{int32(i), int32(f.channel)}] += f.credits
			}
		}
		if !p.isSwitch() || !s.switches[p.node].credits {
			continue
		}
		// A frame that is being sent may still have its cells, and then has its credits.
		if p.leaving.held {
			add(p.leaving.In(), p.leaving.Priority, p.leaving.Bytes)
		}
		for q := range p.queues {
			for j := range p.queues[q].Len {
				k := p.queues[q].At(j)
				add(k.In(), k.Priority, k.Bytes)
			}
		}
	}
	return out
}

// Meter counts what ports themselves do not count, and gives a switch's
// counters in the form that package diagnosis reads: bytes by class, and drops
// for want of memory. It must see every event: sim.Observe(meter.Observe), or a
// call from another observer.
type Meter struct {
	sim   *Sim
	ports []metered
}

// metered is what a meter counts of a port, by priority.
type metered struct {
	in, out [Priorities]unit.Bytes
	drops   [Priorities]int64 // for want of memory
}

// NewMeter returns a meter with all counters at 0.
func NewMeter(s *Sim) *Meter { return &Meter{s, make([]metered, len(s.ports))} }

// Observe counts a frame that arrives at a switch or begins to leave it. Frames
// that are dropped on arrival count as arrived, except those that a watchdog
// drops: a watchdog also drops waiting frames, which have been counted.
//
// A drop counts only if the ingress of the MMU, or the admission rule in its
// place, refused the frame. Drops at an egress limit, by a watchdog, on a dead
// link, by TTL, by WRED or without a route say nothing about headroom.
func (m *Meter) Observe(e *Event) {
	if !e.Where.Switch {
		return
	}
	p := &m.ports[m.sim.port(e.Where)]
	if e.Kind == Dropped && (e.Cause < dropNoRoute && !e.Cause.Egress() || e.Cause == dropRule) {
		p.drops[e.Priority]++
	}
	switch {
	case e.Kind == Enqueued, e.Kind == Dropped && e.Cause != dropLink && e.Cause != dropWatchdog:
		p.in[e.Priority] += e.Bytes
	case e.Kind == Departs:
		p.out[e.Priority] += e.Bytes
	}
}

// Read returns the present counters of a switch's ports that have a link. The
// lossless classes are those with PFC.
func (m *Meter) Read(node int) diagnosis.Snapshot {
	s := m.sim
	sw := &s.switches[node]
	r := diagnosis.Snapshot{At: s.Now()}
	for j := range sw.ports {
		i := sw.first + int32(j)
		p := &s.ports[i]
		if !p.linked {
			continue
		}
		out := diagnosis.Port{Name: s.portName(i), Rate: p.rate, Lossless: p.pfc}
		for n := range out.Classes {
			out.Classes[n] = diagnosis.Counters{PauseSent: p.past().PauseSent[n],
				PauseReceived: p.past().PauseReceived[n], Drops: m.ports[i].drops[n],
				BytesIn: m.ports[i].in[n], BytesOut: m.ports[i].out[n], PausedTime: s.pausedTime(p, n)}
		}
		r.Ports = append(r.Ports, out)
	}
	return r
}

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

// FlowRate returns the rate at which a flow may send now: the rate of DCQCN,
// the flow's limit, or the rate of the host's link.
func (s *Sim) FlowRate(i int) unit.BitRate {
	fl := &s.flows[i]
	if fl.sender >= 0 && s.senders[fl.sender].rate.On() {
		return s.senders[fl.sender].rate.At(s.now)
	}
	if fl.paced {
		return unit.BitRate(fl.rate)
	}
	return s.ports[fl.from].rate
}

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

// ClearPeaks sets every peak of a switch's tallies to the present value.
func (s *Sim) ClearPeaks(node int) {
	t := s.switches[node].tallies
	if t == nil {
		return
	}
	for _, list := range [...][]Tally{t.groups, t.queues} {
		for i := range list {
			list[i].Peak = list[i].Cells
		}
	}
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

// Deadlock looks for egress queues that wait for each other in a circle.
//
// A queue waits if its peer is a switch and pauses it, or if it has no credits
// of its peer. It then waits for the queues of the peer in which the packets of
// the pausing group are, because the group sends XON only when packets leave;
// and credits come back only when packets leave. The queue is stuck if all of these
// queues are stuck. A queue that can still send is not stuck, and neither is
// one that only a host pauses: a pause storm is not a deadlock. A group that
// holds no packets is paused because others use the pool, and is not followed.
//
// Under dynamic thresholds a group in a cycle can still be resumed when other
// traffic leaves the pool. Such a cycle passes. Network.DeadlockEvery does not
// report it.
func (s *Sim) Deadlock() (cycle Cycle, ok bool) { return s.deadlock() }
