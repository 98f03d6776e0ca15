package fabric

import (
	"errors"
	"fmt"

	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/credits"
	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/packet"
	"github.com/cellwarden/cellwarden/buffer/mmu"
	"github.com/cellwarden/cellwarden/cbfc"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/diagnosis"
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
