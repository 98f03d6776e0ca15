package fabric

import (
	"cmp"
	"math/rand/v2"

	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/clock"
	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/dcqcn"
	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/packet"
	"github.com/cellwarden/cellwarden/unit"
)

// flow adds a flow. A size and a rate of 0 mean without end and without limit. i is the place of the flow in the
// network, from which its hash and its random numbers come: they do not depend on other flows.
func (b *build) flow(f *Flow, i int) {
	p := int32(f.From)
	b.s.ways = append(b.s.ways, way{from: p, to: int32(f.To), hash: mix(b.n.Seed ^ uint64(i)*0x9e3779b97f4a7c15)})
	// A TTL of 64 is the default that RFC 1700 recommends for IP.
	fl := flow{from: p, toPort: int32(f.To), unsent: cmp.Or(int64(f.Size), -1), frame: int64(f.Frame),
		header: int64(f.Header), class: uint8(f.Priority), stop: cmp.Or(int64(f.Stop), clock.Never),
		packet: packet.Packet{Flow: int32(i), PCP: int8(f.PCP), DSCP: int8(f.DSCP), Priority: uint8(f.Priority),
			TTL: cmp.Or(uint8(f.TTL), 64), ECT: f.ECT, Bytes: uint16(f.Frame)}}
	// A rate of the port's or above limits nothing, and is not paced.
	if f.Rate > 0 && f.Rate < b.s.ports[p].rate {
		fl.paced, fl.rate = true, int64(f.Rate)
		// Where a byte takes whole picoseconds a multiplication gives the time of a frame without a division; 0: it does
		// not.
		if int64(unit.Second)*8%fl.rate == 0 {
			fl.perByte = int64(unit.Second) * 8 / fl.rate
		}
	}
	b.sender(f, &fl, i)
	b.s.flows = append(b.s.flows, fl)
}

// rings begins the turns of a host whose flows are all in one ring: as in ns-3, its first flow counts as the one that
// was served last. Going backwards leaves the first flow of each host as the last that is written.
func (b *build) rings() {
	s := b.s
	if s.oneRing = b.n.Wire.OneRing; !s.oneRing {
		return
	}
	for i := len(s.flows) - 1; i >= 0; i-- {
		for n := range Priorities {
			s.classes[s.ports[s.flows[i].from].node][n].served = int32(i)
		}
	}
}

// sender makes the state of a flow's sender. fl.sender is -1 for a flow without state. The port of its host has to
// have its rate.
func (b *build) sender(f *Flow, fl *flow, i int) {
	fl.sender = -1
	if fl.rests = b.trims; f.Sender.stateless() {
		return
	}
	c := &f.Sender
	fl.sender = int32(len(b.s.senders))
	x := sender{flow: int32(i), message: int64(c.Message), size: int64(f.Size), window: int64(c.Window),
		line: int64(b.s.ports[fl.from].rate), start: b.start(i), elidable: f.isElidable(fl.paced)}
	for _, n := range c.Frames {
		x.frames = append(x.frames, int64(n))
	}
	// A flow with a trace has no other size: it grows with each burst, and the end of a burst is the sum so far.
	for _, t := range c.Trace {
		x.size += int64(t.Bytes)
		x.trace = append(x.trace, arrival{x.start + int64(t.At), x.size})
	}
	x.bursts = newBursts(c.OnOff, x.start, b.chance(i, ofBursts))
	x.gobackN = newGoBackN(c.ACK, &fl.packet)
	if c.DCQCN != nil {
		d := c.DCQCN.filled()
		// The highest rate is that of the line, or of the flow if that is lower.
		x.rate = dcqcn.New(dcqcn.Parameters{Gain: d.Gain, AlphaTimer: d.AlphaTimer, Timer: d.Timer,
			ByteCounter: d.ByteCounter, Recovery: d.Recovery, Increase: d.Increase, Hyper: d.Hyper, Least: d.Least},
			unit.BitRate(min(x.line, cmp.Or(fl.rate, x.line))))
		x.notifier, x.cnp = dcqcn.NewNotifier(d.CNPInterval), d.CNP.feedback(&fl.packet, packet.CNP, d.CNPFrame)
	}
	// steady and even name senders that can be asked less: see sendSteady and sendEven.
	x.steady = !fl.paced && c.DCQCN == nil && len(c.Trace) == 0 && c.OnOff == OnOff{}
	x.even = len(c.Trace) == 0 && c.OnOff == OnOff{} && !c.ACK.Selective
	x.varies = x.frames != nil || x.trace != nil || x.message > 0
	// A size of 0 is a flow without end.
	x.most, x.end = fl.frame-fl.header, cmp.Or(x.size, clock.Never)
	if c.ACK.Selective {
		x.steady, x.expected, x.selective = false, -1, newSelective(int64(c.Window)/x.most+1)
	}
	b.s.senders = append(b.s.senders, x)
}

// What chance is used for in a flow: each use has its own draws. The numbers are part of what a seed gives: another
// order gives other runs.
const (
	ofSpread = 1 + iota
	ofBursts
)

// chance returns the random numbers of one flow for one use. It returns the generator by value: each call begins with
// the first draw.
func (b *build) chance(flow, use int) rand.PCG {
	var r rand.PCG
	r.Seed(b.n.Seed, mix(uint64(flow)<<8|uint64(use)))
	return r
}

// start returns when a flow starts. The time is in picoseconds, and the same for each call: the draws begin anew.
func (b *build) start(i int) int64 {
	f := &b.n.Flows[i]
	if f.Sender.Spread == 0 {
		return int64(f.Start)
	}
	r := b.chance(i, ofSpread)
	return int64(f.Start) + below(r.Uint64(), int64(f.Sender.Spread))
}

// after prepares the starts of all flows. Flows with the same conditions share one gate. Never keeps a flow that
// waits from starting by itself.
func (b *build) after() {
	s := &b.s.starting
	gates := map[gateName]int{}
	for i := range b.n.Flows {
		f := &b.n.Flows[i]
		s.payload = append(s.payload, f.payload())
		s.at = append(s.at, b.start(i))
		if len(f.After) == 0 {
			continue
		}
		s.at[i] = clock.Never
		n, ok := gates[gateOf(f)]
		if !ok {
			n = len(s.gates)
			gates[gateOf(f)] = n
			s.gates = append(s.gates, gate{missing: len(f.After), inTurn: f.InTurn})
			b.await(n, f)
		}
		s.gates[n].followers = append(s.gates[n].followers, follower{flow: int32(i), delay: int64(f.Delay),
			earliest: int64(f.Start), spread: b.start(i) - int64(f.Start)})
	}
}

// await makes the gate of a flow wait for others. An Acknowledged flow waits until the sender of the other knows that
// all has arrived, and any other until the receiver has it.
func (b *build) await(gate int, f *Flow) {
	opens := &b.s.starting.arrival
	if f.Acknowledged {
		opens = &b.s.starting.acknowledgement
	}
	if *opens == nil {
		*opens = make([][]int32, len(b.n.Flows))
	}
	for _, a := range f.After {
		(*opens)[a] = append((*opens)[a], int32(gate))
		if awaited := &b.s.flows[a]; f.Acknowledged {
			b.s.senders[awaited.sender].awaited = true
		} else {
			awaited.awaited = true
		}
	}
}

// localOrder tells whether flows wait only for what their own host knows: flows that arrive there, or that it has
// sent. Then a network can be cut into parts without looking at other hosts when a gate opens.
func (b *build) localOrder() bool {
	seen := map[gateName]int{}
	for i := range b.n.Flows {
		f := &b.n.Flows[i]
		if len(f.After) == 0 {
			continue
		}
		if host, ok := seen[gateOf(f)]; ok && host == f.From {
			continue
		}
		seen[gateOf(f)] = f.From
		for _, a := range f.After {
			knows := b.n.Flows[a].To
			if f.Acknowledged {
				knows = b.n.Flows[a].From
			}
			if knows != f.From {
				return false
			}
		}
	}
	return true
}

// isElidable tells whether nothing but its turn decides when a flow with a Sender sends: its frames may have several
// lengths, end with messages and be acknowledged, but it has no window, no congestion control, no rate, no bursts and
// no times of silence. Its host's port may then elide its sends, and alone in its ring it stays there. paced tells
// whether the rate of the flow limits it: see flow.
func (f *Flow) isElidable(paced bool) bool {
	c := &f.Sender
	return !paced && c.Window == 0 && !c.ACK.Selective && c.DCQCN == nil && len(c.Trace) == 0 && c.OnOff == OnOff{}
}
