package server_test

import (
	"fmt"
	"strings"
	"testing"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/backend/gnmi/server"
	"github.com/cellwarden/cellwarden/backend/sim"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/effort"
)

// large is a switch of so many ports, and the Set that configures all of them:
// eight groups and eight queues that mark on each.
func large(t testing.TB, ports int) (*server.Server, *gpb.SetRequest) {
	asic, err := sim.New(buffer.Chip{Name: "large", Cell: 208, Slices: []buffer.Slice{{Cells: 1_000_000}}, MinAlpha: -7,
		MaxAlpha: 3, Groups: 8})
	require.NoError(t, err)
	s, err := server.New(asic, 208, server.Options{})
	require.NoError(t, err)
	var queues, shares, marks, ifs []string
	for q := range 8 {
		queues = append(queues, fmt.Sprintf(`{"name":"%d","config":{"name":"%d"}}`, q, q))
		shares = append(shares, fmt.Sprintf(`{"name":"%d","config":{"name":"%d","dedicated-buffer":"1000","use-shared-buffer":true,
			"shared-buffer-limit-type":"DYNAMIC_BASED_ON_SCALING_FACTOR","dynamic-limit-scaling-factor":-3}}`, q, q))
		marks = append(marks, fmt.Sprintf(`{"name":"%d","config":{"name":"%d","queue-management-profile":"w"}}`, q, q))
	}
	for p := range ports {
		name := fmt.Sprintf("Ethernet%d", p)
		ifs = append(ifs, fmt.Sprintf(`{"interface-id":%q,"config":{"interface-id":%q},"input":{"config":{"buffer-allocation-profile":"p"}},"output":{"queues":{"queue":[%s]}}}`,
			name, name, strings.Join(marks, ",")))
	}
	return s, &gpb.SetRequest{Replace: []*gpb.Update{{Path: path(t, "/qos"),
		Val: ietf(`{"queues":{"queue":[` + strings.Join(queues, ",") + `]},
		"buffer-allocation-profiles":{"buffer-allocation-profile":[{"name":"p","config":{"name":"p"},"queues":{"queue":[` + strings.Join(shares, ",") + `]}}]},
		"queue-management-profiles":{"queue-management-profile":[{"name":"w","config":{"name":"w"},"wred":{"uniform":{"config":
			{"enable-ecn":true,"min-threshold":"1000","max-threshold":"2000","max-drop-probability-percent":5}}}}]},
		"interfaces":{"interface":[` + strings.Join(ifs, ",") + `]}}`)}}}
}

// A large switch is set, read and told of leaf by leaf. The benchmarks do it with 512 ports.
func TestManyPorts(t *testing.T) {
	effort.SkipFew(t, "it has a switch of many ports")
	const ports = 96
	s, req := large(t, ports)
	_, err := s.Set(t.Context(), req)
	require.NoError(t, err)
	require.Len(t, where(t, s, &gpb.GetRequest{Path: []*gpb.Path{path(t,
		"/qos/interfaces/interface/output/queues/queue/config/queue-management-profile")}}), ports*8)
	got, err := subscribe(t, connect(t, s), once(&gpb.SubscriptionList{}, path(t, "/qos")))
	require.NoError(t, err)
	require.Greater(t, len(got), ports*8*5)
}

func BenchmarkSet(b *testing.B) {
	for _, ports := range []int{64, 512} {
		b.Run(fmt.Sprint(ports, "x8"), func(b *testing.B) {
			s, req := large(b, ports)
			b.ReportAllocs()
			for b.Loop() {
				_, err := s.Set(b.Context(), req)
				require.NoError(b, err)
			}
		})
	}
}

func BenchmarkGet(b *testing.B) {
	for _, ports := range []int{64, 512} {
		b.Run(fmt.Sprint(ports, "x8"), func(b *testing.B) {
			s, req := large(b, ports)
			_, err := s.Set(b.Context(), req)
			require.NoError(b, err)
			b.ReportAllocs()
			for b.Loop() {
				get(b, s, "/qos", gpb.GetRequest_ALL)
			}
		})
	}
}
