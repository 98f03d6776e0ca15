package main

import (
	"context"
	"net"
	"path/filepath"
	"testing"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/cellwarden/cellwarden/asic"
	"github.com/cellwarden/cellwarden/backend/gnmi/server"
	"github.com/cellwarden/cellwarden/backend/sim"
)

// gateway serves simulated switches at one address, by the target of the prefix.
type gateway struct {
	gpb.UnimplementedGNMIServer
	switches map[string]*server.Server
}

// at is the switch of a prefix.
func (g *gateway) at(prefix *gpb.Path) (*server.Server, error) {
	if s, there := g.switches[prefix.GetTarget()]; there {
		return s, nil
	}
	return nil, status.Errorf(codes.NotFound, "no switch %q behind this gateway", prefix.GetTarget())
}

func (g *gateway) Capabilities(ctx context.Context, req *gpb.CapabilityRequest) (*gpb.CapabilityResponse, error) {
	return g.switches["leaf1"].Capabilities(ctx, req) // the request has no prefix
}

func (g *gateway) Get(ctx context.Context, req *gpb.GetRequest) (*gpb.GetResponse, error) {
	s, err := g.at(req.GetPrefix())
	if err != nil {
		return nil, err
	}
	return s.Get(ctx, req)
}

func (g *gateway) Set(ctx context.Context, req *gpb.SetRequest) (*gpb.SetResponse, error) {
	s, err := g.at(req.GetPrefix())
	if err != nil {
		return nil, err
	}
	return s.Set(ctx, req)
}

// A push and its undo go to the switch that --prefix-target names, and to no other behind the same address. resume has
// the name from the journal.
func TestPushThroughAGateway(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	g, chips := &gateway{switches: map[string]*server.Server{}}, map[string]*sim.ASIC{}
	for _, name := range []string{"leaf1", "leaf2"} {
		chip, err := asic.Load("tomahawk")
		require.NoError(t, err)
		chips[name], err = sim.New(chip)
		require.NoError(t, err)
		g.switches[name], err = server.New(chips[name], chip.Cell)
		require.NoError(t, err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	served := grpc.NewServer()
	gpb.RegisterGNMIServer(served, g)
	go func() { _ = served.Serve(listener) }()
	t.Cleanup(served.Stop)
	empty := chips["leaf1"].String()

	file := filepath.Join(t.TempDir(), "push.jsonl")
	to := []string{"--target", listener.Addr().String(), "--insecure", "--profile", "openconfig"}
	code, _, bad := cellwarden(t, append([]string{"apply", arista, "--journal", "off"}, to...)...)
	require.Equal(t, exitFailure, code, "without a name")
	require.Contains(t, bad, `no switch "" behind this gateway`)
	code, out, bad := cellwarden(t, append([]string{"apply", arista, "--prefix-target", "leaf2", "--journal", file},
		to...)...)
	require.Zero(t, code, out+bad)
	require.Equal(t, empty, chips["leaf1"].String())
	require.NotEqual(t, empty, chips["leaf2"].String())

	code, out, bad = cellwarden(t, "resume", file, "--undo", "--insecure")
	require.Zero(t, code, out+bad)
	require.Equal(t, empty, chips["leaf1"].String())
	require.Equal(t, empty, chips["leaf2"].String(), "undone, on the switch of the push")
}
