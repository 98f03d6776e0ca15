package fabric

import (
	"errors"
	"fmt"

	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/clock"
	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/packet"
	"github.com/cellwarden/cellwarden/unit"
)

// Watchdog releases egress queues of a port that are paused for too long: the
// PFC watchdog against pause storms. The zero Watchdog is off.
//
// A queue is in a storm when its peer has paused it for the detection time
// without a break. It does not matter whether frames wait in the queue, which
// is simpler than some switches (inferred: they differ). Times are exact to the
// picosecond, while switches poll. The storm ends when the queue has not been
// paused for the restoration time.
type Watchdog struct {
	Detection   unit.Time      // 100 ms to 5 s; 0: off
	Restoration unit.Time      // 100 ms to 60 s; 0: the same as Detection
	Action      WatchdogAction // what happens to the queue's frames during a storm
	Queues      uint8          // one bit per queue that is watched; 0: all
}

// WatchdogAction is what happens to the frames of a queue in a storm.
type WatchdogAction uint8

// The actions. They concern the egress queue; what comes in by the port in the
// same priority is not touched.
const (
	WatchdogDrop    WatchdogAction = iota // waiting frames and all that arrive are dropped
	WatchdogForward                       // frames are sent in spite of the pause
)

// The times that are accepted, those of SONiC's PFC watchdog.
const (
	shortestWatch      = 100 * unit.Millisecond
	longestDetection   = 5 * unit.Second
	longestRestoration = 60 * unit.Second
)

// Validate returns everything that is wrong with the watchdog, or nil.
func (w Watchdog) Validate() error {
	var bad []error
	if w.Detection == 0 && w != (Watchdog{}) {
		bad = append(bad, fmt.Errorf("detection: 0s, but the watchdog is enabled (accepted: %v to %v)", shortestWatch,
			longestDetection))
	}
	if w.Detection != 0 && (w.Detection < shortestWatch || w.Detection > longestDetection) {
		bad = append(bad, fmt.Errorf("detection: %v (accepted: %v to %v, or 0 for off)", w.Detection, shortestWatch,
			longestDetection))
	}
	if w.Restoration != 0 && (w.Restoration < shortestWatch || w.Restoration > longestRestoration) {
		bad = append(bad, fmt.Errorf("restoration: %v (accepted: %v to %v, or 0 for the detection time)",
			w.Restoration, shortestWatch, longestRestoration))
	}
	if w.Action > WatchdogForward {
		bad = append(bad, fmt.Errorf("action: %d (accepted: 0 drop, 1 forward)", w.Action))
	}
	return errors.Join(bad...)
}

// WatchdogCounters are the counters of a port's watchdog, by queue.
type WatchdogCounters struct {
	Storms   [Priorities]int64 // storms found
	Restored [Priorities]int64 // storms that have ended
	Dropped  [Priorities]int64 // frames
	Active   uint8             // one bit per queue that is in a storm
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

// watchdog is the state of a Watchdog.
type watchdog struct {
	detection, restoration int64
	forward                bool
	watched                uint8
	paused                 uint8             // queues that the peer pauses
	active                 uint8             // queues in a storm
	since                  [Priorities]int64 // when each queue's bit in paused last changed
	count                  WatchdogCounters
}

// newWatchdog returns nil for a watchdog that is off.
func newWatchdog(w Watchdog) *watchdog {
	if w.Detection == 0 {
		return nil
	}
	d := &watchdog{detection: int64(w.Detection), restoration: int64(w.Restoration),
		forward: w.Action == WatchdogForward,
		watched: w.Queues}
	if d.restoration == 0 {
		d.restoration = d.detection
	}
	if d.watched == 0 {
		d.watched = 0xff
	}
	return d
}

// updateWatchdog tells a watchdog which queues are paused now. Queues that it
// forwards go on sending.
func (s *part) updateWatchdog(i int32, p *port, d *watchdog) {
	paused := p.heldQueues()
	for q := range Priorities {
		if (paused^d.paused)>>q&1 == 1 {
			d.since[q] = s.Now
		}
	}
	d.paused = paused
	p.paused = paused
	if d.forward {
		p.paused &^= d.active
	}
	s.scheduleWatchdog(i, d)
}

// scheduleWatchdog schedules the next time at which a storm can begin or end.
func (s *part) scheduleWatchdog(i int32, d *watchdog) {
	at := clock.Never
	for q := range Priorities {
		if d.watched>>q&1 == 1 {
			at = min(at, d.due(q))
		}
	}
	if at < clock.Never {
		s.SetAtLatest(i*perPort+onWatch, at)
	}
}

// due returns when a storm of the queue begins or ends, if the queue's pause
// does not change until then.
func (d *watchdog) due(q int) int64 {
	paused, active := d.paused>>q&1 == 1, d.active>>q&1 == 1
	switch {
	case paused && !active:
		return d.since[q] + d.detection
	case !paused && active:
		return d.since[q] + d.restoration
	}
	return clock.Never
}

// watchdogDue handles the time at which storms can begin or end at a port.
func (s *part) watchdogDue(i int32) {
	p := &s.ports[i]
	d := p.pausing.watchdog
	for q := range Priorities {
		if d.watched>>q&1 == 0 || d.due(q) > s.Now {
			continue
		}
		if d.active>>q&1 == 0 {
			s.startStorm(i, p, d, q)
		} else {
			s.endStorm(i, p, d, q)
		}
	}
	s.updateWatchdog(i, p, d)
	s.kick(i)
}

// startStorm acts on a queue in a storm.
func (s *part) startStorm(i int32, p *port, d *watchdog, q int) {
	d.active |= 1 << q
	d.count.Storms[q]++
	s.reportPriority(StormFound, i, q)
	if !d.forward {
		p.dropping |= 1 << q
		s.drain(i, p, d, q)
	}
}

// endStorm releases a queue whose storm is over.
func (s *part) endStorm(i int32, p *port, d *watchdog, q int) {
	d.active &^= 1 << q
	p.dropping &^= 1 << q
	d.count.Restored[q]++
	s.reportPriority(StormOver, i, q)
}

// drain drops everything that waits in a queue.
func (s *part) drain(i int32, p *port, d *watchdog, q int) {
	sw := &s.switches[p.node]
	p.waiting &^= 1 << q
	for p.queues[q].Len > 0 {
		k := p.queues[q].Pop(&s.store)
		l := newLeaving(&k, p.number, uint8(q), sw.lookups[p.number].cells[q])
		s.dropInStorm(l.in, &k, i, q)
		s.giveBack(sw, &l)
	}
}

// dropInStorm drops a frame for a queue in a storm.
func (s *part) dropInStorm(in int32, k *packet.Packet, out int32, q int) {
	p := &s.ports[out]
	p.pausing.watchdog.count.Dropped[q]++
	if t := s.switches[p.node].tallies; t != nil {
		t.queue(p.number, uint8(q)).drop(k)
	}
	s.dropArriving(in, &s.ports[in], k, -1, dropWatchdog)
}
