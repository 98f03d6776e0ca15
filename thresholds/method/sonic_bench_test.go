package method_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/thresholds/method"
	"github.com/cellwarden/cellwarden/unit"
)

func TestSONiCAllocatesNothing(t *testing.T) {
	var m thresholds.Sizer = sonicBench()
	require.Zero(t, testing.AllocsPerRun(100, func() { _, _ = m.Size(sonicBenchLink, thresholds.Memory{Cell: 192}) }))
}

var sonicBenchLink = thresholds.Link{Rate: 400 * unit.Gbps, Cable: 300 * unit.Metre, MTU: 9216, LosslessMTU: 4096}

func sonicBench() method.SONiC {
	chip, _ := method.LookupSONiCChip("spectrum-4")
	return method.SONiC{Chip: chip, Lanes: 8, Gearbox: 400 * unit.Nanosecond}
}

func BenchmarkSONiCSize(b *testing.B) {
	m := sonicBench()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := m.Size(sonicBenchLink, thresholds.Memory{Cell: 192}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSONiCExplain(b *testing.B) {
	m := sonicBench()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := m.Explain(sonicBenchLink, thresholds.Memory{Cell: 192}); err != nil {
			b.Fatal(err)
		}
	}
}
