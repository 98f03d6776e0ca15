package fabric

import (
	"context"

	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/clock"
	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/routes"
	"github.com/cellwarden/cellwarden/buffer/mmu"
	"github.com/cellwarden/cellwarden/unit"
)

// Sim is a network in simulation. It is not safe for concurrent use.
type Sim struct {
	shared
	now     int64   // time of the last event, or of the end of the last run
	end     int64   // end of the longest run so far
	window  int64   // for so long the parts do not depend on each other: see parts.go
	next    []int64 // time of the next event of each part
	workers int     // goroutines that run the parts; 0: GOMAXPROCS
	sharers [][]int // flows that share a link: see fast_forward.go
	leaps   leaps   // by which the clock is behind the time of the model
}

// shared is what the parts of a simulation have in common. It is made once, so
// that each part has a copy of it: the lists are the same.
type shared struct {
	parts      []*part
	ports      []port
	switches   []node
	flows      []flow
	ways       []way // of each flow
	routes     routes.Table
	senders    []sender
	classes    [][Priorities]class // of each host
	seed       uint64
	pauseBytes int64
	endless    bool // pauses do not expire
	oneRing    bool // all flows of a host take turns, whatever their class
	failing    *failing
	starting   starting
}

// totals are the counters of the whole network. Frames are data, except in the
// fields of feedback.
type totals struct {
	Sent, Delivered, Drops, PauseSent, ResumeSent int64
	Marked                                        int64
	LastDelivery                                  int64
	Resent                                        int64    // sent again, among Sent
	Refused                                       int64    // arrived out of sequence
	Feedback                                      [4]int64 // feedback frames sent, by kind
	FeedbackDelivered                             int64    // feedback frames that arrived
	FeedbackMade                                  int64    // feedback frames sent or waiting at their host
	Timeouts                                      int64
	Causes                                        [drops]int64 // of Drops
}

// add adds the counters of a part.
func (t *totals) add(o *totals) {
	t.Sent += o.Sent
	t.Delivered += o.Delivered
	t.Drops += o.Drops
	t.PauseSent += o.PauseSent
	t.ResumeSent += o.ResumeSent
	t.Marked += o.Marked
	t.LastDelivery = max(t.LastDelivery, o.LastDelivery)
	t.Resent += o.Resent
	t.Refused += o.Refused
	t.FeedbackDelivered += o.FeedbackDelivered
	t.FeedbackMade += o.FeedbackMade
	t.Timeouts += o.Timeouts
	for i := range t.Feedback {
		t.Feedback[i] += o.Feedback[i]
	}
	for i := range t.Causes {
		t.Causes[i] += o.Causes[i]
	}
}

// dropNoRoute and those after it are causes of a drop beside the MMU's.
const (
	dropNoRoute mmu.Cause = 100 + iota
	dropRule
	dropWRED
	dropTTL
	dropLink
	dropWatchdog
	dropCorrupted // by an error of the link
	dropChannel   // its priority is not that of its virtual channel
	drops
)

// bytesOf converts a packet's length.
func bytesOf(n uint16) unit.Bytes { return unit.Bytes(n) }

// New makes a simulation of a network, at time 0. It refuses what
// Network.Validate refuses.
func New(n Network) (*Sim, error) { return NewContext(context.Background(), n) }

// NewContext is New that stops when the context ends: a large network takes
// seconds.
func NewContext(ctx context.Context, n Network) (*Sim, error) {
	if err := n.Validate(); err != nil {
		return nil, err
	}
	b := newBuild(ctx, n)
	if err := b.run(); err != nil {
		return nil, err
	}
	return b.s, nil
}

// Run runs all events up to and at a time. It returns the number of events. It
// can be called again with a later time.
func (s *Sim) Run(until unit.Time) int64 {
	before := s.eventCount()
	end := min(int64(until)-s.leaps.sum(), clock.Never-1)
	s.end = max(s.end, end)
	for _, p := range s.parts {
		p.end = s.end
	}
	if len(s.parts) == 1 {
		s.parts[0].run(end)
	} else {
		s.runWindows(end)
	}
	s.finish()
	return s.eventCount() - before
}

// Now returns the present time: the end of the last Run, or the time of the
// last event if no event is pending.
func (s *Sim) Now() unit.Time { return unit.Time(s.now + s.leaps.sum()) }

// flowSource returns the event source of a flow. Sources are numbered: those of
// the ports, the flows, the senders' timers, the failures.
func (s *shared) flowSource(f int32) int32 { return int32(len(s.ports))*perPort + f }
