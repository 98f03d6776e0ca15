package fabric

import (
	"github.com/cellwarden/cellwarden/buffer/mmu"
	"github.com/cellwarden/cellwarden/unit"
)

// Sim is a network at work. It is not safe for concurrent use.
type Sim struct {
	clock
	store      store
	ports      []port
	switches   []node
	flows      []flow
	senders    []sender
	classes    [][Priorities]class // by host
	seed       uint64
	pauseBytes int64
	endless    bool // pauses have no end of their own
	total      totals
	end        int64 // of the run
	skipped    int64 // events that were left out
	latest     int64 // time of the last of these
	observer   func(*Event)
	drops      [drops]int64
	failing    failing
}

type totals struct {
	Sent, Delivered, Drops, PauseSent, ResumeSent int64
	Marked                                        int64
	LastDelivery                                  int64
	Resent                                        int64    // data frames sent again, among those sent
	Refused                                       int64    // data frames that arrived out of sequence
	Feedback                                      [4]int64 // sent, by kind
	FeedbackDelivered                             int64    // answers that arrived
	FeedbackMade                                  int64    // answers sent or waiting at their host
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

func bytesOf(n uint16) unit.Bytes { return unit.Bytes(n) }

// New makes a network ready to run. It refuses what Validate refuses.
func New(n Network) (*Sim, error) {
	if err := n.Validate(); err != nil {
		return nil, err
	}
	b := build{n: n, s: &Sim{seed: n.Seed, store: newStore(1024), pauseBytes: int64(n.Wire.pause()),
		endless: n.Wire.Endless}}
	if err := b.run(); err != nil {
		return nil, err
	}
	return b.s, nil
}

// Run lets events happen up to a time, and at it. It returns the number of
// events that happened.
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

// Now is the time up to which the simulation has run: the end of the last Run,
// or that of the last event if none is to come.
func (s *Sim) Now() unit.Time { return unit.Time(s.now) }

func (s *Sim) flowSource(f int32) int32 { return int32(len(s.ports))*perPort + f }
