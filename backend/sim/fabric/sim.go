package fabric

import (
	"fmt"

	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/clock"
	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/credits"
	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/packet"
	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/routes"
	"github.com/cellwarden/cellwarden/unit"
)

// Sim is a network in simulation. It is not safe for concurrent use. Times are in picoseconds.
type Sim struct {
	shared
	now     int64   // time of the last event, or of the end of the last run
	end     int64   // end of the longest run so far
	window  int64   // for so long the parts do not depend on each other: see windows.go
	layout  layout  // of the parts
	workers int     // goroutines that run the parts; 0: GOMAXPROCS
	sharers [][]int // flows that share a link: see fast_forward.go
	leaps   leaps   // by which the clock is behind the time of the model
}

// shared is what the parts of a simulation have in common. It is made once, so
// that each part has a copy of it: the lists are the same.
type shared struct {
	parts      []*part
	next       []int64 // time of the next event of each part
	ports      []port
	switches   []node
	flows      []flow
	ways       []way      // of each flow
	waypoints  []waypoint // of the paths of all flows: see path.go
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

// part is a part of the network with a clock of its own: one or several switches with their hosts. See
// windows.go. A network that cannot be divided is one part.
type part struct {
	shared
	clock.Clock
	number    int
	own       []int32  // its switches
	source    int32    // of the present event
	here      waypoint // of the present frame, if none is kept
	end       int64    // of the present run
	total     totals
	elided    int64 // events that were left out: see elided.go
	beginsAt  int64 // when the next frame begins that another part must know of: see elided.go
	observer  func(*Event)
	crossings []crossing // over each of its links to other parts
	borders   []border   // of each crossing
	step      int        // number of the present window in its span
	direct    bool       // one worker runs all parts: see part.cross
	hasMail   bool       // something of this window crosses beside the lines
}

// totals are the counters of the whole network. Frames are data, except in the fields of feedback. Each part counts
// what its flows do not: the others are sums over the flows.
type totals struct {
	Sent, Delivered              int64
	Resent                       int64 // sent again, among Sent
	Refused                      int64 // arrived out of sequence
	TrimmedArrived               int64 // arrived trimmed
	Drops, PauseSent, ResumeSent int64 // from here on, of each part
	Marked                       int64
	Feedback                     [4]int64 // feedback frames sent, by kind
	FeedbackDelivered            int64    // feedback frames that arrived
	FeedbackMade                 int64    // feedback frames sent or waiting at their host
	Timeouts                     int64
	Causes                       [drops]int64 // of Drops
}

// add adds the counters of a part.
func (t *totals) add(o *totals) {
	t.Drops += o.Drops
	t.PauseSent += o.PauseSent
	t.ResumeSent += o.ResumeSent
	t.Marked += o.Marked
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

// flowSource returns the event source of a flow. Sources are numbered: those of the ports, the flows, the senders'
// timers, the failures. At one moment events happen in the order of these numbers: ports before flows, flows before
// timers.
func (s *shared) flowSource(f int32) int32 { return int32(len(s.ports))*perPort + f }

// crossing is a link from one part to another: the far end of the line to the port there. It is a line of the cache.
type crossing struct {
	packet.Far[packet.Packet]
	told    uint32 // count of the frames on the line of which the other part knows
	hasMail bool   // something of this window does not go by the line
	to      int32  // port
	part    int32
	_       [8]byte
}

// border is what a part knows of the other end of a link to another part, besides its crossing. It is a line of the
// cache. Of even and of odd windows there are two of each.
type border struct {
	shown  uint32   // count of the frames on the line from there that have been shown; kept for several workers
	from   int32    // port
	port   *port    // from
	back   *border  // that of the other part
	ours   [2]*news // what it tells the other part
	theirs [2]*news // what the other part tells
	mail   *[2]mail // to the other part
}

// news is what a part tells another one at the end of a window, of a link between them. The counts are those of a
// [packet.Far].
type news struct {
	sent  uint32 // frames that it has put on the line to there
	taken uint32 // frames that it has taken from the line from there
	mail  bool   // there is mail
}

// mail is what crosses in a window beside the line.
type mail struct {
	frames []packet.Packet // that found no room on the line
	pauses []pauseFrame
	lldps  []lldpFrame
	layers []layerLetter
}

// partOf returns the part to which a port belongs.
func (s *Sim) partOf(port int32) *part { return s.parts[s.ports[port].part] }

// underWay returns the number of frames in queues and on links. It counts feedback too, as Check does.
func (s *Sim) underWay() (n int64) {
	for i := range s.ports {
		n += int64(s.ports[i].line.Len)
		s.eachUnderWay(int32(i), func(*credits.Frame[packet.Packet]) { n++ })
		for q := range s.ports[i].queues {
			n += int64(s.ports[i].queues[q].Len)
		}
	}
	return n
}

// totals returns the counters of all parts and flows together.
func (s *Sim) totals() (sum totals) {
	for _, p := range s.parts {
		sum.add(&p.total)
	}
	for i := range s.flows {
		f := &s.flows[i]
		sum.Sent += f.sent
		sum.Delivered += f.delivered
		sum.Resent += f.resent
		sum.Refused += f.refused
		sum.TrimmedArrived += f.trimmed
	}
	return sum
}

// lastDelivery is the time of the last delivery so far, in picoseconds of the network's clock.
func (s *Sim) lastDelivery() (at int64) {
	for i := range s.flows {
		at = max(at, s.flows[i].last)
	}
	return at
}

// endOf returns the End of a port.
func (s *shared) endOf(i int32) End {
	p := &s.ports[i]
	return End{Switch: p.isSwitch(), Node: int(p.node), Port: int(p.number)}
}

// port returns the number of a port. A host's port has the number of the host: see build.
func (s *shared) port(e End) int32 {
	if e.Switch {
		return s.switches[e.Node].first + int32(e.Port)
	}
	return int32(e.Node)
}

// Each sender has these timers, beside its flow's.
const (
	onTimeout    = iota // nothing has been acknowledged for too long
	onWindow            // the time in which one CNP may be sent is over
	senderTimers        // how many there are
)

// senderSource returns the event source of a sender's timer.
func (s *shared) senderSource(n int32, timer int32) int32 {
	return s.flowSource(int32(len(s.flows)) + n*senderTimers + timer)
}

// leaps are the times of a fast run that were not simulated: see fast_forward.go.
type leaps []leapOver

// leapOver is a leap: at a time of the network's clock, over so much time of the model. Both are in picoseconds.
type leapOver struct{ at, over int64 }

// sum is the length of all leaps: by so much the clock of the network is behind the time of the model.
func (l leaps) sum() (sum int64) {
	for _, x := range l {
		sum += x.over
	}
	return sum
}

// modelTime turns a time of the network's clock into the time of the model. What happened at the time of a leap
// happened before it. at is a time of the network's clock, in picoseconds.
func (l leaps) modelTime(at int64) unit.Time {
	for i := len(l) - 1; i >= 0; i-- {
		if l[i].at < at {
			return unit.Time(at + l[:i+1].sum())
		}
	}
	return unit.Time(at)
}

// eachUnderWay visits the frames of flows on a link with a link layer to a port. With LLR these are the frames that the
// sender keeps and the port has not accepted.
func (s *shared) eachUnderWay(i int32, visit func(*credits.Frame[packet.Packet])) {
	l := s.ports[i].pausing.layer
	if l == nil {
		return
	}
	data := func(f *credits.Frame[packet.Packet]) {
		if !f.CC {
			visit(f)
		}
	}
	if s.ports[s.ports[i].peer].pausing.layer.end.EachUnacknowledged(&l.end, data) {
		return
	}
	for k := range l.frames.Len {
		data(&l.frames.At(k).frame)
	}
}

// portName returns the name of a switch's port.
func (s *shared) portName(i int32) string {
	p := &s.ports[i]
	if name := s.switches[p.node].ports[p.number].Name; name != "" {
		return name
	}
	return fmt.Sprintf("port %d", p.number)
}

// layout is how the parts lie to each other.
type layout struct {
	neighbours [][]int32 // of each part
	order      []int32   // parts: those that follow each other are near each other
}
