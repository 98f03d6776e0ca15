package gnmi_test

import (
	"fmt"
	"net"
	"testing"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/openconfig/ygot/ygot"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/gnmi"
	"github.com/cellwarden/cellwarden/backend/gnmi/qos"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/unit"
)

// wide is a plan of so many ports with eight queues each.
func wide(t testing.TB, ports int) buffer.Intent {
	t.Helper()
	var names []string
	for n := range ports {
		names = append(names, fmt.Sprintf("Ethernet%d/1", n+1))
	}
	in := intent(names...)
	in.Chip = chip(1 << 22)
	in.Classes = in.Classes[:1]
	for _, queue := range []int{0, 1, 2, 5, 6, 7} {
		in.Classes = append(in.Classes, buffer.Class{Name: fmt.Sprint("class ", queue), Priorities: []int{queue},
			Reserved: unit.Given(unit.Bytes(208 * (queue + 1)))})
	}
	for i := range in.Classes {
		in.Classes[i].ECN = in.Classes[0].ECN
	}
	return in
}

// other is the same plan with more reserved, so that a push has to send it all.
func other(in buffer.Intent) buffer.Intent {
	in.Classes = append([]buffer.Class(nil), in.Classes...)
	for i := range in.Classes {
		in.Classes[i].Reserved = unit.Given(in.Classes[i].Reserved.Or(0) + 208)
		in.Classes[i].ECN.KMin += 208 * 8
	}
	return in
}

// loopback serves the switch of a lab by TCP as well, and gives it a client there.
func loopback(b *testing.B, l *lab) {
	b.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(b, err)
	done := make(chan error, 1)
	go func() { done <- l.server.Serve(listener) }()
	conn, err := grpc.NewClient(listener.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	require.NoError(b, err)
	l.conn = conn
	l.client = l.with(b, gnmi.Options{Username: "operator", Password: "secret"})
	b.Cleanup(func() {
		require.NoError(b, conn.Close())
		require.NoError(b, listener.Close())
		<-done
	})
}

// BenchmarkPush compares a push, which asks, reads, sends, reads back and compares, with what a plain client does by
// TCP on the same machine: one Set of the same tree, and one Get. Both change every profile and every binding of the
// switch each time. A client that is new reads first by Get; one that stays knows what to expect. A plain client gets
// all, as gnmic does unless told otherwise, or configuration alone, which is what cellwarden reads.
func BenchmarkPush(b *testing.B) {
	for _, ports := range []int{64, 512} {
		in := wide(b, ports)
		plans := []buffer.Layout{carried(planned(b, in)), carried(planned(b, other(in)))}
		push := func(client func(*lab) *gnmi.Client) func(*testing.B) {
			return func(b *testing.B) {
				l := newLab(b, in.Chip)
				loopback(b, l)
				n := 0
				b.ReportAllocs()
				for b.Loop() {
					n++
					report, err := backend.Converge(b.Context(), client(l), plans[n%2], backend.Options{})
					require.NoError(b, err)
					require.Equal(b, backend.Applied, report.State)
				}
			}
		}
		b.Run(fmt.Sprintf("ports=%d/cellwarden", ports), push(func(l *lab) *gnmi.Client { return l.client }))
		b.Run(fmt.Sprintf("ports=%d/cellwarden-new", ports),
			push(func(l *lab) *gnmi.Client { return l.with(b, gnmi.Options{}) }))
		b.Run(fmt.Sprintf("ports=%d/plain", ports), func(b *testing.B) { plain(b, in.Chip, plans, gpb.GetRequest_ALL) })
		b.Run(fmt.Sprintf("ports=%d/plain-config", ports),
			func(b *testing.B) { plain(b, in.Chip, plans, gpb.GetRequest_CONFIG) })
	}
}

// plain sets and gets.
func plain(b *testing.B, chip buffer.Chip, plans []buffer.Layout, kind gpb.GetRequest_DataType) {
	l := newLab(b, chip)
	loopback(b, l)
	stub := gpb.NewGNMIClient(l.conn)
	trees := make([][]byte, 2)
	for i, plan := range plans {
		root, err := qos.Encode(plan, cell)
		require.NoError(b, err)
		trees[i], err = ygot.Marshal7951(root.Qos, &ygot.RFC7951JSONConfig{AppendModuleName: true})
		require.NoError(b, err)
	}
	qos := &gpb.Path{Origin: "openconfig", Elem: []*gpb.PathElem{{Name: "qos"}}}
	n := 0
	b.ReportAllocs()
	for b.Loop() {
		n++
		_, err := stub.Set(b.Context(), &gpb.SetRequest{Replace: []*gpb.Update{{Path: qos,
			Val: &gpb.TypedValue{Value: &gpb.TypedValue_JsonIetfVal{JsonIetfVal: trees[n%2]}}}}})
		require.NoError(b, err)
		_, err = stub.Get(b.Context(), &gpb.GetRequest{Path: []*gpb.Path{qos}, Type: kind, Encoding: gpb.Encoding_JSON_IETF})
		require.NoError(b, err)
	}
}

// BenchmarkRead reads a switch that holds a plan, as a client does that knows
// what to expect, by Subscribe ONCE, and as one that does not, by Get.
func BenchmarkRead(b *testing.B) {
	in := wide(b, 64)
	l := newLab(b, in.Chip)
	loopback(b, l)
	_, err := backend.Converge(b.Context(), l.client, carried(planned(b, in)), backend.Options{})
	require.NoError(b, err)
	b.Run("once", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_, err := l.client.Observe(b.Context())
			require.NoError(b, err)
		}
	})
	b.Run("get", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_, err := l.with(b, gnmi.Options{}).Observe(b.Context())
			require.NoError(b, err)
		}
	})
}
