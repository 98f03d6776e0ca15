package internal_test

import (
	"os"
	"testing"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/backend/gnmi/server"
	"github.com/cellwarden/cellwarden/backend/sim/scenario"
	"github.com/cellwarden/cellwarden/internal/traffic"
	"github.com/cellwarden/cellwarden/unit"
)

// BenchmarkTrafficSwitch times a switch of 17 ports under incast: what a slice of model
// time costs, and what it costs to read all of the switch as a subscriber does.
func BenchmarkTrafficSwitch(b *testing.B) {
	const file = "../examples/scenarios/planned-switch.yaml"
	data, err := os.ReadFile(file)
	require.NoError(b, err)
	s, err := scenario.Read(file, data, os.ReadFile)
	require.NoError(b, err)
	asic, err := s.Attach("")
	require.NoError(b, err)
	sw, err := traffic.New(asic, 0, server.Options{})
	require.NoError(b, err)
	advance(b, sw, 100*unit.Microsecond)
	b.Run("slice of 10us", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			advance(b, sw, 10*unit.Microsecond)
		}
	})
	b.Run("look", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_, err := sw.Get(b.Context(), &gpb.GetRequest{Path: []*gpb.Path{path(b, "/qos/interfaces")},
				Encoding: gpb.Encoding_PROTO, Type: gpb.GetRequest_STATE})
			require.NoError(b, err)
		}
	})
}
