package fabric

import (
	"context"

	"github.com/cellwarden/cellwarden/buffer/mmu"
	"github.com/cellwarden/cellwarden/unit"
)

// Sim is a network in simulation. It is not safe for concurrent use.
type Sim struct {
	clock
	store      store
	ports      []port
	switches   []node
	flows      []flow
	senders    []sender
	classes    [][Priorities]class // of each host
	seed       uint64
	pauseBytes int64
	endless    bool // pauses do not expire
	oneRing    bool // all flows of a host take turns, whatever their class
	total      totals
	end        int64 // end of the longest run so far
	skipped    int64 // events that were left out: see lazy.go
	latest     int64 // time of the last of these
	observer   func(*Event)
	drops      [drops]int64 // by cause
	failing    failing
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
}

// dropNoRoute and those after it are causes of a drop beside the MMU's.
const (
	dropNoRoute mmu.Cause = 100 + iota
	dropRule
	dropWRED
	dropTTL
	dropLink
	dropWatchdog
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
	b := build{ctx: ctx, n: n, s: &Sim{seed: n.Seed, store: newStore(1024), pauseBytes: int64(n.Wire.pause()),
		endless: n.Wire.Endless}}
	if err := b.run(); err != nil {
		return nil, err
	}
	return b.s, nil
}

// Run runs all events up to and at a time. It returns the number of events. It
// can be called again with a later time.
func (s *Sim) Run(until unit.Time) int64 {
	before := s.eventCount()
	end := min(int64(until), never-1)
	s.end = max(s.end, end)
	flows := int32(len(s.ports)) * perPort
	for {
		source, ok := s.take(end)
		if !ok {
			s.finish()
			return s.eventCount() - before
		}
		if source >= flows {
			if source >= s.failing.first {
				s.failureDue(source)
				continue
			}
			s.flowDue(source - flows)
			continue
		}
		i := source / perPort
		switch source % perPort {
		case onSent:
			s.sent(i)
		case onArrival:
			s.arrived(i)
		case onPause:
			s.pauseArrived(i)
		case onExpiry:
			s.pauseExpired(i)
		case onRefresh:
			s.refreshPause(i)
		case onReady:
			s.kick(i)
		case onWatch:
			s.watchdogDue(i)
		}
	}
}

// Now returns the present time: the end of the last Run, or the time of the
// last event if no event is pending.
func (s *Sim) Now() unit.Time { return unit.Time(s.now) }

// flowSource returns the event source of a flow. Sources are numbered: those of
// the ports, the flows, the senders' timers, the failures.
func (s *Sim) flowSource(f int32) int32 { return int32(len(s.ports))*perPort + f }
