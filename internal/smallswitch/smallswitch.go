// Package smallswitch has what tests of gNMI share: a chip of one slice, plans of two classes on it, and servers on the
// loopback address or over a pipe in memory, which end with their test.
package smallswitch

import (
	"context"
	"net"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/test/bufconn"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/pg"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/thresholds/ecn"
	"github.com/cellwarden/cellwarden/unit"
)

// Cell is the size of a cell of the chip.
const Cell = cells.Size(208)

// Chip has one slice of so many cells.
func Chip(n cells.Count) buffer.Chip {
	return buffer.Chip{Name: "small", Cell: Cell, Slices: []buffer.Slice{{Cells: n}}, MinAlpha: -7, MaxAlpha: 3,
		Groups: pg.PerPort}
}

// Intent is two lossless priorities and a lossy class on ports of 100G.
func Intent(ports ...string) buffer.Intent {
	eighth := thresholds.Alpha(-3)
	in := buffer.Intent{Chip: Chip(20000), Sizing: thresholds.IEEE{}, Classes: []buffer.Class{
		{Name: "storage", Priorities: []int{3, 4}, Lossless: true, Reserved: unit.Given[unit.Bytes](1248), Alpha: &eighth,
			ECN: ecn.Thresholds{KMin: 100 * unit.KiB, KMax: 400 * unit.KiB, PMax: 5 * unit.OnePercent}},
		{Name: "rest", Priorities: []int{0, 1}, Reserved: unit.Given[unit.Bytes](416)},
	}}
	for _, name := range ports {
		in.Ports = append(in.Ports, buffer.Port{Name: name, Rate: 100 * unit.Gbps, Cable: 5 * unit.Metre, MTU: 9216})
	}
	return in
}

// Weighed is the intent of [Intent] with weights and DSCPs: the lossless class has 60 and DSCPs 24 and 26, the other is
// strict and has 0 and 46.
func Weighed(ports ...string) buffer.Intent {
	in := Intent(ports...)
	in.Classes[0].Weight, in.Classes[0].Priorities = 60, []int{3}
	in.Classes[1].Strict, in.Classes[1].QueueReserved = true, 832
	in.DSCP[3], in.DSCP[in.Classes[1].Priorities[0]] = pg.Points(24, 26), pg.Points(0, 46)
	return in
}

// Planned is the layout of an intent that fits.
func Planned(t testing.TB, in buffer.Intent) buffer.Layout {
	t.Helper()
	plan, err := buffer.New(in)
	require.NoError(t, err)
	require.NoError(t, plan.Err())
	return plan.Layout()
}

// At serves on a port of the loopback address until the test ends, and returns the address.
func At(t testing.TB, s *grpc.Server) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	On(t, s, listener)
	return listener.Addr().String()
}

// On serves on a listener until the test ends.
func On(t testing.TB, s *grpc.Server, listener net.Listener) {
	done := make(chan error, 1)
	go func() { done <- s.Serve(listener) }()
	t.Cleanup(func() {
		s.Stop()
		require.NoError(t, <-done)
	})
}

// Pipe serves over a pipe in memory of so many bytes until the test ends, and returns a connection.
func Pipe(t testing.TB, s *grpc.Server, size int) *grpc.ClientConn {
	t.Helper()
	pipe := bufconn.Listen(size)
	On(t, s, pipe)
	conn, err := grpc.NewClient("passthrough:switch", grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return pipe.DialContext(ctx) }))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, conn.Close()) })
	return conn
}
