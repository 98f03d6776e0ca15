package pushworld

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/openconfig/gnmi/proto/gnmi_ext"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	"github.com/cellwarden/cellwarden/backend/gnmi/native"
	"github.com/cellwarden/cellwarden/backend/gnmi/qos"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/nos"
)

// cell is the size of a cell of every switch of the world.
const cell = cells.Size(208)

// openConfig is a switch that speaks OpenConfig: package server, and the simulated memory.
type openConfig struct {
	graph   *graph
	node    *node
	pending string // id of the commit that waits; empty: none
	plans   []plan
	as      *nos.Profile

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

// writing is the Set that makes the switch hold a layout, or nil.
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
