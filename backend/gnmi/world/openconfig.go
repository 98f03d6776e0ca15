package world

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/openconfig/gnmi/proto/gnmi_ext"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/gnmi/native"
	"github.com/cellwarden/cellwarden/backend/gnmi/profile"
	"github.com/cellwarden/cellwarden/backend/gnmi/qos"
	"github.com/cellwarden/cellwarden/backend/gnmi/server"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
)

// cell is the size of a cell of every switch of the world.
const cell = cells.Size(208)

// memory is what a switch has for its buffers: the sum of what is reserved fits in it, or
// the switch refuses.
type memory struct{ layout buffer.Layout }

const memoryCells = 1000

func (m *memory) Name() string { return "memory" }

func (m *memory) Capabilities(context.Context) (backend.Capabilities, error) {
	return backend.Capabilities{Transactional: true}, nil
}

func (m *memory) Observe(context.Context) (buffer.Layout, error) { return m.layout, nil }

func (m *memory) Apply(_ context.Context, steps []buffer.Step) error {
	next, sum := m.layout.With(steps), int64(0)
	for _, s := range next {
		if s.Kind.Allocates() {
			sum += s.Value
		}
	}
	if sum > memoryCells {
		return fmt.Errorf("%w: %w", backend.ErrRefused, buffer.ErrNoFit)
	}
	m.layout = next
	return nil
}

// node is a state of a switch that speaks OpenConfig: its configuration, and the commit
// that waits. The answer of the server to a request depends on the state alone, so each
// pair of the two is computed once, by package server, and kept: most histories meet
// states that others have met. With few registers there are few states.
type node struct {
	config []byte // /qos, as JSON
	layout buffer.Layout
	holds  Content

	before *node           // what the commit that waits would return to; nil: none waits
	commit *gpb.SetRequest // its Set

	plain bool // its names are those that a server gives which has only the registers
	reads map[string]answer
	edges map[string]*edge
	typed map[string]*gpb.SetRequest // what someone at the console types, by the registers that come of it; nil: nothing
}

// answer is an answer to a request that changes nothing.
type answer struct {
	message proto.Message
	stream  []*gpb.SubscribeResponse
	err     error
}

// edge is what a Set makes of a state.
type edge struct {
	to   *node
	resp *gpb.SetResponse
	wait *time.Duration
	err  error
}

// graph has the states that were met.
type graph struct {
	sync.Mutex
	options server.Options
	nodes   map[string]*node
	starts  map[string]*node         // by layout
	reads   map[string]proto.Message // all that were asked so far
	commits map[string]*gpb.SetRequest
	servers int // that were made
	sets    int // that package server has made
}

var graphs sync.Map // of *graph, by the models that the switch lists

// graphOf returns the states of a kind of switch.
func graphOf(models ...*gpb.ModelData) *graph {
	name := fmt.Sprint(models)
	g, _ := graphs.LoadOrStore(name, &graph{options: server.Options{Models: models}, nodes: map[string]*node{},
		starts: map[string]*node{}, reads: map[string]proto.Message{}, commits: map[string]*gpb.SetRequest{}})
	return g.(*graph)
}

// still is a clock that stands. It remembers the timer of the commit.
type still struct {
	wait time.Duration // 0: no timer was set
	fire func()
}

type stopped struct{}

func (stopped) Stop() bool      { return true }
func (c *still) Now() time.Time { return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC) }

// AfterFunc is called for commits, and for streams, whose patience does not end here.
func (c *still) AfterFunc(d time.Duration, f func()) server.Timer {
	c.wait, c.fire = d, f
	return stopped{}
}

// live is a server in a state.
type live struct {
	*server.Server
	memory *memory
	clock  *still
}

// live makes a server that is in the state of a node.
func (g *graph) live(n *node) *live {
	at := n
	if n.before != nil {
		at = n.before
	}
	l := &live{memory: &memory{layout: at.layout}, clock: &still{}}
	opt := g.options
	opt.Clock = l.clock
	l.Server = must(server.NewWith(l.memory, cell, opt))
	g.servers++
	if !at.plain {
		if at.plain = string(l.config()) == string(at.config); !at.plain {
			must(l.Set(context.Background(), replaceAll(at.config)))
		}
	}
	if n.before != nil {
		must(l.Set(context.Background(), n.commit))
	}
	return l
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// root is /qos.
var root = &gpb.Path{Origin: "openconfig", Elem: []*gpb.PathElem{{Name: "qos"}}}

// config is the configuration as JSON.
func (l *live) config() []byte {
	answer := must(l.Get(context.Background(), &gpb.GetRequest{Path: []*gpb.Path{root}, Type: gpb.GetRequest_CONFIG,
		Encoding: gpb.Encoding_JSON_IETF}))
	return answer.GetNotification()[0].GetUpdate()[0].GetVal().GetJsonIetfVal()
}

// replaceAll is a Set that makes a configuration the only one.
func replaceAll(config []byte) *gpb.SetRequest {
	return &gpb.SetRequest{Replace: []*gpb.Update{{Path: root,
		Val: &gpb.TypedValue{Value: &gpb.TypedValue_JsonIetfVal{JsonIetfVal: config}}}}}
}

// at returns the node of the state that a server is in. What others have asked in other
// states is asked at once, while there is a server in this one.
func (g *graph) at(l *live, before *node, commit *gpb.SetRequest, wait time.Duration) *node {
	config, layout := l.config(), l.memory.layout
	name := string(config)
	if before != nil {
		name += fmt.Sprintf("\nwaits %v\n%s", wait, before.config)
	}
	n := g.nodes[name]
	if n == nil {
		n = &node{config: config, layout: layout, before: before, commit: commit, holds: Content{},
			reads: map[string]answer{}, edges: map[string]*edge{}, typed: map[string]*gpb.SetRequest{}}
		for _, s := range layout {
			n.holds[s.Register.String()] = strconv.FormatInt(s.Value, 10)
		}
		g.nodes[name] = n
		for key, req := range g.reads {
			n.reads[key] = l.answer(req)
		}
		if before != nil {
			g.foresee(n, l)
		}
	}
	return n
}

// foresee computes what becomes of a commit: the second one that proves it is refused, and
// its confirmation makes it permanent.
func (g *graph) foresee(n *node, l *live) {
	var confirm string
	for key, req := range g.commits {
		switch commit := req.Extension[0].GetCommit(); commit.GetAction().(type) {
		case *gnmi_ext.Commit_Commit:
			e := &edge{to: n}
			if e.resp, e.err = l.Set(context.Background(), req); e.err == nil {
				panic("world: two commits wait")
			}
			n.edges[key] = e
		case *gnmi_ext.Commit_Confirm:
			if commit.Id == thisCommit {
				confirm = key
			}
		}
	}
	if confirm != "" {
		e := &edge{wait: new(time.Duration)}
		e.resp, e.err = l.Set(context.Background(), g.commits[confirm])
		e.to = g.at(l, nil, nil, 0)
		n.edges[confirm] = e
	}
}

// start is the state of a switch of a kind that has these registers.
func (g *graph) start(layout buffer.Layout, as *profile.Profile) *node {
	g.Lock()
	defer g.Unlock()
	name := fmt.Sprint(layout)
	if g.starts[name] == nil {
		l := &live{memory: &memory{}, clock: &still{}}
		l.Server = must(server.NewWith(l.memory, cell, g.options))
		req := must(qos.EmptySnapshot(cell, as).SetRequest(layout, &qos.Bindings{}))
		if len(layout) > 0 {
			must(l.Set(context.Background(), req))
		}
		g.starts[name] = g.at(l, nil, nil, 0)
	}
	return g.starts[name]
}

// openConfig is a switch that speaks OpenConfig: package server, and the simulated memory.
type openConfig struct {
	graph   *graph
	node    *node
	pending string // id of the commit that waits; empty: none
	plans   []plan
	as      *profile.Profile

	warm   *live // a server of this history, to go on with; nil: none
	warmAt *node // the state that it is in
}

// live returns a server that is in the state of the switch: most often that of the last change.
func (o *openConfig) live() *live {
	l := o.warm
	if o.warm = nil; l == nil || o.warmAt != o.node {
		l = o.graph.live(o.node)
	}
	return l
}

var _ machine = (*openConfig)(nil)

var deterministic = proto.MarshalOptions{Deterministic: true}

func keyOf(req proto.Message) string { return string(must(deterministic.Marshal(req))) }

// ask returns the answer to a request that changes nothing.
func (o *openConfig) ask(req proto.Message) answer {
	o.graph.Lock()
	defer o.graph.Unlock()
	key := keyOf(req)
	a, known := o.node.reads[key]
	if !known {
		l := o.live()
		a, o.warm, o.warmAt = l.answer(req), l, o.node
		o.node.reads[key] = a
		o.graph.reads[key] = req
	}
	return a
}

// answer answers a request that changes nothing.
func (l *live) answer(req proto.Message) answer {
	switch req := req.(type) {
	case *gpb.CapabilityRequest:
		m, err := l.Capabilities(context.Background(), req)
		return answer{message: m, err: err}
	case *gpb.SubscribeRequest:
		s := &recorded{first: req}
		err := l.Subscribe(s)
		return answer{stream: s.sent, err: err}
	default:
		m, err := l.Get(context.Background(), req.(*gpb.GetRequest))
		return answer{message: m, err: err}
	}
}

func (o *openConfig) read(req proto.Message) (proto.Message, error) {
	a := o.ask(req)
	return a.message, a.err
}

func (o *openConfig) once(req *gpb.SubscribeRequest) ([]*gpb.SubscribeResponse, error) {
	a := o.ask(req)
	return a.stream, a.err
}

// recorded is the server's side of a Subscribe.
type recorded struct {
	grpc.ServerStream
	first *gpb.SubscribeRequest
	sent  []*gpb.SubscribeResponse
}

func (s *recorded) Context() context.Context             { return context.Background() }
func (s *recorded) Recv() (*gpb.SubscribeRequest, error) { return s.first, nil }
func (s *recorded) Send(r *gpb.SubscribeResponse) error  { s.sent = append(s.sent, r); return nil }

// The ids of commits: what matters is only whether it is the one that waits.
const (
	thisCommit  = "this"
	otherCommit = "other"
)

// renamed is a Set whose commit has one of two ids.
func (o *openConfig) renamed(req *gpb.SetRequest) (*gpb.SetRequest, string) {
	if len(req.GetExtension()) == 0 {
		return req, ""
	}
	req = proto.CloneOf(req)
	commit := req.Extension[0].GetCommit()
	id := commit.GetId()
	if commit.Id = otherCommit; o.pending == "" || o.pending == id {
		commit.Id = thisCommit
	}
	return req, id
}

func (o *openConfig) set(req *gpb.SetRequest) (*gpb.SetResponse, *time.Duration, error) {
	req, id := o.renamed(req)
	e := o.change(keyOf(req), req, func(l *live) (*gpb.SetResponse, error) { return l.Set(context.Background(), req) })
	if o.node.before == nil {
		o.pending = ""
	} else if o.pending == "" {
		o.pending = id
	}
	return e.resp, e.wait, e.err
}

// change is the edge of a change, which is computed once.
func (o *openConfig) change(key string, req *gpb.SetRequest, do func(*live) (*gpb.SetResponse, error)) *edge {
	g, n := o.graph, o.node
	g.Lock()
	defer g.Unlock()
	e := n.edges[key]
	if e == nil {
		l := o.live()
		l.clock.wait = 0
		e = &edge{}
		n.edges[key] = e
		if len(req.GetExtension()) > 0 && len(req.GetDelete())+len(req.GetReplace())+len(req.GetUpdate()) == 0 &&
			req.Extension[0].GetCommit() != nil {
			g.commits[key] = req
		}
		e.resp, e.err = do(l)
		g.sets++
		if e.to = g.after(n, l, req, e); e.to.before == nil && n.before == nil {
			o.warm, o.warmAt = l, e.to
		}
	}
	o.node = e.to
	return e
}

// after is the node that a server has come to.
func (g *graph) after(n *node, l *live, req *gpb.SetRequest, e *edge) *node {
	switch waits := n.before != nil; {
	case e.err != nil && l.clock.wait == 0:
		return n
	case l.clock.wait > 0: // a commit begins, or its time is set anew
		e.wait = new(l.clock.wait) // the clock goes on to be used
		if !waits {
			return g.at(l, n, req, *e.wait)
		}
		return n
	case waits && len(req.GetExtension()) > 0: // confirmed, or cancelled, or undone
		e.wait = new(time.Duration)
	}
	return g.at(l, nil, nil, 0)
}

func (o *openConfig) half(*gpb.SetRequest) bool { return false }

func (o *openConfig) waits() bool { return o.node.before != nil }

// expire undoes the commit that waits, as its timer does.
func (o *openConfig) expire() {
	undone := &gpb.SetRequest{Extension: []*gnmi_ext.Extension{{}}} // of which no server hears
	o.change("its time is up", undone, func(l *live) (*gpb.SetResponse, error) { l.clock.fire(); return nil, nil })
	o.pending = ""
}

func (o *openConfig) content() Content { return o.node.holds }

// console gives a port, or one register of it, what a plan has, as someone at the console
// does who writes as the switch does; or it gives profiles other names.
func (o *openConfig) console(s *scheduler) bool {
	if s.oneIn(4) {
		return o.rename()
	}
	from := o.plans[s.IntN(len(o.plans))].layout
	one := from[s.IntN(len(from))]
	whole := one.Kind != buffer.GroupReserved || s.oneIn(2)
	ours := func(r buffer.Register) bool { return r.Port == one.Port && (whole || r == one.Register) }
	layout := o.node.layout.Only(func(r buffer.Register) bool { return !ours(r) })
	req := o.writing(buffer.NewLayout(slices.Concat(layout, from.Only(ours))))
	return req != nil && o.typed(req)
}

// writing is the Set that makes the switch hold a layout; nil: there is none.
func (o *openConfig) writing(layout buffer.Layout) *gpb.SetRequest {
	o.graph.Lock()
	defer o.graph.Unlock()
	name := fmt.Sprint(layout)
	req, known := o.node.typed[name]
	if !known {
		tree := must(qos.ParseNotifications([]*gpb.Notification{{Update: replaceAll(o.node.config).GetReplace()}}))
		now, err := qos.ReadSnapshot(tree, cell, o.as)
		if err == nil {
			req, err = now.SetRequest(layout, &qos.Bindings{})
		}
		if err != nil {
			req = nil
		}
		o.node.typed[name] = req
	}
	return req
}

// rename gives the profiles of cellwarden names of the operator's.
func (o *openConfig) rename() bool {
	return o.typed(replaceAll([]byte(strings.ReplaceAll(string(o.node.config), `"cellwarden-pg-`, `"operators-`))))
}

// typed makes a Set of the console's.
func (o *openConfig) typed(req *gpb.SetRequest) bool {
	was := o.node
	e := o.change(keyOf(req), req, func(l *live) (*gpb.SetResponse, error) { return l.Set(context.Background(), req) })
	return e.err == nil && o.node != was
}

// plan is a plan of the world.
type plan struct {
	name     string
	layout   buffer.Layout   // of registers
	language native.Language // of native values; nil: of registers
}
