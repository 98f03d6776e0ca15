package identify

import (
	"math/rand/v2"
	"slices"

	"github.com/cellwarden/cellwarden/internal/rules"
)

// Options are what an identification may do.
type Options struct {
	Seed     uint64
	Known    Prior
	Th       int8         // dynamic threshold: alpha is 2^th
	Ports    []int        // ingress ports
	Dsts     []int        // two egress ports
	PGs      []int        // two groups of each port
	Drains   int          // most drains
	Stray    int64        // packets that may leak out beside those that are known; another number each time
	Outliers int          // readings that may be wrong
	Coarse   bool         // the switch says only whether packets were dropped
	Marks    bool         // and the watermarks of each group and its pool
	Work     int64        // most steps of switches that are computed
	Until    func() error // asked now and then; an error ends the search
}

// Work is how many steps of switches are computed before an identification gives up: about ten seconds of one core.
const Work = 25e6

// Cost is what was spent.
type Cost struct{ Drains, Readings, Packets int64 }

// The costs of a drain and of a reading, for the choice of the next probe. A test on a switch waits for seconds at a
// drain, and a reading is one request.
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
	random *rand.Rand
	evidence
	features feature
	egress   bool // an egress port dropped packets
	effort   int  // how many boxes are looked at, as a multiple
	left     []*hypothesis
	cost     Cost
	held     []int     // egress ports that are stopped
	Controls []Control // probes that were predicted before they were run
}

// New begins an identification.
func New(o Options) *Identification {
	e := &Identification{effort: 1, random: rand.New(rand.NewPCG(o.Seed, 0x1d)),
		evidence: evidence{o: o, most: o.Work, bounds: rules.NewBounds(&rules.Box{})}}
	b := start(rules.Rule{}, max(o.Th, 0), &e.o.Known, 0)
	e.left = []*hypothesis{{alpha: b.Alpha, pieces: []piece{{box: b}}}}
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
	if e.egress { // the last ones say nothing of the ingress
		return
	}
	quota := min(max(manyPoints/max(len(e.left), 1), 1), mostPoints)
	e.left = slices.DeleteFunc(e.left, func(h *hypothesis) bool {
		h.points = slices.DeleteFunc(h.points, func(p rules.Point) bool { return !e.given(&p) })
		for len(h.points) > quota {
			i := e.random.IntN(len(h.points))
			h.points = slices.Delete(h.points, i, i+1)
		}
		return len(h.points) <= quota/2 && !e.fill(h, quota)
	})
}

// fill finds switches of a hypothesis, and drops what the readings exclude of it. It returns false if nothing is left.
func (e *Identification) fill(h *hypothesis, quota int) bool {
	h.pieces = slices.DeleteFunc(h.pieces, func(x piece) bool { return !e.possible(&x.box, x.seen) })
	for i := range h.pieces {
		h.pieces[i].seen = e.closed()
	}
	if len(h.pieces) == 1 && !rules.Squeeze(e, &h.pieces[0].box, rounds, squeezed...) {
		return false
	}
	f := finder{evidence: &e.evidence, random: e.random, verdicts: map[class]bool{},
		nodes: min(e.effort*400, 100+8000*e.effort/len(e.left))}
	for idle := 0; idle < 4 && f.nodes > 0 && len(h.points) < quota && !e.Spent(); idle++ {
		var open []int
		for i := range h.pieces {
			if p, point := h.pieces[i].box.Point(); !point || !slices.Contains(h.points, p) {
				open = append(open, i)
			}
		}
		if len(open) == 0 {
			break
		}
		if len(h.points) == 0 {
			idle = 0
		}
		i := open[e.random.IntN(len(open))]
		f.found, f.rest = nil, nil
		f.look(h.pieces[i].box, h.pieces[i].clear)
		h.pieces = append(slices.Delete(h.pieces, i, i+1), f.rest...)
		for _, p := range f.found {
			if !slices.Contains(h.points, p) {
				h.points, idle = append(h.points, p), 0
			}
		}
	}
	return len(h.pieces) > 0
}

// nextFeature returns the feature that comes into use next; 0: all are in use.
func (e *Identification) nextFeature() feature {
	for f := several; f <= release; f <<= 1 {
		if e.features&f == 0 {
			return f
		}
	}
	return 0
}

// Result is what is known in the end.
type Result struct {
	Stop  Stop
	Cost  Cost
	Rules []Remaining // every rule that is still possible
	// Unasked names the choices of which there are values that no probe was for. In the rules, the first value then stands
	// for these, too.
	Unasked []string
}

// Remaining is a rule that is still possible, with the intervals of its numbers.
type Remaining struct {
	Box   rules.Box
	Shown bool // a switch was found that gives every reading; otherwise none was excluded either
}

// Result returns what is known.
func (e *Identification) Result(stop Stop) Result {
	r := Result{Stop: stop, Cost: e.cost}
	for _, h := range e.left {
		r.Rules = append(r.Rules, Remaining{h.hull(), len(h.points) > 0})
	}
	for _, x := range shown {
		if name := x.choice.String(); x.by&e.features == 0 && !slices.Contains(r.Unasked, name) {
			r.Unasked = append(r.Unasked, name)
		}
	}
	return r
}
