package fabric

import (
	"fmt"

	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/clock"
	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/packet"
	"github.com/cellwarden/cellwarden/dcbx"
	"github.com/cellwarden/cellwarden/internal/complain"
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
	Changes     []DCBXChange     // the first MaxDCBXChanges
	Changed     int64            // number of all changes

	// Schedule is how the queues of a switch's port share the link now; the zero value at a port without ETS in DCBX.
	Schedule      Scheduler
	Rescheduled   int64     // number of its changes by DCBX
	RescheduledAt unit.Time // the last of them
}

// MaxDCBXChanges is the number of changes of a port that are kept. A negotiation has one or two; only neighbours that
// come and go make more.
const MaxDCBXChanges = 64

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

// lldpLetter is an LLDP frame that crosses from one part to another.
type lldpLetter struct {
	to   int32 // port
	lldp lldpFrame
}

// validate returns everything that is wrong with the DCBX of a port that has PFC for these priorities; nil also for a
// port without DCBX. at is the switch's port; nil for a host's.
func (d *DCBX) validate(priorities pfc.Priorities, rule pfc.LinkRule, at *SwitchPort) error {
	if d == nil {
		return nil
	}
	var bad complain.List
	bad.Check(rule != pfc.LinkObeyed, "", "802.3x PAUSE is obeyed", "PFC, which DCBX negotiates")
	own := *d
	own.validateETS(&bad, at)
	own.Settings.PFC.Enabled = priorities
	bad.Join(own.Settings.Validate())
	need(&bad, "start", d.Start, 0, lastTime)
	need(&bad, "processing", d.Processing, 0, longest)
	return bad.Err()
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

// scheduleLLDP schedules the moment at which each port begins to speak. The clocks must exist.
func (b *build) scheduleLLDP() {
	s := b.s
	for i := range s.ports {
		if p := &s.ports[i]; p.linked && p.pausing.lldp != nil {
			s.partOf(int32(i)).Set(int32(i)*perPort+onLLDP, int64(p.pausing.lldp.Start))
		}
	}
}

// lldpDue handles everything of a port's LLDP that is due now: its start, frames that take effect, neighbours whose
// time to live is over, and the next frame.
func (s *part) lldpDue(i int32) {
	p := &s.ports[i]
	l, now := p.pausing.lldp, unit.Time(s.Now)
	changed := false
	if !l.state.Up && now >= l.Start {
		// The settings are valid: New has made an agent of them.
		l.state.Up, changed = l.agent.Set(now, l.Settings) == nil, true
	}
	for l.arriving.Len > 0 && l.arriving.First().at <= s.Now {
		f := l.arriving.Pop()
		l.state.Heard++
		if !l.state.Up {
			l.state.Refused++
			continue
		}
		c, err := l.agent.Receive(now, f.frame)
		if changed = changed || c; err != nil {
			l.state.Refused++
		}
		if s.observer != nil {
			s.reportLLDP(LLDPHeard, i, f.frame)
		}
	}
	if l.state.Up {
		if l.agent.Expire(now) || changed {
			s.useDCBX(i, l)
		}
		if l.agent.NextSend() <= now {
			l.due, p.pend = true, true
		}
	}
	s.planLLDP(i, l)
	s.kick(i)
}

// planLLDP schedules the next event of a port's LLDP.
func (s *part) planLLDP(i int32, l *lldp) {
	next := clock.Never
	if l.arriving.Len > 0 {
		next = l.arriving.First().at
	}
	if !l.state.Up {
		next = min(next, int64(l.Start))
	} else {
		if !l.due {
			next = min(next, int64(l.agent.NextSend()))
		}
		if at, ok := l.agent.NextExpiry(); ok {
			next = min(next, int64(at))
		}
	}
	if next < clock.Never {
		s.SetAtLatest(i*perPort+onLLDP, max(next, s.Now))
	}
}

// configureDCBX gives a port that speaks DCBX another configuration.
func (s *part) configureDCBX(i int32, l *lldp) error {
	if err := l.agent.Set(unit.Time(s.Now), l.Settings); err != nil {
		return err
	}
	s.useDCBX(i, l)
	s.planLLDP(i, l)
	return nil
}

// useDCBX puts the negotiated PFC and shares in force.
func (s *part) useDCBX(i int32, l *lldp) {
	in := l.agent.Operational()
	l.state.Operational = in
	s.useShares(i, l, &in)
	p := &s.ports[i]
	before := p.pfc
	if before == in.Enabled {
		return
	}
	if err := s.setPFC(i, in.Enabled); err != nil {
		panic(fmt.Sprintf("port %d: %v", i, err)) // validate refuses every configuration that a receiver refuses
	}
	if l.state.Changed++; len(l.state.Changes) < MaxDCBXChanges {
		l.state.Changes = append(l.state.Changes, DCBXChange{unit.Time(s.Now), in.Enabled, in.PFC.Reason})
	}
	for m := before ^ in.Enabled; m != 0; m &= m - 1 {
		what := PFCOff
		if in.Enabled.Has(m.Lowest()) {
			what = PFCOn
		}
		s.reportPriority(what, i, m.Lowest())
	}
}

// sendLLDP sends the LLDP frame that is due; false if none is.
func (s *part) sendLLDP(i int32, p *port) bool {
	l := p.pausing.lldp
	if l == nil || !l.due {
		return false
	}
	l.due = false
	f, err := l.agent.Send(unit.Time(s.Now))
	if err != nil {
		panic(fmt.Sprintf("port %d: %v", i, err)) // the settings were valid when the agent was made
	}
	s.planLLDP(i, l)
	l.state.Sent++
	if s.observer != nil {
		s.reportLLDP(LLDPSent, i, &f)
	}
	end := s.Now + p.frameTime(int64(WireBytes(&f)))
	p.busy = true
	s.Set(i*perPort+onSent, end)
	peer := &s.ports[p.peer]
	if p.down > 0 || peer.pausing.lldp == nil {
		return true // lost, or the neighbour does not read LLDP
	}
	// The neighbour's processing time is added here, as the response time is for a pause frame.
	c := lldpFrame{at: end + p.delay + int64(peer.pausing.lldp.Processing), seq: s.Order(), frame: &f}
	if peer.part != p.part {
		s.lldps = append(s.lldps, lldpLetter{p.peer, c})
		return true
	}
	s.expectLLDP(p.peer, peer, &c)
	return true
}

// expectLLDP puts an LLDP frame on its way to a port.
func (s *part) expectLLDP(i int32, p *port, c *lldpFrame) {
	p.pausing.lldp.arriving.Push(*c)
	s.SetAtLatest(i*perPort+onLLDP, p.pausing.lldp.arriving.First().at)
}

// loseLLDP loses the LLDP frames on their way to a port whose link fell. What the port heard before holds until its
// time to live is over (IEEE 802.1AB-2016, 9.2.7: a port that is not operational ages what it has).
func (s *part) loseLLDP(p *port) {
	if l := p.pausing.lldp; l != nil {
		for l.arriving.Len > 0 {
			l.arriving.Pop()
		}
	}
}

// WireBytes returns the length of an LLDP frame with its check sequence, without preamble and gap.
func WireBytes(f *dcbx.Frame) unit.Bytes {
	b, err := f.AppendTo(nil)
	if err != nil {
		return ShortestFrame
	}
	return unit.Bytes(len(b)) + 4
}

// reportLLDP reports an LLDP frame.
func (s *part) reportLLDP(what EventKind, port int32, f *dcbx.Frame) {
	s.observer(&Event{At: unit.Time(s.Now), Kind: what, Where: s.endOf(port), Out: -1, Priority: -1, Flow: -1,
		Bytes: WireBytes(f), PCP: -1, FrameKind: "lldp", LLDP: f})
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
