package pushworld

import (
	"context"
	"fmt"
	"io"
	"maps"
	"strings"
	"time"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// rpc is one request of a client and its answer.
type rpc struct {
	number int
	op     *operation
	method string // Capabilities, Get, Set, Subscribe
	req    proto.Message
	ctx    context.Context
	sent   time.Duration
	readAt time.Duration            // when its operation was last served a read
	tables map[string]time.Duration // of SONiC, whose tables are read one after the other: when each was

	before  Content       // of a Set: what its operation has read last; nil: nothing
	shows   Content       // what the switch held when it answered; nil: it is not about that
	showsAt time.Duration // when that was
	doubled bool          // it arrives twice: its answer may be that to the other
	resent  bool          // a proxy has sent it again
	closed  bool          // the client has an answer, or is gone
	reply   proto.Message
	stream  []*gpb.SubscribeResponse
	err     error
}

// connection is what a generated client sends its RPCs on: no socket, the world.
type connection struct{ op *operation }

var _ grpc.ClientConnInterface = connection{}

// Target is the address of the switch.
func (c connection) Target() string { return address }

// Invoke sends a request and waits for its answer.
func (c connection) Invoke(ctx context.Context, method string, args, reply any, _ ...grpc.CallOption) error {
	r := c.send(ctx, method, args.(proto.Message))
	if r.err == nil {
		fill(reply.(proto.Message), r.reply)
	}
	return r.err
}

// fill gives a message the fields of another. What is in the fields is shared: answers are kept, and
// no client changes what it has received.
func fill(to, from proto.Message) {
	out := to.ProtoReflect()
	from.ProtoReflect().Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		out.Set(f, v)
		return true
	})
}

func (c connection) send(ctx context.Context, method string, request proto.Message) *rpc {
	if err := ctx.Err(); err != nil {
		return &rpc{err: status.FromContextError(err).Err()}
	}
	if err := c.op.unasked(request); err != nil {
		return &rpc{err: err}
	}
	method = method[strings.LastIndexByte(method, '/')+1:]
	r := &rpc{op: c.op, method: method, req: request, ctx: ctx}
	c.op.process.wait(func() { c.op.network.send(r) })
	return r
}

// NewStream opens a Subscribe, which has one request here: ONCE.
func (c connection) NewStream(ctx context.Context, _ *grpc.StreamDesc, method string,
	_ ...grpc.CallOption) (grpc.ClientStream, error) {
	return &stream{connection: c, ctx: ctx, method: method}, nil
}

// stream is the client's side of a Subscribe ONCE.
type stream struct {
	connection
	ctx    context.Context
	method string
	first  proto.Message
	rpc    *rpc // nil: not sent yet
}

func (s *stream) Header() (metadata.MD, error) { return nil, nil }
func (s *stream) Trailer() metadata.MD         { return nil }
func (s *stream) CloseSend() error             { return nil }
func (s *stream) Context() context.Context     { return s.ctx }
func (s *stream) SendMsg(m any) error          { s.first = m.(proto.Message); return nil }

// RecvMsg receives the next message, the end of the stream, or its error.
func (s *stream) RecvMsg(m any) error {
	if s.rpc == nil {
		s.rpc = s.send(s.ctx, s.method, s.first)
	}
	if len(s.rpc.stream) == 0 {
		if s.rpc.err != nil {
			return s.rpc.err
		}
		return io.EOF
	}
	fill(m.(proto.Message), s.rpc.stream[0])
	s.rpc.stream = s.rpc.stream[1:]
	return nil
}

// network carries messages between clients and the switch. What may happen to a message
// is up to the faults of the history.
type network struct {
	*World
	rpcs int
	held []*heldSet // what it holds back
}

// The times of a network that works, and of a message that is delayed.
const (
	leastLatency = time.Millisecond
	mostLatency  = 20 * time.Millisecond
	mostDelay    = 40 * time.Second
)

// The texts of gRPC for a connection that breaks, and for one that cannot be made
// (grpc-go, internal/transport/http2_client.go).
const (
	resetText   = "error reading from server: read tcp 192.0.2.7:41234->192.0.2.1:9339: read: connection reset by peer"
	refusedText = `connection error: desc = "transport: Error while dialing: dial tcp 192.0.2.1:9339: connect: ` +
		`connection refused"`
)

func (n *network) latency() time.Duration { return n.between(leastLatency, mostLatency) }

// send sends a request on its way.
func (n *network) send(r *rpc) {
	n.rpcs++
	r.number, r.sent, r.readAt = n.rpcs, n.now(), r.op.served
	r.op.rpc = r
	if _, set := r.req.(*gpb.SetRequest); set {
		r.op.requests++
		r.tables, r.before = maps.Clone(r.op.tables), r.op.shown
	}
	n.note(r.op.name, "sends %v", r)
	n.releases(r)
	r.op.message(r)
	if deadline, ok := r.ctx.Deadline(); ok {
		n.after(time.Until(deadline), func() { n.fail(r, codes.DeadlineExceeded, "context deadline exceeded") })
	}
	latency := n.latency()
	switch fault := n.faults.of(messageLost, messageDelayed, messageDoubled, connectionBroken); fault {
	case messageLost:
		n.note(netName, "loses %v", r)
		n.silent(r)
		return
	case connectionBroken: // before it arrives, or while it is under way
		n.note(netName, "breaks the connection of %v", r)
		n.after(n.between(0, 2*latency), func() { n.fail(r, codes.Unavailable, resetText) })
		if n.oneIn(2) {
			return
		}
	case messageDelayed:
		latency = n.between(latency, mostDelay)
		n.note(netName, "delays %v by %v", r, latency.Round(time.Millisecond))
	case messageDoubled:
		again := latency + n.between(0, mostDelay)
		r.doubled = true
		n.note(netName, "doubles %v, the second after %v", r, again.Round(time.Millisecond))
		n.after(again, func() { n.target.arrive(r, true) })
	}
	if n.holds(r) {
		return
	}
	latency += n.extras.withoutClient(r, mostDelay)
	n.after(latency, func() { n.target.arrive(r, false) })
}

// silent is a request of which the client hears nothing any more: if it has no deadline,
// the keepalive of its connection ends it.
func (n *network) silent(r *rpc) {
	if _, ok := r.ctx.Deadline(); !ok {
		n.after(time.Minute, func() { n.fail(r, codes.Unavailable, "keepalive ping failed to receive ACK") })
	}
}

// answer sends an answer on its way back.
func (n *network) answer(r *rpc, reply proto.Message, stream []*gpb.SubscribeResponse, err error) {
	if n.resends(r) {
		return
	}
	latency := n.latency()
	switch n.faults.of(answerLost, answerDelayed, answerWrong, connectionBroken) {
	case answerLost:
		n.note(netName, "loses the answer to %v", r)
		n.silent(r)
		return
	case connectionBroken:
		n.note(netName, "breaks the connection of %v", r)
		reply, stream, err = nil, nil, status.Error(codes.Unavailable, resetText)
	case answerDelayed:
		latency = n.between(latency, mostDelay)
		n.note(netName, "delays the answer to %v by %v", r, latency.Round(time.Millisecond))
	case answerWrong:
		code := []codes.Code{codes.Unknown, codes.Internal, codes.Aborted, codes.Canceled}[n.IntN(4)]
		n.note(netName, "answers %v with %v", r, code)
		reply, stream, err = nil, nil, status.Error(code, "words of a proxy")
	}
	n.after(latency, func() { n.close(r, reply, stream, err) })
}

// fail ends an RPC with an error of the network or of the client.
func (n *network) fail(r *rpc, code codes.Code, text string) {
	n.close(r, nil, nil, status.Error(code, text))
}

// close gives a client its answer, if it still waits for one.
func (n *network) close(r *rpc, reply proto.Message, stream []*gpb.SubscribeResponse, err error) {
	if r.closed || r.op.process.dead {
		r.closed = true
		return
	}
	if r.op.message(r) {
		r.closed = true
		return
	}
	r.closed, r.reply, r.stream, r.err = true, reply, stream, err
	r.misled(n.broken)
	n.model.received(r)
	n.note(r.op.name, "has the answer to %v: %v", r, outcome(err))
	r.op.process.proceed()
}

// interrupted gives a client whose context has ended what gRPC gives it.
func (n *network) interrupted(o *operation) {
	if r := o.rpc; r != nil && !r.closed && r.ctx.Err() != nil {
		n.fail(r, codes.Canceled, "context canceled")
	}
}

func outcome(err error) string {
	if err == nil {
		return "OK"
	}
	return fmt.Sprintf("%v: %s", status.Code(err), status.Convert(err).Message())
}

// String names a request: "Set 12 of two registers".
func (r *rpc) String() string {
	switch req := r.req.(type) {
	case *gpb.SetRequest:
		return fmt.Sprintf("Set %d (%s)", r.number, setText(req))
	default:
		return fmt.Sprintf("%s %d", r.method, r.number)
	}
}

// setText is what a Set is about, in a few words.
func setText(req *gpb.SetRequest) string {
	var parts []string
	for _, c := range []struct {
		what string
		n    int
	}{{"delete", len(req.GetDelete())}, {"replace", len(req.GetReplace())}, {"update", len(req.GetUpdate())}} {
		if c.n > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", c.what, c.n))
		}
	}
	for _, e := range req.GetExtension() {
		if c := e.GetCommit(); c != nil {
			parts = append(parts, fmt.Sprintf("%T", c.GetAction())[len("*gnmi_ext.Commit_"):])
		}
	}
	return strings.Join(parts, ", ")
}
