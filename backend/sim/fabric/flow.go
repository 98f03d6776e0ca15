package fabric

import (
	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/packet"
	"github.com/cellwarden/cellwarden/unit"
)

// flow is the state of a flow. Its two ends may be in parts of the network that different workers run, so what the
// sender changes, what both read and what the receiver changes are a line of the cache each.
type flow struct {
	packet packet.Packet // its next frame, but for what its sender decides: length and WantsACK
	unsent int64         // payload that is left to send; negative: without end
	sent   int64         // frames
	ready  int64         // when a paced flow may send its next frame
	next   int32         // next flow in the ring of its class
	from   int32         // host

	sender  int32 // index into Sim.senders; -1: none
	toPort  int32
	frame   int64 // bytes of a frame
	header  int64 // bytes of it
	stop    int64 // when it stops sending
	rate    int64 // of a paced flow, bit/s
	perByte int64 // picoseconds per byte at the rate; 0: not a whole number
	resent  int64 // frames, among sent
	class   uint8
	rests   bool // it has no sender, and switches may trim its frames
	awaited bool // other flows start when this one has arrived: see [Flow.After]
	paced   bool // it has a rate below the link's

	delivered int64 // frames
	bytes     int64 // delivered
	last      int64 // time of the last delivery
	refused   int64 // frames that arrived out of sequence
	trimmed   int64 // frames that arrived trimmed
	lost      int64
	_         [2]int64
}

// frameTime is the time between two frames at a paced flow's rate, preamble and
// gap included.
func (fl *flow) frameTime(bytes int64) int64 {
	if fl.perByte > 0 {
		return bytes * fl.perByte
	}
	return int64(unit.BitRate(fl.rate).TimeFor(bytes * 8))
}

// arrived tells whether all payload of a flow is at its receiver.
func (fl *flow) arrived(payload int64) bool {
	return payload > 0 && fl.bytes-fl.delivered*fl.header == payload
}

// way is what every switch needs of a flow: half a cache line.
type way struct {
	from, to int32  // host
	hash     uint64 // chooses among routes of equal length
	// where the waypoints of the flow's packets end in the list of all, for each kind: that of a packet is so far before
	// the end as its TTL says; noWaypoints: they must be looked up
	waypoints [4]int32
}

// waypoint returns the number of the waypoint of a packet at a switch; one beyond all of them if it must be looked up,
// as that of a trimmed packet must: its DSCP has changed.
func (w *way) waypoint(k *packet.Packet) uint {
	return uint(uint32(w.waypoints[k.Kind&3]-int32(k.TTL)) | uint32(k.Kind&packet.Trimmed)<<29)
}

// class is the ring of a host's flows of one class that can send. They take
// turns frame by frame, in the order of their numbers: the next one is the first
// with a higher number than the one that was served last, and after the highest
// comes the lowest again. When a flow joined, or how long it was away, does not
// matter. The ring is kept in that order, so head is next; -1 if the ring is empty.
type class struct{ head, tail, served int32 }

// after tells how many places a flow is behind the one that was served
// last: 0 is the next one.
func (c *class) after(f, flows int32) int32 {
	if d := f - c.served - 1; d >= 0 {
		return d
	}
	return f - c.served - 1 + flows
}

// A flow can wait for other flows (Flow.After): it starts when their last payload has arrived. So a step of a
// collective operation begins when the step before it has brought its data.
//
// The flows with the same list wait at one gate. A gate counts the flows that are still missing, and when the last one
// has arrived it schedules the starts. A start is an event of its own, so that the order of events of one picosecond
// stays that of their sources.
//
// Flows that wait for flows to their own host are a matter of one part of the network. If any flow waits for another
// arrival, the network is one part.

// starting is when flows start.
type starting struct {
	at      []int64 // of each flow; never while it waits
	payload []int64 // of each flow; 0: without end
	gates   []gate
	// gates that wait for each flow to arrive, and to be acknowledged; nil: none does
	arrival, acknowledgement [][]int32
}

// gate is flows that wait for the same flows.
type gate struct {
	missing   int  // flows that have not arrived
	inTurn    bool // each arrival starts one flow
	followers []follower
}

// follower is a flow at a gate.
type follower struct {
	flow            int32
	delay, earliest int64
	spread          int64 // its draw of Sender.Spread
}

// list names a list of flows, without reading it: flows that share a list share its memory.
type list struct {
	first *int
	n     int
}

// gateName names a gate: flows wait at the same one if they share a list and wait for it in the same way.
type gateName struct {
	list
	acknowledged, inTurn bool
}

// gateOf names the gate of a flow that waits.
func gateOf(f *Flow) gateName {
	return gateName{list{&f.After[0], len(f.After)}, f.Acknowledged, f.InTurn}
}
