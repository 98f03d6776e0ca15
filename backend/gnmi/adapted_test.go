package gnmi_test

import (
	"context"
	"slices"
	"testing"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/gnmi"
	"github.com/cellwarden/cellwarden/backend/gnmi/server"
	"github.com/cellwarden/cellwarden/backend/sim"
)

// limitedSwitch is a switch of ours that refuses requests which do not have what check wants.
type limitedSwitch struct {
	*server.Server
	encodings []gpb.Encoding // those of Capabilities; nil: all
	check     func(prefix *gpb.Path, e gpb.Encoding, values []*gpb.Update) error
}

func (l *limitedSwitch) Capabilities(ctx context.Context, req *gpb.CapabilityRequest) (*gpb.CapabilityResponse, error) {
	answer, err := l.Server.Capabilities(ctx, req)
	if l.encodings != nil && err == nil {
		answer.SupportedEncodings = l.encodings
	}
	return answer, err
}

func (l *limitedSwitch) Get(ctx context.Context, req *gpb.GetRequest) (*gpb.GetResponse, error) {
	if err := l.check(req.GetPrefix(), req.GetEncoding(), nil); err != nil {
		return nil, err
	}
	return l.Server.Get(ctx, req)
}

func (l *limitedSwitch) Set(ctx context.Context, req *gpb.SetRequest) (*gpb.SetResponse, error) {
	if err := l.check(req.GetPrefix(), gpb.Encoding_JSON, slices.Concat(req.GetReplace(), req.GetUpdate())); err != nil {
		return nil, err
	}
	return l.Server.Set(ctx, req)
}

func (l *limitedSwitch) Subscribe(stream gpb.GNMI_SubscribeServer) error {
	return l.Server.Subscribe(checkedStream{stream, l.check})
}

// checkedStream checks the subscription lists that arrive.
type checkedStream struct {
	gpb.GNMI_SubscribeServer
	check func(*gpb.Path, gpb.Encoding, []*gpb.Update) error
}

func (s checkedStream) Recv() (*gpb.SubscribeRequest, error) {
	m, err := s.GNMI_SubscribeServer.Recv()
	if list := m.GetSubscribe(); err == nil && list != nil {
		err = s.check(list.GetPrefix(), list.GetEncoding(), nil)
	}
	return m, err
}

// limitedLab serves such a switch.
func limitedLab(t *testing.T, l *limitedSwitch) *lab {
	asic, err := sim.New(chip(20000))
	require.NoError(t, err)
	l.Server, err = server.New(asic, cell, server.Options{})
	require.NoError(t, err)
	out := serve(t, l)
	out.asic = asic
	return out
}

// pushesAndAgrees brings a plan to the switch, and finds it there.
func pushesAndAgrees(t *testing.T, l *lab, c *gnmi.Client) {
	t.Helper()
	want := planned(t, intent("Ethernet1/1", "Ethernet1/2"))
	for _, state := range []backend.State{backend.Applied, backend.Unchanged} {
		report, err := backend.Converge(t.Context(), c, want, backend.Options{})
		require.NoError(t, err)
		require.Equal(t, state, report.State)
	}
	have, err := l.asic.Observe(t.Context())
	require.NoError(t, err)
	require.Equal(t, carried(want), have)
}

// A gateway serves several switches by the target of the prefix.
func TestGateway(t *testing.T) {
	l := limitedLab(t, &limitedSwitch{check: func(prefix *gpb.Path, _ gpb.Encoding, _ []*gpb.Update) error {
		if prefix.GetTarget() != "leaf7" || prefix.GetOrigin() != "" {
			return status.Errorf(codes.NotFound, "no switch %v", prefix)
		}
		return nil
	}})
	_, err := backend.Converge(t.Context(), l.client, planned(t, intent("Ethernet1/1")), backend.Options{})
	require.Error(t, err)
	c := l.with(t, gnmi.Options{Target: "leaf7", NoOrigin: true})
	pushesAndAgrees(t, l, c)

	// Requests that a caller builds, such as those for native configuration, go to the same switch.
	_, err = c.Get(t.Context(), &gpb.GetRequest{Path: []*gpb.Path{{}}})
	require.NoError(t, err)
	require.NoError(t, c.Set(t.Context(), &gpb.SetRequest{}, 0))
}

// A switch may have JSON and no JSON_IETF: it gets and sends plain JSON.
func TestSwitchWithPlainJSON(t *testing.T) {
	l := limitedLab(t, &limitedSwitch{encodings: []gpb.Encoding{gpb.Encoding_JSON},
		check: func(_ *gpb.Path, e gpb.Encoding, values []*gpb.Update) error {
			for _, u := range values {
				if u.GetVal().GetJsonVal() == nil {
					return status.Errorf(codes.Unimplemented, "a value as %T", u.GetVal().GetValue())
				}
			}
			if e != gpb.Encoding_JSON {
				return status.Errorf(codes.Unimplemented, "encoding %v", e)
			}
			return nil
		}})
	pushesAndAgrees(t, l, l.client)
	probe, err := l.client.Probe(t.Context())
	require.NoError(t, err)
	require.Contains(t, probe.String(), "gNMI 0.10.0, JSON")
}

// Of two clients with election ids, only the one with the higher id may write.
func TestElection(t *testing.T) {
	l := newLab(t, chip(20000))
	master := l.with(t, gnmi.Options{Election: &gnmi.Election{Role: "qos", Low: 2}})
	other := l.with(t, gnmi.Options{Election: &gnmi.Election{Role: "qos", Low: 1}})
	pushesAndAgrees(t, l, master)
	var sent *gpb.SetRequest
	l.on(gpb.GNMI_Set_FullMethodName, func(ctx context.Context, req any, _ *grpc.UnaryServerInfo,
		next grpc.UnaryHandler) (any, error) {
		sent = req.(*gpb.SetRequest)
		return next(ctx, req)
	})
	report, err := backend.Converge(t.Context(), other, planned(t, intent("Ethernet1/3")), backend.Options{})
	require.ErrorContains(t, err, "the highest is 0:2")
	require.Equal(t, backend.Refused, report.State)
	require.Equal(t, "qos", sent.GetExtension()[0].GetMasterArbitration().GetRole().GetId())
}
