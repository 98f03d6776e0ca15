package scenario

import (
	"context"
	"io"

	"github.com/cellwarden/cellwarden/backend/sim/fabric"
	"github.com/cellwarden/cellwarden/diagnosis"
	"github.com/cellwarden/cellwarden/unit"
)

// Options say what a run writes. The zero Options write nothing.
type Options struct {
	Until    unit.Time // end of the run; 0: the scenario's
	Trace    io.Writer // events as CSV; nil: none
	Capture  io.Writer // frames as a pcap file; nil: none
	Plot     io.Writer // an HTML page; nil: none
	Progress func(done, whole unit.Time)
	// Workers is how many goroutines share a large network; 0: as many as Go uses processors. Results do not depend on
	// it.
	Workers int
	// FastForward leaves out repetitions of steady states. It needs a run without
	// outputs; Result.FastForward says what was left out, or why nothing was.
	FastForward bool
}

// never is the time of something that does not happen.
const never = unit.Time(1 << 62)

// checks is how often a run looks whether it is cancelled, and reports
// progress.
const checks = 2000

// longestCheck is the longest model time between two such looks. It makes a
// long run react quickly when it is cancelled.
const longestCheck = 100 * unit.Microsecond

// Run runs the scenario. When the context is cancelled it stops between two
// events of the network. The files that it has written until then are complete,
// and the result says that the run was cut. Run returns the error of a writer,
// or of a network that cannot run. Expectations that are not met are no error:
// see Result.Unmet.
func (s *Scenario) Run(ctx context.Context, o Options) (*Result, error) {
	sim, err := s.network(ctx)
	if err != nil {
		return nil, err
	}
	sim.SetWorkers(o.Workers)
	r := &run{Scenario: s, sim: sim, end: s.Until, firstPause: map[fabric.End]unit.Time{},
		depths: make([]depth, len(s.Watch))}
	if o.Until > 0 {
		r.end = o.Until
	}
	if err := r.observe(o); err != nil {
		return nil, err
	}
	var cut bool
	var fast *fabric.FastForward
	if o.FastForward {
		cut, fast = r.fast(ctx, o)
	} else {
		cut = r.loop(ctx, o.Progress)
	}
	res := r.result(cut)
	// There may be fewer than were asked for.
	res.Workers = sim.Workers()
	res.FastForward = fast
	// Two readings of one moment have no time between them, and the diagnosis refuses such a pair.
	if r.meter != nil && r.sim.Now() > 0 {
		if res.Findings, err = r.diagnose(); err != nil {
			return nil, err
		}
	}
	// Expectations are about the end that the file gives: at another time they would be wrong in either direction.
	res.Checked = !cut && o.Until == 0
	if res.Checked {
		res.Unmet = s.unmet(res)
	}
	for _, out := range r.outputs {
		if err := out.finish(res); err != nil {
			return res, err
		}
	}
	return res, nil
}

// network makes the simulation, and sets the pool sizes of switches with a
// plan.
func (s *Scenario) network(ctx context.Context) (*fabric.Sim, error) {
	sim, err := fabric.NewContext(ctx, s.Network)
	if err != nil {
		return nil, err
	}
	// A plan has pools for each slice, and the network has one size for all: the planned sizes are set afterwards.
	for _, t := range s.planned {
		if err := t.asic.Tune(sim.MMU(t.node)); err != nil {
			return nil, err
		}
	}
	return sim, nil
}

// output is a file that a run writes.
type output interface {
	event(e *fabric.Event)
	// finish writes what was buffered, also after an interruption: a file that is cut between two events is still
	// readable.
	finish(res *Result) error
}

// run is the state of a run.
type run struct {
	*Scenario
	sim        *fabric.Sim
	end        unit.Time                // end of the run, in model time
	firstPause map[fabric.End]unit.Time // when each port first sent a pause frame
	outputs    []output                 // what Options ask for
	recorder   *recorder                // one of the outputs; nil: no plots
	meter      *fabric.Meter            // nil: no diagnosis
	before     []diagnosis.Snapshot     // counters of the switches at the start
	// bytes that each flow had delivered at Settle; nil: rates are from the
	// flow's start
	settled []unit.Bytes
	depths  []depth // of the watched queues
}

// observe registers one observer that passes the events on to all outputs. It
// registers none if nothing needs events: the simulation is faster without.
func (r *run) observe(o Options) error {
	if o.Trace != nil {
		r.outputs = append(r.outputs, newTraceWriter(o.Trace, r.Scenario, r.sim))
	}
	if o.Capture != nil {
		capture, err := newPcapWriter(o.Capture, r.Scenario)
		if err != nil {
			return err
		}
		r.outputs = append(r.outputs, capture)
	}
	if o.Plot != nil {
		r.recorder = newRecorder(o.Plot, r.Scenario, r.sim, r.end)
		r.outputs = append(r.outputs, r.recorder)
	}
	// The reading before the run is all zeros but for its time and ports, and is taken the same way as the one after.
	if r.Diagnose {
		r.meter = fabric.NewMeter(r.sim)
		for i := range r.Network.Switches {
			r.before = append(r.before, r.meter.Read(i))
		}
	}
	if len(r.outputs) == 0 && r.meter == nil && !r.firstPauses {
		return nil
	}
	// All outputs share one observer, so that each gets the same events in one order.
	r.sim.Observe(func(e *fabric.Event) {
		// Only the first pause frame of a port is kept.
		if e.Kind == fabric.XOFFSent {
			if _, ok := r.firstPause[e.Where]; !ok {
				r.firstPause[e.Where] = e.At
			}
		}
		if r.meter != nil {
			r.meter.Observe(e)
		}
		for _, out := range r.outputs {
			out.event(e)
		}
	})
	return nil
}

// periodic is something that is done at regular times.
type periodic struct {
	next, every unit.Time
	do          func(at unit.Time)
}

// loop runs the simulator from one time to the next at which something is to be
// done. It returns true if the run was stopped before its end. The number of
// steps has no effect on the result. Between two of these times the simulator runs without a look at the context.
func (r *run) loop(ctx context.Context, progress func(done, whole unit.Time)) (cut bool) {
	// A very short run is looked at after each picosecond, which is the smallest time.
	step := min(max(r.end/checks, 1), longestCheck)
	beats := []periodic{{step, step, func(at unit.Time) {
		if progress != nil {
			progress(at, r.end)
		}
	}}}
	if r.Settle > 0 {
		// It comes once: the next time would be after any end.
		beats = append(beats, periodic{r.Settle, never, r.settle})
	}
	if len(r.Watch) > 0 {
		beats = append(beats, periodic{r.Settle + 1, max(r.end/watchSamples, 1), r.watch})
	}
	if r.recorder != nil {
		beats = append(beats, periodic{r.recorder.step, r.recorder.step, r.recorder.sample})
	}
	for at := unit.Time(0); at < r.end; {
		if ctx.Err() != nil {
			return true
		}
		at = r.end
		// The next stop is the nearest of all beats, or the end.
		for _, b := range beats {
			at = min(at, b.next)
		}
		r.sim.Run(at)
		for i := range beats {
			if b := &beats[i]; b.next == at {
				b.do(at)
				b.next += b.every
			}
		}
	}
	return false
}

// fast runs the simulator and leaves out repetitions of steady states, if
// nothing needs every moment of the run. It refuses where a leap would change what is measured, and then simulates
// every event; the result says why.
func (r *run) fast(ctx context.Context, o Options) (cut bool, f *fabric.FastForward) {
	exact := func(why string) (bool, *fabric.FastForward) {
		return r.loop(ctx, o.Progress), &fabric.FastForward{Refused: why}
	}
	switch {
	case len(r.Watch) > 0 || r.Settle > 0:
		return exact("the scenario measures queues, or rates after it has settled")
	case r.expectsMaximum && o.Until == 0:
		return exact("the file expects a maximum, which is known only if every event is simulated")
	}
	// RunFast calls this now and then; true ends the run.
	out := r.sim.RunFast(r.end, func() bool {
		if o.Progress != nil {
			o.Progress(r.sim.Now(), r.end)
		}
		return ctx.Err() != nil
	})
	return ctx.Err() != nil, &out
}

// watchSamples is how often the depth of a watched queue is measured: a prime
// number, so that the samples do not fall into step with the traffic.
const watchSamples = 20011

// settle stores what the flows have delivered when the measurement of rates
// begins. The start of the traffic is then not part of a rate.
func (r *run) settle(unit.Time) {
	for i := range r.Network.Flows {
		r.settled = append(r.settled, r.sim.Flow(i).Bytes)
	}
}

// watch measures the watched queues.
func (r *run) watch(unit.Time) {
	for i, w := range r.Watch {
		_, bytes := r.sim.Queue(w.Node, w.Port, w.Queue)
		d := &r.depths[i]
		d.sum += bytes
		d.samples++
		d.most = max(d.most, bytes)
	}
}

// depth is what was measured of a queue. The mean is the sum divided by the
// samples, which are taken at equal distances of time. Both are bytes.
type depth struct {
	sum, most unit.Bytes
	samples   int64
}

// unmet lists the expectations that are not met.
func (s *Scenario) unmet(r *Result) []string {
	var out []string
	for i := range s.Expect {
		if text := s.Expect[i].check(r); text != "" {
			out = append(out, text)
		}
	}
	return out
}
