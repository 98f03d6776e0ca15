package scenario

import (
	"cmp"
	"io"

	"github.com/cellwarden/cellwarden/backend/sim/fabric"
	"github.com/cellwarden/cellwarden/report/page"
	"github.com/cellwarden/cellwarden/unit"
)

// recorder records what the plots show. For every step of time it keeps the
// most that groups and queues held, the bytes that flows delivered, and the
// frames that were lost or marked. A maximum per step does not miss a short
// peak, which a sample would.
type recorder struct {
	*Scenario
	sim     *fabric.Sim
	w       io.Writer                   // of the page
	step    unit.Time                   // length of a step
	count   int                         // steps that are over
	groups  map[portNumber]*groupSeries // by ingress port and group
	queues  map[portNumber]*series      // by egress port and queue
	flows   map[string]*series          // by line of the plot
	hosts   map[fabric.End]int          // host at the other end of a switch's port
	sender  map[string]string           // host of a line of the plot, if it has one alone
	drops   map[place]*series
	marks   map[place]*series
	paused  map[portNumber]*pauses      // by port and priority
	line    []*series                   // series of each flow, by its number
	sending map[portNumber]*sending     // by port alone
	rates   map[fabric.End]unit.BitRate // of the ports
}

// portNumber names a priority, a group or a queue of a port.
type portNumber struct {
	at fabric.End
	n  int
}

// place is where frames are dropped or marked, and the reason or the class.
type place struct {
	at   fabric.End
	what string
}

// compare orders hosts before switches, and then by number.
func (p portNumber) compare(o portNumber) int {
	return cmp.Or(cmp.Compare(truthOf(p.at.Switch), truthOf(o.at.Switch)), cmp.Compare(p.at.Node, o.at.Node),
		cmp.Compare(p.at.Port, o.at.Port), cmp.Compare(p.n, o.n))
}

// series is a value per step; now is the value of the present step. Values are cells, bytes or frames, by what the
// series is of.
type series struct {
	values []int64 // of the steps that are over
	now    int64
	peak   int64
}

// most raises the present step's value.
func (s *series) most(v int64) {
	s.now = max(s.now, v)
	s.peak = max(s.peak, v)
}

// add adds to the present step's value.
func (s *series) add(v int64) {
	s.now += v
	s.peak = max(s.peak, s.now)
}

// end ends a step and begins the next one with a value. A series begins with
// its first event, so steps before that get the value unknown.
func (s *series) end(steps int, next, unknown int64) {
	for len(s.values) < steps-1 {
		s.values = append(s.values, unknown)
	}
	s.values = append(s.values, s.now)
	s.now = next
}

// groupSeries is what a group holds, and its limit.
type groupSeries struct{ shared, headroom, limit series }

// pauses are the times in which a priority was paused. sum is the length of the spans, by which the panel sorts its
// rows.
type pauses struct {
	spans []page.Span
	on    bool      // a pause lasts
	since unit.Time // start of that pause
	sum   unit.Time
}

// maxTracked is the largest number of groups or queues that are recorded. Later
// ones do not appear in the plots; it bounds memory.
const maxTracked = 4096

// maxFlows is the largest number of flows that each have a line.
const maxFlows = 64

// newRecorder returns a recorder. A scenario with many flows gets one line per
// entry of flows, not per flow. A step is never so short that the run would have more than 100 times the usual
// points, which bounds the memory.
func newRecorder(w io.Writer, s *Scenario, sim *fabric.Sim, end unit.Time) *recorder {
	r := &recorder{Scenario: s, sim: sim, w: w, step: max(s.Sample, end/(100*samples), 1),
		groups: map[portNumber]*groupSeries{},
		queues: map[portNumber]*series{},
		flows:  map[string]*series{}, sender: map[string]string{}, hosts: map[fabric.End]int{},
		drops: map[place]*series{}, marks: map[place]*series{},
		paused: map[portNumber]*pauses{}, sending: map[portNumber]*sending{}, rates: map[fabric.End]unit.BitRate{}}
	// A host has one link, so the host at the other end names and colours a switch's port.
	for _, l := range s.Network.Links {
		r.rates[l.A], r.rates[l.B] = l.Rate, l.Rate
	}
	for at, peer := range s.peers() {
		if at.Switch && !peer.Switch {
			r.hosts[at] = peer.Node
		}
	}
	for i := range s.Network.Flows {
		name := s.FlowName(i)
		// The flows of an entry then share a line, which belongs to no single sender.
		if len(s.Network.Flows) > maxFlows {
			name = s.Network.Flows[i].Name
		} else {
			r.sender[name] = s.Network.Hosts[s.Network.Flows[i].From].Name
		}
		r.line = append(r.line, seriesOf(r.flows, name))
	}
	return r
}

// seriesOf returns the series of a key, or another value that belongs to it. It adds a missing one.
func seriesOf[K comparable, V any](m map[K]*V, key K) *V {
	if m[key] == nil {
		m[key] = new(V)
	}
	return m[key]
}

// tracked is seriesOf for at most maxTracked keys; nil: the key is a further one.
func tracked[K comparable, V any](m map[K]*V, key K) *V {
	if m[key] == nil && len(m) >= maxTracked {
		return nil
	}
	return seriesOf(m, key)
}

// event records an event.
func (r *recorder) event(e *fabric.Event) {
	switch e.Kind {
	case fabric.Enqueued:
		r.enqueued(e)
	case fabric.Delivered:
		// Acknowledgements and CNPs are frames of the flow too, and no bytes that it delivered.
		if e.FrameKind == "data" {
			r.line[e.Flow].add(int64(e.Bytes))
		}
	case fabric.Departs:
		r.departs(e)
	case fabric.Dropped:
		seriesOf(r.drops, place{e.Where, fabric.Reason(e.Cause)}).add(1)
	case fabric.Marked:
		seriesOf(r.marks, place{e.Where, r.ClassName(e.Queue)}).add(1)
	case fabric.Paused:
		// A pause that is renewed is the same pause: it keeps its start.
		if p := seriesOf(r.paused, portNumber{e.Where, e.Priority}); !p.on {
			p.on, p.since = true, e.At
		}
	case fabric.Resumed:
		if p := r.paused[portNumber{e.Where, e.Priority}]; p != nil {
			p.end(e.At)
		}
	}
}

// end ends a pause. A resume frame without a pause changes nothing.
func (p *pauses) end(at unit.Time) {
	if p.on {
		p.spans = append(p.spans, page.Span{From: p.since, To: at})
		p.sum += at - p.since
		p.on = false
	}
}

// enqueued records what a frame's group and queue hold now. They grow only when
// a frame is enqueued, so their maxima are exact.
func (r *recorder) enqueued(e *fabric.Event) {
	w := &r.Network.Switches[e.Where.Node]
	// A switch without an MMU has queues and no groups.
	if r.sim.MMU(e.Where.Node) != nil {
		group := w.Ports[e.Where.Port].Groups[e.Priority]
		if g := tracked(r.groups, portNumber{e.Where, group}); g != nil {
			h := r.sim.MMU(e.Where.Node).Held(group)
			g.shared.most(int64(h.Shared))
			g.headroom.most(int64(h.Headroom + h.Global))
		}
	}
	if q := tracked(r.queues, portNumber{fabric.AtSwitch(e.Where.Node, e.Out), e.Queue}); q != nil {
		_, bytes := r.sim.Queue(e.Where.Node, e.Out, e.Queue)
		q.most(int64(bytes))
	}
}

// sample ends a step. What a group holds now is also a lower bound for the
// maximum of the next step, in which it may only become less. A limit has the value -1 in steps before its group was
// seen, and points leaves those out.
func (r *recorder) sample(unit.Time) {
	r.count++
	// The order of the map does not show: each series is changed alone.
	for key, g := range r.groups {
		h := r.sim.MMU(key.at.Node).Held(key.n)
		g.shared.end(r.count, int64(h.Shared), 0)
		g.headroom.end(r.count, int64(h.Headroom+h.Global), 0)
		// The limit is that at the end of the step: what is free changes with every frame.
		g.limit.now = r.limit(key)
		g.limit.end(r.count, 0, -1)
	}
	for key, q := range r.queues {
		_, bytes := r.sim.Queue(key.at.Node, key.at.Port, key.n)
		// Steps before the first frame of a queue have 0, because it was empty.
		q.end(r.count, int64(bytes), 0)
	}
	for _, s := range r.flows {
		s.end(r.count, 0, 0)
	}
	for _, s := range r.sending {
		s.end(r.count, r.step)
	}
	for _, m := range []map[place]*series{r.drops, r.marks} {
		for _, s := range m {
			s.end(r.count, 0, 0)
		}
	}
}

// limit returns how many shared cells a group may use now; -1 without a limit.
// With several slices it is the limit in the first.
func (r *recorder) limit(key portNumber) int64 {
	c := &r.Network.Switches[key.at.Node].MMU
	g := &c.Groups[key.n]
	pool := c.Pools[g.Pool].Shared
	limit := g.Limit.At(pool - r.sim.MMU(key.at.Node).PoolUsed(0, g.Pool))
	// A limit far above the pool never acts. It would only flatten the plot.
	if limit > 4*pool {
		return -1
	}
	return int64(limit)
}

// finish writes the page. Panels without content are left out. res is the result of the run that was recorded, and the
// page has the facts of both.
func (r *recorder) finish(res *Result) error {
	p := &page.Run{Title: r.Name, Text: r.Lesson, End: res.End, Facts: facts(res)}
	verdict, good := r.Verdict(res)
	p.Verdict = verdict
	// A run that was not compared has no tone: it is neither good nor bad.
	switch {
	case good:
		p.Tone = "good"
	case res.Cut || len(res.Unmet) > 0:
		p.Tone = "bad"
	}
	for _, u := range res.Unmet {
		p.Notes = append(p.Notes, "Not as expected: "+u)
	}
	if res.InDeadlock {
		p.Notes = append(p.Notes, "Deadlock at the end: "+res.Cycle)
	}
	for _, f := range res.Findings {
		p.Findings = append(p.Findings, f.String())
	}
	// Tables come from the result and panels from the recorder: a panel can be cut, a table is complete.
	p.Tables = tables(res)
	for _, panel := range []page.Panel{r.sharedPanel(), r.headroomPanel(), r.queuePanel(), r.pausePanel(res.End),
		r.ratePanel(), r.linkPanel(), r.countPanel("Drops", "dropped", r.drops), r.countPanel("Marks", "marked", r.marks)} {
		if len(panel.Lines)+len(panel.Rows) > 0 {
			p.Panels = append(p.Panels, panel)
		}
	}
	return p.Write(r.w)
}
