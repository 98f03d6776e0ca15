package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/cellwarden/cellwarden/asic"
	"github.com/cellwarden/cellwarden/backend/gnmi/server"
	"github.com/cellwarden/cellwarden/backend/sim"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/effort"
	"github.com/cellwarden/cellwarden/internal/smallswitch"
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
	effort.SkipFew(t, "it pushes through a gateway")
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	address, chips := serveGateway(t)
	empty := chips["leaf1"].String()

	file := filepath.Join(t.TempDir(), "push.jsonl")
	to := []string{"--target", address, "--insecure", "--profile", "openconfig"}
	code, _, bad := cellwarden(t, append([]string{"apply", arista, "--journal", "off"}, to...)...)
	require.Equal(t, cli.ExitFailure, code, "without a name")
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

// A file of switches names several behind one gateway; a field of a line overrules the flag.
func TestManyBehindAGateway(t *testing.T) {
	effort.SkipFew(t, "it dials many switches")
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	address, chips := serveGateway(t)
	empty := chips["leaf1"].String()
	list := filepath.Join(t.TempDir(), "switches")
	require.NoError(t, os.WriteFile(list, []byte(address+"\n"+address+" prefix-target=leaf2\n"+
		address+" prefix-target=leaf9\n"), 0o600))
	flags := []string{"--targets", list, "--prefix-target", "leaf1", "--insecure", "--profile", "openconfig", "-o", "json"}
	code, out, bad := cellwarden(t, append([]string{"apply", arista}, flags...)...)
	require.Equal(t, cli.ExitFailure, code, "leaf9 is not there")
	require.Contains(t, bad, address+` (leaf9): refused: `)
	require.Contains(t, bad, `no switch "leaf9" behind this gateway`)
	require.Contains(t, out, `"prefix_target": "leaf1",`, "of the flag")
	require.Contains(t, out, `"prefix_target": "leaf2",`)
	require.NotEqual(t, empty, chips["leaf1"].String())
	require.Equal(t, chips["leaf1"].String(), chips["leaf2"].String())
	code, out, _ = cellwarden(t, append([]string{"drift", arista}, flags...)...)
	require.Equal(t, cli.ExitDrift, code, "a gateway answers NOT_FOUND for leaf9, as a switch without configuration does")
	require.Equal(t, 2, strings.Count(out, `"state": "as planned"`), out)
}

// serveGateway serves two simulated switches, leaf1 and leaf2, at one address.
func serveGateway(t *testing.T) (address string, chips map[string]*sim.ASIC) {
	t.Helper()
	g := &gateway{switches: map[string]*server.Server{}}
	chips = map[string]*sim.ASIC{}
	for _, name := range []string{"leaf1", "leaf2"} {
		chip, err := asic.Load("tomahawk")
		require.NoError(t, err)
		chips[name], err = sim.New(chip)
		require.NoError(t, err)
		g.switches[name], err = server.New(chips[name], chip.Cell, server.Options{})
		require.NoError(t, err)
	}
	served := grpc.NewServer()
	gpb.RegisterGNMIServer(served, g)
	return smallswitch.At(t, served), chips
}
