package gnmi

import (
	"context"
	"slices"
	"sync/atomic"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/openconfig/gnmi/proto/gnmi_ext"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"
)

// What all requests of a client need is added in one place, below those who make the requests:
// the name of the switch for a gateway, the election id, and plain JSON for a switch that has no
// JSON_IETF. The requests of callers stay as they are.

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

// adapted is a client of gNMI whose requests are adapted to the switch.
type adapted struct {
	gpb.GNMIClient
	target   string
	election *Election
	plain    *atomic.Bool // the switch has JSON, and no JSON_IETF
}

// Get sends a GetRequest.
func (a adapted) Get(ctx context.Context, request *gpb.GetRequest, opts ...grpc.CallOption) (*gpb.GetResponse, error) {
	if a.nothing() {
		return a.GNMIClient.Get(ctx, request, opts...)
	}
	request = proto.CloneOf(request)
	request.Prefix, request.Encoding = a.prefix(request.GetPrefix()), a.encoding(request.GetEncoding())
	return a.GNMIClient.Get(ctx, request, opts...)
}

// Set sends a SetRequest.
func (a adapted) Set(ctx context.Context, request *gpb.SetRequest, opts ...grpc.CallOption) (*gpb.SetResponse, error) {
	if a.nothing() {
		return a.GNMIClient.Set(ctx, request, opts...)
	}
	request = proto.CloneOf(request)
	request.Prefix = a.prefix(request.GetPrefix())
	if a.election != nil {
		request.Extension = append(request.Extension, a.election.extension())
	}
	if a.plain.Load() {
		for _, u := range slices.Concat(request.GetReplace(), request.GetUpdate()) {
			if v, ietf := u.GetVal().GetValue().(*gpb.TypedValue_JsonIetfVal); ietf {
				u.Val = &gpb.TypedValue{Value: &gpb.TypedValue_JsonVal{JsonVal: v.JsonIetfVal}}
			}
		}
	}
	return a.GNMIClient.Set(ctx, request, opts...)
}

// Subscribe opens a stream whose subscription lists are adapted.
func (a adapted) Subscribe(ctx context.Context, opts ...grpc.CallOption) (gpb.GNMI_SubscribeClient, error) {
	stream, err := a.GNMIClient.Subscribe(ctx, opts...)
	if err != nil {
		return nil, err
	}
	return adaptedStream{stream, a}, nil
}

// adaptedStream is a stream whose subscription lists are adapted.
type adaptedStream struct {
	gpb.GNMI_SubscribeClient
	adapted
}

// Send sends a SubscribeRequest.
func (s adaptedStream) Send(request *gpb.SubscribeRequest) error {
	if s.nothing() {
		return s.GNMI_SubscribeClient.Send(request)
	}
	request = proto.CloneOf(request)
	if list := request.GetSubscribe(); list != nil {
		list.Prefix, list.Encoding = s.prefix(list.GetPrefix()), s.encoding(list.GetEncoding())
	}
	return s.GNMI_SubscribeClient.Send(request)
}

// nothing tells whether requests are sent as they are.
func (a adapted) nothing() bool { return a.target == "" && a.election == nil && !a.plain.Load() }

// prefix adds the name of the switch to a prefix.
func (a adapted) prefix(p *gpb.Path) *gpb.Path {
	if a.target == "" {
		return p
	}
	out := &gpb.Path{}
	if p != nil {
		out = proto.CloneOf(p)
	}
	out.Target = a.target
	return out
}

// encoding is the encoding that a switch has for one that was asked for.
func (a adapted) encoding(e gpb.Encoding) gpb.Encoding {
	if e == gpb.Encoding_JSON_IETF && a.plain.Load() {
		return gpb.Encoding_JSON
	}
	return e
}
