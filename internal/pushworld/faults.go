package pushworld

import "strings"

// fault is a way in which the world misbehaves.
type fault int

// The faults.
const (
	none             fault = iota
	messageLost            // a request never arrives
	messageDelayed         // it arrives late, perhaps after the client gave up
	messageDoubled         // it arrives twice
	connectionBroken       // UNAVAILABLE, whether it arrived or not
	answerLost             // the client never hears
	answerDelayed          // the answer comes late, perhaps too late
	answerWrong            // a proxy answers with a code of its own
	slowSet                // the switch takes up to three minutes for a Set
	restart                // the switch restarts
	emptyRead              // a Get is answered with no notification
	cutStream              // a Subscribe ONCE ends before all is said
	locked                 // someone has the configuration of the switch locked
	halfMade               // the switch fails within a Set (native configuration)
	processKilled          // a pusher is killed
	interrupted            // a pusher's context is cancelled
	powerLost              // the pusher's machine loses power
	syncLies               // fsync says that it has written, and has not
	diskFull               // a write finds the disk full
	syncFails              // the disk reports that it could not write
	bitRot                 // a digit of a journal changes
	console                // someone changes registers at the console
	kinds
)

var faultNames = [kinds]string{"none", "messages lost", "messages delayed", "messages doubled", "connections broken",
	"answers lost", "answers delayed", "answers of proxies", "slow Sets", "restarts", "empty reads", "cut streams",
	"locks", "half-made Sets", "kills", "interrupts", "power losses", "fsync that lies", "full disks", "fsync that fails",
	"bit rot",
	"console"}

// faults are those of one history.
type faults struct {
	*scheduler
	on   [kinds]bool
	left int // how many may still happen
}

// newFaults draws the faults of a history: few kinds, so that most histories show what
// one kind does by itself, and a limited number of each.
func newFaults(s *scheduler) *faults {
	f := &faults{scheduler: s}
	for range s.IntN(5) {
		f.on[1+s.IntN(int(kinds)-1)] = true
	}
	f.left = s.IntN(6)
	return f
}

// of is a fault that happens now, of some kinds; none in most cases.
func (f *faults) of(some ...fault) fault {
	for _, k := range some {
		odds := 4
		if k == cutStream { // it matters only to clients that have no other way to read
			odds = 2
		}
		if f.on[k] && f.left > 0 && f.oneIn(odds) {
			f.left--
			return k
		}
	}
	return none
}

// happens tells whether a fault happens now.
func (f *faults) happens(k fault) bool { return f.of(k) == k }

// stop ends all faults: from here on the world works.
func (f *faults) stop() { f.on = [kinds]bool{} }

// String lists the kinds.
func (f *faults) String() string {
	var out []string
	for k := none + 1; k < kinds; k++ {
		if f.on[k] {
			out = append(out, faultNames[k])
		}
	}
	if len(out) == 0 {
		return "none"
	}
	return strings.Join(out, ", ")
}
