package identify

import (
	"errors"
	"math/rand/v2"
	"slices"

	"github.com/cellwarden/cellwarden/internal/rules"
)

// Reading is what a switch says after packets were sent: how many were dropped,
// how many of these by the egress port, and whether the group is paused. A
// switch that does not count says of drops only whether there were any.
type Reading struct {
	Dropped, Egress rules.Span
	Paused          bool
}

// Switch is a switch that is asked.
type Switch interface {
	// Begin drains all egress ports, and stops some.
	Begin(dsts []int) error
	// Send sends packets to a group, for an egress port that is stopped.
	Send(port, pg, dst int, packets, length int64) (Reading, error)
	// Release starts an egress port.
	Release(dst int) error
	// Paused tells whether a group is paused.
	Paused(port, pg int) (bool, error)
}

// ErrAgain says that the switch failed to answer: the session begins again.
var ErrAgain = errors.New("no answer")

// Options are what an identification may do.
type Options struct {
	Seed     uint64
	Known    Prior
	LeastTh  int8 // dynamic thresholds of the space: alpha is 2^th
	MostTh   int8
	Ports    []int        // ingress ports
	Dsts     []int        // two egress ports
	PGs      []int        // two groups of each port
	Drains   int          // most drains; 0: 100
	Outliers int          // readings that may be wrong
	Coarse   bool         // the switch says only whether packets were dropped
	Work     int64        // most steps of switches that are computed; 0: Work
	Until    func() error // asked now and then; an error ends the search
}

// Work is how many steps of switches are computed before an identification gives
// up: about ten seconds of one core.
const Work = 10e6

// Cost is what was spent.
type Cost struct{ Drains, Readings, Packets int64 }

// The costs of a drain and of a reading, for the choice of the next probe. A
// test on a switch waits for seconds at a drain, and a reading is one request.
const drainCost, readingCost = 40, 1

// Stop is why an identification ended.
type Stop string

// The reasons.
const (
	Same          Stop = "same"          // all that remains predicts the same for every probe that was tried
	Budget        Stop = "budget"        // the drains are used up
	Effort        Stop = "effort"        // the steps that may be computed are used up
	Contradiction Stop = "contradiction" // nothing remains
	Egress        Stop = "egress"        // an egress port dropped packets: its limits hide those of the ingress
)

// Identification is a version space in progress.
type Identification struct {
	o      Options
	random *rand.Rand
	evidence
	features feature
	queue    int64 // packets that an egress port took before it dropped; 0: it dropped none
	effort   int   // how many boxes are looked at, as a multiple
	coarse   bool  // the switch does not count drops
	left     []*hypothesis
	cost     Cost
	Controls []Control // probes that were predicted before they were run
}

// New begins an identification.
func New(o Options) *Identification {
	if o.Drains == 0 {
		o.Drains = 100
	}
	if o.Work == 0 {
		o.Work = Work
	}
	e := &Identification{o: o, effort: 1, coarse: o.Coarse, random: rand.New(rand.NewPCG(o.Seed, 0x1d)),
		evidence: evidence{outliers: o.Outliers, most: o.Work, until: o.Until, bounds: rules.NewBounds(&rules.Box{})}}
	var r rules.Rule
	b := start(r, max(o.LeastTh, 0), &e.o.Known, 0)
	e.left = []*hypothesis{{rule: b.Rule, alpha: b.Alpha, pieces: []piece{{box: b}}}}
	e.solve()
	return e
}

// use brings features into use: hypotheses become more.
func (e *Identification) use(f feature) {
	if e.features|f == e.features {
		return
	}
	var all []*hypothesis
	for _, h := range e.left {
		all = append(all, grow(h, e.features, e.features|f, &e.o)...)
	}
	e.left, e.features = all, e.features|f
	e.solve()
}

// Points that are kept in all, and of one hypothesis.
const manyPoints, mostPoints = 192, 24

// solve drops what the readings exclude, and finds switches that give them.
func (e *Identification) solve() {
	quota := min(max(manyPoints/max(len(e.left), 1), 1), mostPoints)
	var left []*hypothesis
	for _, h := range e.left {
		h.points = slices.DeleteFunc(h.points, func(p rules.Point) bool { return !e.given(&p) })
		if len(h.points) > quota/2 {
			left = append(left, h)
			continue
		}
		if !e.fill(h, quota) {
			continue
		}
		left = append(left, h)
	}
	e.left = left
}

// fill finds switches of a hypothesis, and drops what the readings exclude of
// it. It returns false if nothing is left.
func (e *Identification) fill(h *hypothesis, quota int) bool {
	h.pieces = slices.DeleteFunc(h.pieces, func(x piece) bool { return !e.possible(&x.box, x.seen) })
	for i := range h.pieces {
		h.pieces[i].seen = len(e.sessions)
	}
	if len(h.pieces) == 1 && !e.squeeze(&h.pieces[0].box) {
		return false
	}
	f := finder{evidence: &e.evidence, random: e.random, nodes: min(e.effort*400, 100+8000*e.effort/len(e.left))}
	for f.nodes > 0 && len(h.points) < quota && !e.spent() {
		var open []int
		for i := range h.pieces {
			if p, point := h.pieces[i].box.Point(); !point || !slices.Contains(h.points, p) {
				open = append(open, i)
			}
		}
		if len(open) == 0 {
			break
		}
		i := open[e.random.IntN(len(open))]
		f.found, f.rest, f.most = nil, nil, 4
		f.look(h.pieces[i].box)
		h.pieces = append(slices.Delete(h.pieces, i, i+1), f.rest...)
		for _, p := range f.found {
			if !slices.Contains(h.points, p) {
				h.points = append(h.points, p)
			}
		}
	}
	h.open = len(h.points) == 0
	return len(h.pieces) > 0
}

// ask runs a session against a switch, and notes its answers. With stop, it
// ends after a step whose answer no remaining switch predicted.
func (e *Identification) ask(sw Switch, s Session) error {
	for try := 0; ; try++ {
		done, err := e.once(sw, s)
		if errors.Is(err, ErrAgain) && try < 20 {
			continue
		}
		if err == nil {
			e.sessions = append(e.sessions, done)
		}
		return err
	}
}

// once runs a session once.
func (e *Identification) once(sw Switch, s Session) (done Session, err error) {
	e.cost.Drains++
	if err := sw.Begin(s.holds()); err != nil {
		return nil, err
	}
	for _, x := range s {
		if x, err = e.step(sw, x); err != nil {
			return nil, err
		}
		done = append(done, x)
	}
	return done, nil
}

// step does a step and returns it with its answers.
func (e *Identification) step(sw Switch, x Step) (Step, error) {
	if x.Release {
		e.cost.Drains++
		if err := sw.Release(x.Dst); err != nil {
			return x, err
		}
		read := slices.Clone(x.Paused)
		for i := range read {
			is, err := sw.Paused(read[i].Port, read[i].PG)
			if err != nil {
				return x, err
			}
			e.cost.Readings++
			read[i].Is = is
		}
		x.Paused = read
		return x, nil
	}
	r, err := sw.Send(x.Port, x.PG, x.Dst, x.Packets, x.Length)
	if err != nil {
		return x, err
	}
	e.cost.Readings++
	e.cost.Packets += x.Packets
	x.Accepted = rules.Span{Lo: max(x.Packets-r.Dropped.Hi, 0), Hi: x.Packets - r.Dropped.Lo}
	x.Egress = r.Egress
	if r.Egress.Lo > 0 && e.queue == 0 {
		e.queue = x.Accepted.Hi
	}
	if e.features&pauses != 0 || x.Paused != nil {
		x.Paused = []Pause{{x.Port, x.PG, r.Paused}}
	}
	return x, nil
}

// Run asks a switch until nothing is left to ask, the drains are used up, or no
// rule is left. An error is the switch's.
func (e *Identification) Run(sw Switch) (Stop, error) {
	if err := e.open(sw); err != nil {
		return "", err
	}
	for {
		switch {
		case e.queue > 0:
			return Egress, nil
		case len(e.left) == 0:
			return Contradiction, nil
		case e.cost.Drains >= int64(e.o.Drains):
			return Budget, nil
		}
		s, ok := e.choose()
		switch {
		case e.stopped != nil:
			return "", e.stopped
		case e.spent():
			return Effort, nil
		case !ok:
			if next, more := e.nextFeature(); more {
				e.use(next)
				continue
			}
			if slices.ContainsFunc(e.left, func(h *hypothesis) bool { return h.open }) { // as long as the budget allows it
				e.effort *= 4
				e.solve()
				continue
			}
			if done, err := e.control(sw); err != nil || done {
				if len(e.left) == 0 {
					return Contradiction, err
				}
				return Same, err
			}
		default:
			if err := e.converse(sw, s); err != nil {
				return "", err
			}
			e.solve()
		}
	}
}

// opened is how many groups the first session fills.
const opened = 12

// open fills groups of one slice one after the other, each with more packets
// than the switch can have room for. What they took tells the most of a switch
// of which nothing is known, if it counts.
func (e *Identification) open(sw Switch) error {
	if e.coarse {
		e.use(several) // even the first group tells forms of the limit and owners of headroom apart
		return nil
	}
	most := e.o.Known[rules.Shared].Hi + e.o.Known[rules.Headroom].Hi + e.o.Known[rules.Reserved].Hi
	var s Session
	e.cost.Drains++
	if err := sw.Begin(e.o.Dsts[:1]); err != nil {
		return err
	}
	for i := range opened {
		if 4*i >= len(e.o.Ports) {
			break
		}
		x, err := e.step(sw, Step{Port: e.o.Ports[4*i], PG: e.o.PGs[0], Dst: e.o.Dsts[0], Packets: most, Length: shortest})
		if err != nil {
			return err
		}
		s = append(s, x)
		most = x.Accepted.Hi + x.Accepted.Hi/2 + 64 // no group after it has more room
		if i > 1 && s[i].Accepted == s[i-1].Accepted && s[i].Accepted == s[i-2].Accepted {
			break
		}
	}
	e.sessions = append(e.sessions, s)
	if e.queue > 0 {
		return nil
	}
	e.use(several)
	return nil
}

// nextFeature returns the feature that comes into use next.
func (e *Identification) nextFeature() (feature, bool) {
	for _, f := range order {
		if e.features&f == 0 {
			return f, true
		}
	}
	return 0, false
}
