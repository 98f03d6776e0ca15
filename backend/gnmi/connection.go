package gnmi

import (
	"cmp"
	"context"
	"log/slog"
	"path"
	"slices"
	"sync/atomic"
	"time"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/openconfig/gnmi/proto/gnmi_ext"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/cellwarden/cellwarden/backend/gnmi/internal/asked"
)

// Election is the election id of a client, with the role for which it is one (gnmi-master-arbitration.md). A
// switch accepts the Sets of the client with the highest id of each role.
type Election struct {
	Role      string // empty: the default role
	High, Low uint64 // the id has 128 bits
}

// extension is the extension of a Set.
func (e Election) extension() *gnmi_ext.Extension {
	a := &gnmi_ext.MasterArbitration{ElectionId: &gnmi_ext.Uint128{High: e.High, Low: e.Low}}
	if e.Role != "" {
		a.Role = &gnmi_ext.Role{Id: e.Role}
	}
	return &gnmi_ext.Extension{Ext: &gnmi_ext.Extension_MasterArbitration{MasterArbitration: a}}
}

// connection adds what all requests of a client need, below those who make the requests: the credentials, the bounds of
// messages, the name of the switch for a gateway, the election id, and plain JSON for a switch that has no JSON_IETF.
// The requests of callers stay as they are. It removes the password from errors, and logs how long every RPC took and
// its result: failures as warnings, the others for debugging. It logs neither the content of requests nor the
// credentials.
type connection struct {
	grpc.ClientConnInterface
	opt   Options
	log   *slog.Logger
	plain atomic.Bool // the switch has JSON, and no JSON_IETF
}

// Invoke sends a request and waits for its answer.
func (c *connection) Invoke(ctx context.Context, method string, request, answer any, opts ...grpc.CallOption) error {
	request, start := c.adapted(request), time.Now()
	err := c.ClientConnInterface.Invoke(c.identified(ctx), method, request, answer, slices.Concat(opts, c.limits())...)
	err = c.opt.Password.hideError(err)
	var more []any
	if set, is := request.(*gpb.SetRequest); is {
		more = []any{"deletes", len(set.GetDelete()), "replaces", len(set.GetReplace()), "updates", len(set.GetUpdate()),
			"extended", len(set.GetExtension()) > 0}
	}
	c.record(ctx, method, start, err, more...)
	return err
}

// NewStream opens a stream.
func (c *connection) NewStream(ctx context.Context, desc *grpc.StreamDesc, method string,
	opts ...grpc.CallOption) (grpc.ClientStream, error) {
	start := time.Now()
	s, err := c.ClientConnInterface.NewStream(c.identified(ctx), desc, method, slices.Concat(opts, c.limits())...)
	err = c.opt.Password.hideError(err)
	c.record(ctx, method, start, err)
	return stream{s, c}, err
}

// stream is a stream of a connection.
type stream struct {
	grpc.ClientStream
	*connection
}

// SendMsg sends a request.
func (s stream) SendMsg(request any) error { return s.ClientStream.SendMsg(s.adapted(request)) }

// RecvMsg receives an answer.
func (s stream) RecvMsg(answer any) error {
	return s.opt.Password.hideError(s.ClientStream.RecvMsg(answer))
}

// identified adds the credentials.
func (c *connection) identified(ctx context.Context) context.Context {
	if c.opt.Username == "" {
		return ctx
	}
	return metadata.AppendToOutgoingContext(ctx, "username", c.opt.Username, "password", string(c.opt.Password))
}

// limits bounds the length of the messages of an RPC.
func (c *connection) limits() []grpc.CallOption {
	most := cmp.Or(c.opt.MaxMessage, defaultMessage)
	return []grpc.CallOption{grpc.MaxCallRecvMsgSize(most), grpc.MaxCallSendMsgSize(most)}
}

// adapted returns a request as the switch needs it.
func (c *connection) adapted(request any) any {
	if c.opt.Target == "" && c.opt.Election == nil && !c.plain.Load() {
		return request
	}
	switch r := request.(type) {
	case *gpb.GetRequest:
		r = proto.CloneOf(r)
		r.Prefix, r.Encoding = c.prefix(r.GetPrefix()), c.encoding(r.GetEncoding())
		return r
	case *gpb.SubscribeRequest:
		r = proto.CloneOf(r)
		if list := r.GetSubscribe(); list != nil {
			list.Prefix, list.Encoding = c.prefix(list.GetPrefix()), c.encoding(list.GetEncoding())
		}
		return r
	case *gpb.SetRequest:
		r = proto.CloneOf(r)
		r.Prefix = c.prefix(r.GetPrefix())
		if c.opt.Election != nil {
			r.Extension = append(r.Extension, c.opt.Election.extension())
		}
		for _, u := range slices.Concat(r.GetReplace(), r.GetUpdate()) {
			if v, ietf := u.GetVal().GetValue().(*gpb.TypedValue_JsonIetfVal); ietf && c.plain.Load() {
				u.Val = &gpb.TypedValue{Value: &gpb.TypedValue_JsonVal{JsonVal: v.JsonIetfVal}}
			}
		}
		return r
	}
	return request
}

// prefix adds the name of the switch to a prefix.
func (c *connection) prefix(p *gpb.Path) *gpb.Path {
	if c.opt.Target == "" {
		return p
	}
	out := &gpb.Path{}
	if p != nil {
		out = proto.CloneOf(p)
	}
	out.Target = c.opt.Target
	return out
}

// encoding is the encoding that a switch has for one that was asked for.
func (c *connection) encoding(e gpb.Encoding) gpb.Encoding {
	if e == gpb.Encoding_JSON_IETF && c.plain.Load() {
		return gpb.Encoding_JSON
	}
	return e
}

// record writes one line of the log.
func (c *connection) record(ctx context.Context, method string, start time.Time, err error, more ...any) {
	level := slog.LevelDebug
	more = append([]any{"target", c.opt.Address, "rpc", path.Base(method), "took", time.Since(start)}, more...)
	if err != nil {
		if !asked.Once(ctx) {
			level = slog.LevelWarn
		}
		s := status.Convert(err)
		more = append(more, "code", s.Code().String(), "message", s.Message())
	}
	c.log.Log(ctx, level, "gNMI", more...)
}
