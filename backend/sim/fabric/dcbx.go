package fabric

import (
	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/packet"
	"github.com/cellwarden/cellwarden/dcbx"
	"github.com/cellwarden/cellwarden/ets"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/unit"
)

// DCBX has a port send LLDP with DCBX, and use the PFC that it negotiates with the port at the other end of its link.
// The state machines are those of package dcbx.
//
// The PFC that is in force decides for which priorities a switch's port sends pauses and which pauses a port obeys. The
// memory of a switch does not change: a group whose priority loses PFC keeps its cells, and drops when they are in use.
//
// With ETS, a switch's port says how its queues share the link, and a willing one takes over the shares of its
// neighbour: its scheduler has them from its next frame on. A host says what it recommends; it has no queues that
// share.
//
// LLDP frames go before the frames of flows and behind pause frames, and no pause stops them: a switch sends frames of
// its own from a queue that is served first (inferred; no text was read that says it). They take their time on the link
// and no cells at a switch, because they end at the port.
type DCBX struct {
	// Settings are the port's. PFC.Enabled is not read: it is the PFC of the port in the network. Unless WithoutETS is
	// set, neither is ETS.Table of a switch's port: it is that of the port's scheduler.
	Settings dcbx.Settings
	// Start is when the port begins to speak. Before, its PFC is that of the network, and it ignores LLDP.
	Start unit.Time
	// Processing is the time from the last bit of an LLDP frame to its effect, and the port's answer.
	Processing unit.Time
}

// DCBXChange is a moment at which other priorities came into force at a port.
type DCBXChange struct {
	At     unit.Time
	PFC    pfc.Priorities // in force from then on
	Reason dcbx.Reason
}

// DCBXState is the DCBX of a port.
type DCBXState struct {
	Up          bool             // the port has begun to speak
	PFC         pfc.Priorities   // in force: for which it sends and obeys pauses
	Operational dcbx.Operational // what its state machines say; only if it is up
	Sent, Heard int64            // LLDP frames
	Refused     int64            // LLDP frames among Heard that it did not use
	Changes     []DCBXChange     // the first maxDCBXChanges
	Changed     int64            // number of all changes
	ChangedAt   unit.Time        // the last of them, also where it is not kept

	// Schedule is how the queues of a switch's port share the link now; the zero value at a port without ETS in DCBX.
	Schedule      Scheduler
	Rescheduled   int64     // number of its changes by DCBX
	RescheduledAt unit.Time // the last of them
}

// maxDCBXChanges is the number of changes of a port that are kept. A negotiation has one or two; only neighbours that
// come and go make more.
const maxDCBXChanges = 64

// lldp is the part of a port that only LLDP needs.
type lldp struct {
	DCBX
	agent    *dcbx.Agent
	own      Scheduler // of a switch's port with ETS in DCBX: its configuration
	due      bool      // a frame waits until the port is free
	arriving packet.Ring[lldpFrame]
	state    DCBXState
}

// lldpFrame is an LLDP frame on its way.
type lldpFrame struct {
	at    int64 // when it takes effect
	seq   uint64
	frame *dcbx.Frame
}

// newLLDP returns the LLDP of a port; nil if it does not speak it. The settings are valid: the network was validated.
// schedule is that of a switch's port; nil for a host's.
func newLLDP(d *DCBX, priorities pfc.Priorities, schedule *Scheduler) *lldp {
	if d == nil {
		return nil
	}
	l := &lldp{DCBX: *d}
	l.Settings.PFC.Enabled = priorities
	if !d.Settings.WithoutETS && schedule != nil {
		l.own, l.state.Schedule, l.Settings.ETS.Table = *schedule, *schedule, schedule.table()
	}
	l.agent, _ = dcbx.NewAgent(l.Settings)
	return l
}

// wireBytes returns the length of an LLDP frame with its check sequence, without preamble and gap.
func wireBytes(f *dcbx.Frame) unit.Bytes {
	b, err := f.AppendTo(nil)
	if err != nil {
		return shortestFrame
	}
	return unit.Bytes(len(b)) + 4
}

// The shares of a link (ETS) in DCBX: what a port says of its scheduler, and what becomes of its scheduler when it
// takes over the shares of its neighbour.

// table returns the scheduler as the TLVs of ETS have it. With one group, each queue is a traffic class: every queue
// competes with every other. With several, a group is a class, and the TLVs have no field for the level below.
//
// Weights become whole percents of the classes that have priorities, as near as they come ([ets.Scale]). Round robin by
// packets shares packets and not bandwidth, which no algorithm of 802.1Q does, so it is a vendor's.
func (s *Scheduler) table() (t dcbx.Table) {
	of, member := s.Group, &s.Groups
	if single(&s.Group) {
		of, member = [Priorities]int{0, 1, 2, 3, 4, 5, 6, 7}, &s.Queues
	}
	for p, c := range of {
		t.Class[p] = uint8(c)
	}
	sum, used := int64(0), t.Used()
	for c := range member {
		switch member[c].Algorithm {
		case DWRR:
			t.Selection[c] = dcbx.Enhanced
			sum += weightOf(&member[c], used, c)
		case Shaped:
			t.Selection[c] = dcbx.CreditBased
		case WRR:
			if t.Selection[c] = dcbx.Vendor; used>>c&1 == 0 {
				t.Selection[c] = dcbx.Strict // of no priority: it does not matter
			}
		}
	}
	var shares []ets.Share
	var classes []int
	for c := range member {
		if n := weightOf(&member[c], used, c); n > 0 {
			shares, classes = append(shares, ets.Share{Part: n, Whole: sum}), append(classes, c)
		}
	}
	for i, r := range ets.Percents.Round(shares) {
		t.Bandwidth[classes[i]] = uint8(r.Number)
	}
	if len(classes) == 0 { // ETS of no priority would have to be 100 % in sum
		for c := range t.Selection {
			if t.Selection[c] == dcbx.Enhanced {
				t.Selection[c] = dcbx.Strict
			}
		}
	}
	return t
}

// single tells whether all queues are in one group.
func single(group *[Priorities]int) bool {
	for _, g := range group {
		if g != group[0] {
			return false
		}
	}
	return true
}

// weightOf returns the weight of a class that shares bandwidth; 0 for another, and for one without priorities.
func weightOf(t *Selection, used uint8, class int) int64 {
	if t.Algorithm != DWRR || used>>class&1 == 0 {
		return 0
	}
	return int64(max(t.Weight, 1))
}

// adopt returns the scheduler with the groups of a neighbour's table. Its queues compete within their new groups as
// before: the table says nothing of them.
func (s Scheduler) adopt(t *dcbx.Table) Scheduler {
	s.Groups = [Priorities]Selection{}
	for p, c := range t.Class {
		s.Group[p] = int(c)
	}
	for c, how := range t.Selection {
		if s.Groups[c] = (Selection{Algorithm: Strict}); how == dcbx.Enhanced {
			s.Groups[c] = Selection{Algorithm: DWRR, Weight: int(t.Bandwidth[c])}
		}
	}
	return s
}
