package pushworld

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"time"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/openconfig/gnmi/proto/gnmi_ext"
	"google.golang.org/protobuf/proto"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/gnmi/qos"
	"github.com/cellwarden/cellwarden/backend/gnmi/server"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/nos"
)

// memory is what a switch has for its buffers: the sum of what is reserved fits in it, or the switch refuses.
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

// node is a state of a switch that speaks OpenConfig: its configuration, and the commit that waits. The answer of the
// server to a request depends on the state alone, so each pair of the two is computed once, by package server, and
// kept: most histories meet states that others have met. With few registers there are few states.
type node struct {
	config []byte // /qos, as JSON
	layout buffer.Layout
	holds  Content

	before *node           // what the commit that waits would return to; nil: none waits
	commit *gpb.SetRequest // its Set

	plain bool // its names are those that a server gives which has only the registers
	reads map[string]answer
	edges map[string]*edge
	// what someone at the console types, by the registers that come of it; nil: nothing
	typed map[string]*gpb.SetRequest
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
	l.Server = must(server.New(l.memory, cell, opt))
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

// at returns the node of the state that a server is in. What others have asked in other states is asked at once, while
// there is a server in this one.
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

// foresee computes what becomes of a commit: the second one that proves it is refused, and its confirmation makes it
// permanent.
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
func (g *graph) start(layout buffer.Layout, as *nos.Profile) *node {
	g.Lock()
	defer g.Unlock()
	name := fmt.Sprint(layout)
	if g.starts[name] == nil {
		l := &live{memory: &memory{}, clock: &still{}}
		l.Server = must(server.New(l.memory, cell, g.options))
		req := must(qos.EmptySnapshot(cell, as).SetRequest(layout, &qos.Bindings{}))
		if len(layout) > 0 {
			must(l.Set(context.Background(), req))
		}
		g.starts[name] = g.at(l, nil, nil, 0)
	}
	return g.starts[name]
}
