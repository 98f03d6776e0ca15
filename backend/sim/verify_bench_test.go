package sim_test

import (
	"fmt"
	"testing"

	"github.com/cellwarden/cellwarden/backend/sim"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// BenchmarkVerify512 verifies 512 ports with two lossless groups each. Either all ports are alike, or no two of them.
func BenchmarkVerify512(b *testing.B) {
	for name, each := range map[string]unit.Length{"alike": 0, "each of its own": unit.Metre} {
		b.Run(name, func(b *testing.B) {
			in := buffer.Intent{Chip: endless(208, 64), Sizing: thresholds.IEEE{},
				Classes: []buffer.Class{{Name: "rdma", Priorities: []int{3, 4}, Lossless: true, MTU: 4096}}}
			for i := range 512 {
				in.Ports = append(in.Ports, buffer.Port{Name: fmt.Sprintf("e%d", i), Rate: 100 * unit.Gbps,
					Cable: 100*unit.Metre + unit.Length(i)*each, MTU: 9216})
			}
			plan, err := buffer.New(in)
			if err != nil {
				b.Fatal(err)
			}
			layout := plan.Layout()
			b.ReportAllocs()
			for b.Loop() {
				if v, err := sim.Verify(b.Context(), in, layout, sim.VerifyOptions{}); err != nil || !v.Lossless {
					b.Fatal(err, v.Drops)
				}
			}
		})
	}
}
