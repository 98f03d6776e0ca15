package fabric

import (
	"cmp"

	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/clock"
	"github.com/cellwarden/cellwarden/internal/fielderr"
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
	var bad fielderr.List
	bad.Check(w.Detection != 0 || w == Watchdog{}, "detection", "0s, but the watchdog is enabled", "%v to %v",
		shortestWatch, longestDetection)
	bad.Check(w.Detection == 0 || within(w.Detection, shortestWatch, longestDetection), "detection", w.Detection,
		"%v to %v, or 0 for off", shortestWatch, longestDetection)
	bad.Check(w.Restoration == 0 || within(w.Restoration, shortestWatch, longestRestoration), "restoration",
		w.Restoration, "%v to %v, or 0 for the detection time", shortestWatch, longestRestoration)
	bad.Check(w.Action <= WatchdogForward, "action", uint8(w.Action), "0 drop, 1 forward")
	return bad.Err()
}

// WatchdogCounters are the counters of a port's watchdog, by queue.
type WatchdogCounters struct {
	Storms   [Priorities]int64 // storms found
	Restored [Priorities]int64 // storms that have ended
	Dropped  [Priorities]int64 // frames
	Active   uint8             // one bit per queue that is in a storm
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
	return &watchdog{detection: int64(w.Detection), restoration: int64(cmp.Or(w.Restoration, w.Detection)),
		forward: w.Action == WatchdogForward, watched: cmp.Or(w.Queues, 0xff)}
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
