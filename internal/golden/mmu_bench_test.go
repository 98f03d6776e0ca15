package golden_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/asic/behaviour"
	"github.com/cellwarden/cellwarden/buffer/mmu"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/golden"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// mmuBench is a chip of a preset at its real size, with 64 groups, and what
// stands in it while one more packet comes and goes.
type mmuBench struct {
	name   string
	config mmu.Config
}

func mmuBenches(tb testing.TB) []mmuBench {
	of := func(cell cells.Size, overhead unit.Bytes, rule mmu.Rule, g mmu.Group, err error) mmu.Config {
		require.NoError(tb, err)
		c := mmu.Config{Cell: cell, Overhead: overhead, Rule: rule,
			Pools: []mmu.Pool{{Shared: 30000}, {Shared: 10000}}, HeadroomPools: []cells.Count{5041}}
		for range 64 {
			c.Groups = append(c.Groups, g)
		}
		return c
	}
	xgs := mmu.Group{Reserved: 6, Lossless: true, Headroom: 520, HeadroomPool: 1,
		XON: thresholds.XON{Offset: 11, Latched: true}}
	n9k := of(208, 0, mmu.Rule{}, mmu.Group{Reserved: 225, Limit: thresholds.Static(0), Lossless: true, Headroom: 265,
		XON: thresholds.XON{Floor: 165, Offset: 225}}, nil)
	silicon := of(512, 0, mmu.Rule{}, mmu.Group{Limit: thresholds.Static(7168), Lossless: true, Headroom: 880,
		XON: thresholds.XON{Floor: 6144, Offset: 7168}}, nil)
	staged, err := behaviour.SpectrumBuffer{Size: 43584, XOFF: 3072, XON: 3072}.Group(96,
		thresholds.Dynamic(0))
	spectrum := of(96, 0, mmu.Rule{}, staged, err)
	const percent = unit.OnePercent
	juniper, err := behaviour.JunosBuffer{Memory: 9360 << 10, IngressDedicated: 2158 << 10,
		EgressDedicated: 2704 << 10, Lossless: 9 * percent, LosslessHeadroom: 45 * percent,
		Lossy: 46 * percent, EgressLossless: 50 * percent, EgressMulticast: 19 * percent,
		EgressLossy: 31 * percent}.Config(208, 64)
	require.NoError(tb, err)
	juniper.Groups = of(208, 64, mmu.SiliconRule(), xgs, nil).Groups
	return []mmuBench{{"xgs", of(208, 64, mmu.SiliconRule(), xgs, nil)}, {"n9k", n9k}, {"silicon-one", silicon},
		{"spectrum", spectrum}, {"juniper", juniper}}
}

// withPolicy returns the config with one policy for all pools.
func withPolicy(c mmu.Config, policy mmu.Policy) mmu.Config {
	c.Pools = append([]mmu.Pool(nil), c.Pools...)
	for i := range c.Pools {
		c.Pools[i].Policy = policy
	}
	return c
}

// withEgress returns the config with queues that share a pool as large as the ingress.
func withEgress(c mmu.Config) mmu.Config {
	c.EgressPools, c.Queues = []mmu.Pool{{Shared: 40000}}, make([]mmu.Queue, 64)
	return c
}

var benchPacket = mmu.Packet{Group: 3, Bytes: 1500}

// BenchmarkMMU admits a packet of 1500 bytes and releases it, with ten packets of its group in the memory: in every
// preset, without and with an egress; under every policy; with a paused group, where every packet takes the complete
// path; and the same in the slow model.
func BenchmarkMMU(b *testing.B) {
	run := func(name string, c mmu.Config, before int) {
		b.Run(name, func(b *testing.B) {
			m, err := mmu.New(c)
			require.NoError(b, err)
			for range before {
				m.Arrive(benchPacket)
			}
			b.ReportAllocs()
			for b.Loop() {
				m.Arrive(benchPacket)
				m.Leave(benchPacket)
			}
		})
	}
	benches := mmuBenches(b)
	for _, p := range benches {
		run(p.name, p.config, 10)
		run(p.name+"/egress", withEgress(p.config), 10)
	}
	for i, policy := range golden.MMUPolicies()[1:] {
		run(fmt.Sprintf("policy/%d %v", i+1, policy), withPolicy(benches[0].config, policy), 10)
	}
	paused := benches[0].config
	paused.Groups = append([]mmu.Group(nil), paused.Groups...)
	paused.Groups[3].Limit = thresholds.Static(80)
	run("xgs/paused", paused, 12)
	for _, p := range benches {
		b.Run("obvious/"+p.name, func(b *testing.B) {
			m := golden.NewMMU(p.config)
			for range 10 {
				m.Arrive(benchPacket)
			}
			for b.Loop() {
				m.Arrive(benchPacket)
				m.Leave(benchPacket)
			}
		})
	}
}

// No preset and no policy allocates.
func TestMMUPresetsAllocateNothing(t *testing.T) {
	for _, p := range mmuBenches(t) {
		for _, policy := range golden.MMUPolicies() {
			m, err := mmu.New(withEgress(withPolicy(p.config, policy)))
			require.NoError(t, err)
			packet := benchPacket
			require.Zero(t, testing.AllocsPerRun(100, func() {
				for range 40 {
					m.Arrive(packet)
				}
				held := m.GroupState(0, packet.Group).Held.Total()
				for ; held >= m.Cells(packet); held -= m.Cells(packet) {
					m.Leave(packet)
				}
				m.Resume(0)
			}), "%s, %v", p.name, policy)
			require.NoError(t, m.Check())
		}
	}
}
