package pushworld

import (
	"time"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
)

// address is the name of the switch.
const address = "leaf1:9339"

// Content is what a switch holds: values by the name of a register or of a native value.
type Content map[string]string

// machine is the software of a switch: it answers one request after the other, and keeps no time of its own.
type machine interface {
	// read answers a Capabilities or a Get.
	read(req proto.Message) (proto.Message, error)
	// once answers a Subscribe ONCE.
	once(req *gpb.SubscribeRequest) ([]*gpb.SubscribeResponse, error)
	// set makes a Set. wait is how long a commit waits to be confirmed from now on, if that has changed: 0: none waits.
	set(req *gpb.SetRequest) (resp *gpb.SetResponse, wait *time.Duration, err error)
	// half makes the first half of a Set, as a switch without transactions does on its way, and tells whether it did.
	half(req *gpb.SetRequest) bool
	// expire undoes the commit that waits.
	expire()
	// waits tells whether a commit waits to be confirmed.
	waits() bool
	// console changes a value by chance, as someone at the console does, and tells whether it did.
	console(*scheduler) bool
	// content is what the switch holds.
	content() Content
}

// target is the switch: a machine in time, which takes its time for a Set, restarts, and
// undoes a commit when its time is up.
type target struct {
	*World
	machine
	quirks quirks

	down    bool
	quiet   time.Duration // until then a Get is answered with nothing after a restart
	boots   int
	sets    []*landing    // that wait or are being made: one at a time
	commit  int           // counts the timers of commits: an older one does nothing
	lockEnd time.Duration // until then someone has the configuration locked
}

// quirks are what kinds of switches do differently.
type quirks struct {
	commits    commitQuirk
	abandons   bool // a Set that waits is dropped when its client has gone
	forgets    bool // a commit that waits is undone when the switch restarts; else it goes on to wait
	noOnce     bool // Subscribe ONCE is not implemented
	noGet      bool // Get is not implemented
	concurrent bool // Sets are not made one after the other
}

// commitQuirk is what a switch does with the commit extension.
type commitQuirk int

const (
	commitsWork commitQuirk = iota
	commitsIgnored
	commitsUnimplemented
)

// landing is a Set at the switch.
type landing struct {
	*rpc
	double bool
	boot   int
	begun  bool // half of it is made

	answered bool // before it was made
}

// arrive takes a request from the network.
func (t *target) arrive(r *rpc, double bool) {
	if t.down {
		t.note(targetName, "is down: %v is lost", r)
		t.after(t.latency(), func() { t.network.fail(r, codes.Unavailable, refusedText) })
		return
	}
	if _, set := r.req.(*gpb.SetRequest); set {
		t.sets = append(t.sets, &landing{rpc: r, double: double, boot: t.boots})
		if len(t.sets) == 1 || t.quirks.concurrent {
			t.begin(t.sets[len(t.sets)-1])
		}
		return
	}
	t.model.served(r)
	switch req := r.req.(type) {
	case *gpb.SubscribeRequest:
		t.answerOnce(r, req)
	default:
		_, get := req.(*gpb.GetRequest)
		if get && t.quirks.noGet {
			t.network.answer(r, nil, nil, status.Error(codes.Unimplemented, "Get"))
			return
		}
		if get && (t.now() < t.quiet || t.faults.happens(emptyRead)) {
			t.note(targetName, "answers %v with nothing", r)
			r.shows = nil
			t.network.answer(r, &gpb.GetResponse{}, nil, nil)
			return
		}
		reply, err := t.read(req)
		t.network.answer(r, reply, nil, err)
	}
}

// read answers a Capabilities or a Get. A client that reads the checkpoint is answered so.
func (t *target) read(req proto.Message) (proto.Message, error) {
	if s, ok := t.machine.(*updater); ok && t.broken == CheckpointIsRead {
		return s.readCheckpoint(req)
	}
	return t.machine.read(req)
}

func (t *target) latency() time.Duration { return t.network.latency() }

// answerOnce answers a Subscribe ONCE.
func (t *target) answerOnce(r *rpc, req *gpb.SubscribeRequest) {
	if t.quirks.noOnce {
		t.network.answer(r, nil, nil, status.Error(codes.Unimplemented, "ONCE"))
		return
	}
	out, err := t.machine.once(req)
	if len(out) > 1 && (t.now() < t.quiet || t.faults.happens(cutStream)) {
		t.note(targetName, "ends %v before all is said", r)
		r.shows = nil
		out = out[:t.IntN(len(out)-1)]
	}
	t.network.answer(r, nil, out, err)
}

// begin begins to make a Set.
func (t *target) begin(l *landing) {
	if l.closed && t.quirks.abandons {
		t.note(targetName, "drops %v: its client has gone", l)
		t.end(l)
		return
	}
	takes := t.between(time.Millisecond, 10*time.Millisecond)
	takes += t.busGivesUp(l) + t.extras.withoutClient(l.rpc, longestSet)
	if t.faults.happens(slowSet) {
		takes = t.between(time.Second, longestSet)
		t.note(targetName, "takes %v for %v", takes.Round(time.Millisecond), l)
	}
	if t.faults.happens(halfMade) {
		t.after(takes/2, func() { t.halfway(l, takes/2) })
		return
	}
	t.after(takes, func() { t.land(l) })
}

// halfway is half of a Set: the rest follows, or the switch fails.
func (t *target) halfway(l *landing, rest time.Duration) {
	if l.boot != t.boots {
		return
	}
	made := false
	t.model.changes(l, func() { made = t.machine.half(l.req.(*gpb.SetRequest)) })
	if made && t.oneIn(2) {
		t.note(targetName, "fails within %v", l)
		if !l.answered {
			t.network.answer(l.rpc, nil, nil, status.Error(codes.Unknown, "the updater failed"))
		}
		t.end(l)
		return
	}
	l.begun = made
	t.after(rest, func() { t.land(l) })
}

// land makes a Set.
func (t *target) land(l *landing) {
	if l.boot != t.boots {
		return
	}
	req := l.req.(*gpb.SetRequest)
	var resp *gpb.SetResponse
	var wait *time.Duration
	var err error
	if !l.begun {
		err = t.refuses(req)
	}
	if err == nil {
		if t.quirks.commits == commitsIgnored && len(req.GetExtension()) > 0 {
			req = &gpb.SetRequest{Prefix: req.Prefix, Delete: req.Delete, Replace: req.Replace, Update: req.Update}
		}
		t.model.changes(l, func() { resp, wait, err = t.machine.set(req) })
	}
	t.note(targetName, "has made %v: %v", l, outcome(err))
	if wait != nil {
		if *wait == 0 && confirms(req) {
			t.model.confirmed(l)
		}
		by := l.op
		if l.double || l.doubled {
			by = nil // a commit that a doubled message has begun, of which no client knows
		}
		t.await(*wait, by)
	}
	switch {
	case l.answered:
	case resp == nil:
		t.network.answer(l.rpc, nil, nil, err)
	default:
		t.network.answer(l.rpc, resp, nil, err)
	}
	t.end(l)
}

// refuses is why a switch does not even look at a Set.
func (t *target) refuses(req *gpb.SetRequest) error {
	if t.quirks.commits == commitsUnimplemented && len(req.GetExtension()) > 0 {
		return status.Error(codes.Unimplemented, "unsupported extension")
	}
	if t.now() < t.lockEnd || t.faults.happens(locked) {
		if t.now() >= t.lockEnd {
			t.lockEnd = t.now() + t.between(time.Second, time.Minute)
		}
		return status.Error(codes.FailedPrecondition, "the configuration database is locked by user admin")
	}
	return nil
}

// await sets the timer of the commit that waits.
func (t *target) await(d time.Duration, by *operation) {
	t.commit++
	number := t.commit
	t.model.committed(by, d > 0)
	if d <= 0 {
		return
	}
	t.after(d, func() { t.commitEnds(number) })
}

// commitEnds undoes a commit that was not confirmed in time.
func (t *target) commitEnds(number int) {
	switch {
	case number != t.commit || !t.machine.waits():
	case t.down:
		t.after(time.Second, func() { t.commitEnds(number) })
	default:
		t.model.expires(t.machine.expire)
		t.note(targetName, "undoes the commit that was not confirmed")
		t.commit++
	}
}

// end takes a Set off the list, and begins the next.
func (t *target) end(l *landing) {
	for i, other := range t.sets {
		if other == l {
			t.sets = append(t.sets[:i:i], t.sets[i+1:]...)
			break
		}
	}
	if len(t.sets) > 0 && !t.quirks.concurrent {
		t.begin(t.sets[0])
	}
}

// restart ends all that is under way. What was made stays.
func (t *target) restart() {
	if t.down {
		return
	}
	t.note(targetName, "restarts")
	t.down = true
	t.boots++
	for _, l := range t.sets {
		t.network.fail(l.rpc, codes.Unavailable, resetText)
	}
	t.sets = nil
	t.after(t.between(time.Second, time.Minute), func() {
		t.down = false
		t.note(targetName, "is back")
		if t.faults.on[emptyRead] {
			t.quiet = t.now() + t.between(0, 10*time.Second)
		}
		if t.quirks.forgets && t.machine.waits() {
			t.model.expires(t.machine.expire)
			t.note(targetName, "has undone the commit that waited when it stopped")
			t.commit++
		}
	})
}

// atConsole changes a value, unless the switch is down or a commit waits.
func (t *target) atConsole() {
	if t.down || t.machine.waits() {
		return
	}
	t.model.byConsole(func() bool { return t.machine.console(t.scheduler) })
}
