package pushworld

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"time"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/openconfig/gnmi/proto/gnmi_ext"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"
)

// extras are what happens in one of two histories beside its faults. They have random numbers of their own, so that the
// other histories are as they were before there were extras.
type extras struct {
	*rand.Rand
	retries int  // Sets that a proxy sends again, because it did not get the answer: the client has that to the second
	kills   int  // how many pushers may be killed at a message
	again   bool // pushers apply a plan again after a push of it has ended, however it did
	commits int  // of another client, which confirms or cancels them, or lets them run out
	bus     int  // Sets of SONiC that its gNMI server gives up, while the host service goes on with them
	clocks  int  // of computers that are set back or forward
	beside  bool // pushers push to another switch too, with journals in the same folders
	holds   bool // what is under way of a killed pusher arrives when a later one is at work: see holds of the network
	looks   bool // an apply that has nothing to send reads the journals of earlier pushes
}

// newExtras draws the extras of a history.
func newExtras(seed uint64) *extras {
	const stream = 0x6d6f7265
	x := &extras{Rand: rand.New(rand.NewPCG(seed, stream))}
	if x.IntN(2) == 0 {
		return x
	}
	if x.IntN(3) == 0 {
		x.retries = 1 + x.IntN(2)
	}
	if x.IntN(3) == 0 {
		x.commits = 1 + x.IntN(2)
	}
	if x.IntN(3) == 0 {
		x.kills = 1 + x.IntN(2)
	}
	x.again = x.IntN(2) == 0
	if x.IntN(2) == 0 {
		x.bus = 1 + x.IntN(2)
	}
	if x.IntN(2) == 0 {
		x.clocks = 1 + x.IntN(2)
	}
	x.beside, x.looks = x.IntN(3) == 0, true
	if x.IntN(4) == 0 {
		x.again, x.holds, x.kills = true, true, max(x.kills, 1)
	}
	return x
}

// mostMessages is more than a push sends and receives where nothing fails.
const mostMessages = 40

// mostOfSets is how many messages of Sets a push has until its first commit is confirmed: the Set, two that prove
// Commit-confirmed, the confirmation, and their answers.
const mostOfSets = 8

// killsAt has an operation killed at a message of it, in one of two: at its first Set, at one of its Sets, or at any.
func (x *extras) killsAt(o *operation) {
	switch {
	case x.kills == 0 || x.IntN(2) > 0:
	case x.holds || x.IntN(4) > 1:
		o.killAtSet = 1 // it has sent its first Set
	case x.IntN(2) > 0:
		o.killAtSet = 1 + x.IntN(mostOfSets)
	default:
		o.killAt = 1 + x.IntN(mostMessages)
	}
}

// message counts a message of an operation, and tells whether the operation is killed at it.
func (o *operation) message(r *rpc) bool {
	o.messages++
	if _, set := r.req.(*gpb.SetRequest); set {
		o.ofSets++
	} else if o.messages != o.killAt {
		return false
	}
	if o.messages != o.killAt && o.ofSets != o.killAtSet || o.process.dead || o.extras.kills == 0 {
		return false
	}
	o.extras.kills--
	o.kill()
	if o.extras.clocks > 0 {
		o.computer.setClock(-time.Duration(o.extras.Int64N(int64(time.Hour)))) // a time server sets it back
	}
	return true
}

// withoutClient is how much longer the switch takes for a Set whose client was killed, or the network for bringing it
// there, in one of two: up to a time.
func (x *extras) withoutClient(r *rpc, most time.Duration) time.Duration {
	if _, set := r.req.(*gpb.SetRequest); !set || r.op.killAt+r.op.killAtSet == 0 || !r.op.process.dead || x.IntN(2) > 0 {
		return 0
	}
	return time.Duration(x.Int64N(int64(most)))
}

// mostHeld is how many messages an apply sends at most that has nothing to change, and reads the switch for three
// earlier pushes.
const mostHeld = 12

// heldSet is a Set of a killed pusher that the network holds back.
type heldSet struct {
	*rpc
	left int // messages of later pushers of its computer until it goes on
}

// holds has the network hold back a Set of a pusher that was killed, in one of two, until a later pusher of its computer
// has sent some messages: so it arrives between any two of these. Without such messages it arrives at last.
func (n *network) holds(r *rpc) bool {
	if _, set := r.req.(*gpb.SetRequest); !set || !n.extras.holds || !r.op.process.dead || n.extras.IntN(2) > 0 {
		return false
	}
	h := &heldSet{r, 1 + n.extras.IntN(mostHeld)}
	if n.extras.IntN(4) == 0 {
		h.left = mostMessages
	}
	n.note(netName, "holds %v until %d messages of later pushers are sent", r, h.left)
	n.held = append(n.held, h)
	n.after(mostDelay, func() { n.release(h) })
	return true
}

// releases counts a message of an operation, and brings what is held back until then on its way.
func (n *network) releases(r *rpc) {
	for _, h := range n.held {
		if h.op.computer == r.op.computer && h.op != r.op && r.op.began >= h.sent {
			if h.left--; h.left == 0 {
				n.release(h)
			}
		}
	}
}

// release brings a Set on its way, once.
func (n *network) release(h *heldSet) {
	if i := slices.Index(n.held, h); i >= 0 {
		n.held = slices.Delete(slices.Clone(n.held), i, i+1)
		n.after(n.latency(), func() { n.target.arrive(h.rpc, false) })
	}
}

// resends has a proxy send a Set again, whose answer it did not get.
func (n *network) resends(r *rpc) bool {
	if _, set := r.req.(*gpb.SetRequest); !set || r.resent || n.extras.retries == 0 || n.extras.IntN(2) > 0 {
		return false
	}
	n.extras.retries--
	r.resent, r.op.resent = true, true
	n.note(netName, "a proxy loses the answer to %v, and sends it again", r)
	n.after(n.latency(), func() { n.target.arrive(r, true) })
	return true
}

// busGivesUp has the gNMI server of SONiC give a Set up, at which the host service goes on: the answer is that of its
// timer, the checkpoint of the Set stays, and the Set is made later (sonicfake, bus.go). It returns how much later.
func (t *target) busGivesUp(l *landing) time.Duration {
	s, ok := t.machine.(*updater)
	if !ok || t.extras.bus == 0 || t.extras.IntN(2) > 0 {
		return 0
	}
	t.extras.bus--
	later := time.Duration(t.extras.Int64N(int64(longestSet)))
	t.note(targetName, "gives %v up, and is at work on it for %v", l, later.Round(time.Millisecond))
	s.Checkpoint()
	t.network.answer(l.rpc, nil, nil, status.Error(codes.Unknown, busText))
	l.answered = true
	return later
}

// busText is the text of SONiC's server for a patch that took longer than its timer.
const busText = "Timeout 600"

// clocksOf has the clocks of computers set back or forward. A push that is under way keeps its own time.
func (w *World) clocksOf(span time.Duration) {
	for range w.extras.clocks {
		c := w.computers[w.extras.IntN(len(w.computers))]
		by := time.Duration(w.extras.Int64N(int64(2*time.Hour))) - time.Hour
		w.after(time.Duration(w.extras.Int64N(int64(span))), func() { c.setClock(by) })
	}
}

// setClock sets a clock forward, or back if by is less than 0: what journals say is longer ago then, or in the future.
func (c *computer) setClock(by time.Duration) {
	c.note(c.name, "has its clock set by %v", by)
	seen := by
	if by < 0 && c.broken == ClocksGoBack {
		seen = -by // what is in the future is taken for as long ago
	}
	for _, n := range c.files {
		if n.idle() && !n.rotten && n.synced == len(n.data) {
			n.data = shifted(n.data, -seen)
			n.synced = len(n.data)
			n.clock += by
			n.ahead = max(n.ahead, n.clock-n.low)
		}
	}
}

var times = regexp.MustCompile(`"time":"([^"]*)"`)

// shifted is a journal whose times are others. Its checksums are made as package journal makes them: each is of the one
// before it and of its line without it.
func shifted(data []byte, by time.Duration) []byte {
	return resealed(data, func(line []byte) []byte {
		return times.ReplaceAllFunc(line, func(field []byte) []byte {
			at := must(time.Parse(time.RFC3339Nano, string(times.FindSubmatch(field)[1])))
			return fmt.Appendf(nil, `"time":%q`, at.Add(by).Format(time.RFC3339Nano))
		})
	})
}

// resealed changes the lines of a journal. A line that was not written as a whole stays as it is.
func resealed(data []byte, change func([]byte) []byte) (out []byte) {
	sum := ""
	for line := range bytes.Lines(data) {
		at := sums.FindIndex(line)
		if at == nil {
			return append(out, line...)
		}
		line = append(change(line[:at[0]]), '}')
		sum = fmt.Sprintf("%x", sha256.Sum256(append([]byte(sum), line...)))[:32]
		out = fmt.Appendf(append(out, line[:len(line)-1]...), `,"sum":"%s"}`+"\n", sum)
	}
	return out
}

// idle tells whether no process is at work on a file.
func (n *inode) idle() bool {
	over := func(p *process) bool { return p == nil || p.ended || p.dead }
	return over(n.locked) && over(n.reader)
}

// besides ends the names of the journals of another switch.
const besides = ".beside"

// otherAddress is the address of another switch that the computers push to.
const otherAddress = "leaf2:9339"

// pushesBeside adds a journal of a push to another switch to the folder, which has ended like this one and a moment
// later. Nothing of it concerns this switch.
func (o *operation) pushesBeside() {
	n := o.computer.files[o.job.file]
	if !o.extras.beside || n == nil || n.rotten || o.extras.IntN(2) > 0 {
		return
	}
	data := shifted(n.data, time.Second)
	if o.broken != TargetsApart {
		data = resealed(data, func(line []byte) []byte {
			return bytes.ReplaceAll(line, []byte(address), []byte(otherAddress))
		})
	}
	name := o.job.file + besides
	o.computer.files[name] = &inode{name: name, data: data, synced: len(data), named: true}
	o.note(o.computer.name, "has a journal of another switch: %s", name)
}

// applyAgain applies the plan of an operation once more, in one of two, and always after a kill: then it may also be
// the plan that the switch had before. It tells whether it does.
func (w *World) applyAgain(o *operation, then func(*operation)) bool {
	if !w.extras.again || !o.process.dead && w.extras.IntN(2) > 0 {
		return false
	}
	j := &job{number: len(w.jobs) + 1, plan: o.job.plan, how: o.job.how}
	if s := w.model.success; s != nil && o.process.dead && w.extras.IntN(2) > 0 {
		j.plan = s.job.plan
	}
	w.jobs = append(w.jobs, j)
	w.begin(o.name, o.computer, j, apply, then)
	return true
}

// foreignID is the id of the commits of another client.
const foreignID = "another-client"

// commitsOfOthers has another client begin its commits.
func (w *World) commitsOfOthers(span time.Duration) {
	for range w.extras.commits {
		w.after(time.Duration(w.extras.Int64N(int64(span))), w.foreignCommit)
	}
}

// foreignCommit begins a commit of another client, which gives the switch the values of a plan.
func (w *World) foreignCommit() {
	m, ok := w.target.machine.(*openConfig)
	if !ok || w.target.down || m.waits() || w.target.quirks.commits != commitsWork {
		return
	}
	req := m.writing(w.plans[w.extras.IntN(len(w.plans)-1)].layout) // the last does not fit
	if req == nil {
		return
	}
	const longest = time.Minute
	w.foreignSet(&gpb.SetRequest{Prefix: req.Prefix, Delete: req.Delete, Replace: req.Replace, Update: req.Update,
		Extension: foreign(&gnmi_ext.Commit{Action: &gnmi_ext.Commit_Commit{Commit: &gnmi_ext.CommitRequest{
			RollbackDuration: durationpb.New(longest)}}})}, "begins a commit")
	if !m.waits() {
		return
	}
	w.model.others = true
	end := &gnmi_ext.Commit{Action: &gnmi_ext.Commit_Confirm{Confirm: &gnmi_ext.CommitConfirm{}}}
	what := "confirms its commit"
	switch w.extras.IntN(3) {
	case 0:
		return // its time runs out
	case 1:
		end, what = &gnmi_ext.Commit{Action: &gnmi_ext.Commit_Cancel{Cancel: &gnmi_ext.CommitCancel{}}}, "cancels its commit"
	}
	w.after(time.Duration(w.extras.Int64N(int64(longest))), func() {
		if !w.target.down && m.pending == foreignID {
			w.foreignSet(&gpb.SetRequest{Extension: foreign(end)}, what)
		}
	})
}

func foreign(c *gnmi_ext.Commit) []*gnmi_ext.Extension {
	c.Id = foreignID
	return []*gnmi_ext.Extension{{Ext: &gnmi_ext.Extension_Commit{Commit: c}}}
}

// foreignSet makes a Set of another client.
func (w *World) foreignSet(req *gpb.SetRequest, what string) {
	before := w.target.content()
	w.note("another", "%s", what)
	var wait *time.Duration
	for _, c := range w.model.observe(func() { _, wait, _ = w.target.machine.set(req) }) {
		w.note("another", "%v", c)
		w.model.write(c, writer{by: "another client", at: w.now()})
		delete(w.model.claims, c.register) // what was said of the value before is over
	}
	w.model.beforeCommit(before)
	if wait != nil {
		w.target.await(*wait, nil)
	}
}
