package pushworld

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	gpb "github.com/openconfig/gnmi/proto/gnmi"

	"github.com/cellwarden/cellwarden/backend/gnmi/native"
	"github.com/cellwarden/cellwarden/backend/gnmi/server"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/sonicfake"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/nos/registry"
)

// The names of what is neither a process nor a computer.
const (
	netName    = "network"
	targetName = "switch"
)

// longestSet is the longest time that a switch takes for a Set.
const longestSet = 90 * time.Second

// World is one history: the switch, the network, the computers and the processes on them.
type World struct {
	*scheduler
	seed       uint64
	faults     *faults
	extras     *extras
	network    *network
	target     *target
	model      *model
	computers  []*computer
	operations []*operation
	jobs       []*job
	kind       string
	plans      []plan

	broken    Rule
	recording bool
	lines     []string
}

// History is what a seed gave.
type History struct {
	Seed  uint64
	Wrong []string // what happened that must not; none: the history held
	Lines []string // what happened, for people; none unless Options.Record
	RPCs  int      // that the clients have sent
}

// Options say how a history is run.
type Options struct {
	Record bool // keep the lines of the history
	Broken Rule // the rule that the pushers break; empty: none
}

// Run runs the history of a seed.
func Run(t *testing.T, seed uint64, opt Options) *History {
	t.Helper()
	var w *World
	synctest.Test(t, func(*testing.T) {
		w = newWorld(seed, opt)
		w.live()
	})
	for i, line := range w.lines { // a client has ids of its own each time
		w.lines[i] = commitIDs.ReplaceAllString(line, "cellwarden-ID")
	}
	return &History{Seed: seed, Wrong: w.model.wrong, Lines: w.lines, RPCs: w.network.rpcs}
}

var commitIDs = regexp.MustCompile(`cellwarden-[0-9a-f]{12}`)

// note adds a line to the history.
func (w *World) note(who, format string, args ...any) {
	if w.recording {
		w.lines = append(w.lines, fmt.Sprintf("%10.3fs  %-12s %s", w.now().Seconds(), who, fmt.Sprintf(format, args...)))
	}
}

// newWorld draws a world.
func newWorld(seed uint64, opt Options) *World {
	s := newScheduler(seed)
	w := &World{scheduler: &s, seed: seed, recording: opt.Record, broken: opt.Broken}
	w.faults, w.extras = newFaults(w.scheduler), newExtras(seed)
	w.network = &network{World: w}
	w.model = &model{World: w, writers: map[string]writer{}, wrote: map[string]writer{}, claims: map[string]claim{}}
	w.target = w.newTarget()
	for i := range 1 + w.IntN(2) {
		w.computers = append(w.computers, &computer{World: w, name: fmt.Sprintf("computer %d", i+1),
			files: map[string]*inode{}, lies: w.faults.on[syncLies], locks: !w.oneIn(3)})
	}
	return w
}

// The kinds of switches that take native values. All others are those of package nos.
const (
	simulated     = "simulated"
	openConfigAll = "openconfig"
	nativeLeaves  = "native values"
	nativeSONiC   = "SONiC"
)

// native tells whether the switch takes native values.
func (w *World) native() bool { return w.kind == nativeLeaves || w.kind == nativeSONiC }

// newTarget draws the switch.
func (w *World) newTarget() *target {
	names := []string{simulated, openConfigAll, "arista", "srlinux", "juniper", "cisco"}
	switch w.kind = names[w.IntN(len(names))]; {
	case w.oneIn(30): // it takes many requests
		w.kind = nativeSONiC
	case w.oneIn(2):
		w.kind = nativeLeaves
	}
	q := quirks{commits: commitQuirk(w.IntN(3)), abandons: w.oneIn(2), forgets: w.oneIn(2), noOnce: w.oneIn(4) &&
		!w.faults.on[cutStream]}
	if w.oneIn(2) {
		q.commits = commitsWork
	}
	q.noGet = !q.noOnce && !w.native() && (w.faults.on[cutStream] || w.oneIn(4))
	return &target{World: w, machine: w.newMachine(), quirks: q}
}

// newMachine draws what the switch holds.
func (w *World) newMachine() machine {
	switch w.kind {
	case nativeSONiC:
		w.plans = sonicPlans()
		s := sonicfake.New(sonicfake.Shipped())
		s.ASIC, s.Branch = "th", 202511
		return &updater{Switch: s}
	case nativeLeaves:
		m := &leaves{has: Content{`/qos/profiles/profile[name=operator]/config/size`: "5"}, plans: leafPlans()}
		for _, p := range m.plans {
			rendering := &nos.Rendering{Updates: p.updates}
			w.plans = append(w.plans, plan{name: p.name, language: &native.Fixed{Rendering: rendering}})
		}
		if w.oneIn(2) {
			m.console(w.scheduler)
			m.console(w.scheduler)
		}
		return m
	}
	w.plans = plansOf(w.kind)
	m := &openConfig{graph: graphOf(modelsOf(w.kind)...), plans: w.plans, as: profiles()[w.kind]}
	var start buffer.Layout
	if w.oneIn(2) {
		start = w.plans[w.IntN(len(w.plans)-1)].layout // the last does not fit
	}
	m.node = m.graph.start(start, m.as)
	return m
}

// profiles are those of package nos, by their names.
var profiles = sync.OnceValue(func() map[string]*nos.Profile {
	out := map[string]*nos.Profile{}
	for _, p := range registry.Profiles() {
		out[p.Name] = p
	}
	return out
})

// modelsOf is what a kind of switch lists beside OpenConfig's models.
func modelsOf(kind string) []*gpb.ModelData {
	p := profiles()[kind]
	if len(p.Models) == 0 {
		return nil
	}
	out := []*gpb.ModelData{{Name: p.Models[0] + "qos", Organization: kind}}
	if kind == simulated {
		out = append(out, server.SimulatedChip(buffer.Chip{Name: chipName, Cell: cell}))
	}
	return out
}

// live lets the history happen: pushers that begin at about the same time, what befalls
// them, and then a time in which everything works and what is left is finished.
func (w *World) live() {
	w.note("world", "a switch of kind %s, %+v; faults: %v", w.kind, w.target.quirks, w.faults)
	const span = 20 * time.Second
	for n := range 1 + w.IntN(3) {
		on := w.computers[w.IntN(len(w.computers))]
		name := fmt.Sprintf("pusher %d", n+1)
		w.after(w.between(0, span)/time.Duration(1+w.IntN(20)), func() { w.push(name, on, w.IntN(3)) })
	}
	w.commitsOfOthers(span)
	w.clocksOf(span)
	w.befall(restart, span, w.target.restart)
	w.befall(console, span, w.target.atConsole)
	w.befall(console, span, w.target.atConsole)
	w.befall(powerLost, span, func() { w.computers[w.IntN(len(w.computers))].losesPower() })
	for range 3 {
		w.befall(bitRot, span, w.rot)
	}
	w.run(func() bool { return false })
	w.faults.stop()
	w.extras = &extras{Rand: w.extras.Rand}
	w.target.lockEnd, w.target.quiet = 0, 0
	w.finish()
}

// befall has a fault of the world befall it once, if it is one of this history.
func (w *World) befall(k fault, span time.Duration, do func()) {
	if w.faults.on[k] {
		w.after(w.between(0, span), do)
	}
}

// rot changes a digit in one of the journals.
func (w *World) rot() {
	c := w.computers[w.IntN(len(w.computers))]
	for _, name := range slices.Sorted(maps.Keys(c.files)) {
		if n := c.files[name]; (n.locked == nil || n.locked.ended || n.locked.dead) && n.rots(w.scheduler) {
			w.note(c.name, "has changed a digit of %s", name)
		}
	}
}

// push starts an apply, and others of the same pusher after it.
func (w *World) push(name string, on *computer, more int) {
	j := &job{number: len(w.jobs) + 1, plan: w.plans[w.IntN(len(w.plans))],
		how: manner{phased: w.oneIn(2), journal: !w.oneIn(4)}}
	if w.oneIn(2) {
		j.how.rollback = 2 * time.Minute
	}
	j.how.foreign = w.kind == simulated && w.oneIn(8)
	if w.oneIn(2) {
		j.how.longest = w.between(10*time.Second, time.Minute).Round(time.Second)
	}
	if w.oneIn(2) {
		j.how.profile = profiles()[w.kind]
	}
	w.jobs = append(w.jobs, j)
	w.begin(name, on, j, apply, func(o *operation) {
		if more > 0 {
			w.after(w.between(0, 10*time.Second), func() { w.more(o, more-1) })
		}
	})
}

// more is what a pusher does after an operation: it resumes or undoes what did not end, or pushes another plan.
func (w *World) more(o *operation, more int) {
	again := func(o *operation) {
		if more > 0 {
			w.after(w.between(0, 10*time.Second), func() { w.more(o, more-1) })
		}
	}
	if w.applyAgain(o, again) {
		return
	}
	if w.oneIn(4) { // of a job of its own: what a job intends is its apply's
		w.begin(o.name, o.computer, &job{number: o.job.number, plan: o.job.plan, how: o.job.how}, compare, again)
		return
	}
	if n := o.computer.files[o.job.file]; n != nil && !w.oneIn(3) {
		if push, err := n.read(); err == nil && push.Open() || w.oneIn(4) {
			v := []verb{resume, undo}[w.IntN(2)]
			o.job.overwrites = w.oneIn(4)
			w.begin(o.name, o.computer, o.job, v, again)
			return
		}
	}
	w.push(strings.Fields(o.name)[0]+" "+strings.Fields(o.name)[1], o.computer, more)
}

// begin starts a process for a job. then is called when it has ended, or was killed.
func (w *World) begin(name string, on *computer, j *job, v verb, then func(*operation)) *operation {
	who := strings.Join(strings.Fields(name)[:2], " ")
	o := &operation{World: w, computer: on, job: j, verb: v, name: fmt.Sprintf("%s job %d %v", who, j.number, v),
		served: -1, tables: map[string]time.Duration{}, seen: map[string]Content{}, first: Content{}, then: then}
	o.began = w.now()
	w.operations = append(w.operations, o)
	if v == apply || v == compare {
		w.note(o.name, "begins: plan %s,%v, on %s", j.plan.name, j.how, on.name)
	} else {
		w.note(o.name, "begins: %s on %s%s", j.file, on.name, map[bool]string{true: " --overwrite"}[j.overwrites])
	}
	w.extras.killsAt(o)
	o.process = w.newProcess()
	o.process.start(o.do)
	if w.faults.on[processKilled] && w.oneIn(2) {
		w.after(w.between(0, time.Second)/time.Duration(1+w.IntN(10)), o.kill)
	}
	if w.faults.on[interrupted] && w.oneIn(2) {
		w.after(w.between(0, time.Second)/time.Duration(1+w.IntN(10)), o.interrupt)
	}
	return o
}

// kill kills the process of an operation.
func (o *operation) kill() {
	if o.ended || o.process.dead {
		return
	}
	o.note(o.name, "is killed")
	o.process.kill()
	if o.then != nil {
		o.then(o)
	}
}

// interrupt is Ctrl-C: the context of the operation ends.
func (o *operation) interrupt() {
	if o.ended || o.process.dead || o.stop == nil {
		return
	}
	o.note(o.name, "is interrupted")
	o.stop()
	o.after(0, func() { o.network.interrupted(o) })
}

// ends notes the end of an operation.
func (w *World) ends(o *operation) {
	o.ended = true
	if o.computer.pushes == o.process {
		o.computer.pushes = nil
	}
	w.note(o.name, "ends: exit %d, %s: %v", o.code, o.state, o.err)
	w.model.ends(o)
	o.pushesBeside()
	if o.then != nil {
		o.then(o)
	}
}

// depends tells whether the switch refused because of what others have written: SONiC takes no profile away that an
// entry of others names, and no push makes up an entry that others have taken away, of which it knows a field alone. A
// curve whose minimum others have raised cannot lose its maximum.
func (o *operation) depends() bool {
	if o.err == nil {
		return false
	}
	text := o.err.Error()
	return o.kind == nativeSONiC && (strings.Contains(text, "leafref") ||
		strings.Contains(text, "its parent is not there")) ||
		strings.Contains(text, "want at most max-threshold")
}

// finish resumes or undoes what is open, when everything works and nothing is under way.
func (w *World) finish() {
	w.note("world", "from here on nothing fails")
	for _, j := range w.jobs {
		if j.file == "" {
			continue
		}
		n := j.on.files[j.file]
		if n == nil {
			continue
		}
		push, err := n.read()
		if err != nil || !push.Open() {
			continue
		}
		v := []verb{resume, undo}[w.IntN(2)]
		if j.plan.name == tooLarge {
			v = undo
		}
		j.overwrites = j.on.later(push, false) != "" || w.oneIn(8)
		o := w.begin("pusher 9", j.on, j, v, nil)
		w.run(func() bool { return false })
		if o.code != 0 && o.code != 7 && !o.depends() {
			w.model.fault("%s of an open journal ends with exit %d where everything works: %v", o.name, o.code, o.err)
		}
	}
	if !w.oneIn(3) {
		return
	}
	j := &job{number: len(w.jobs) + 1, plan: w.plans[0], how: manner{rollback: 2 * time.Minute}}
	w.jobs = append(w.jobs, j)
	if o := w.begin("pusher 9", w.computers[0], j, apply, nil); true {
		w.run(func() bool { return false })
		if o.code != 0 {
			w.model.fault("%s ends with exit %d where everything works: %v", o.name, o.code, o.err)
		}
	}
}
