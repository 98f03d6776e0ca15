package mmu_test

import (
	"testing"

	"github.com/cellwarden/cellwarden/buffer/mmu"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/thresholds"
)

// couplings are the published numbers of a switch with 5.9 MB of ingress pool
// and 4.7 MB of egress pool, alpha 1 in both: the limit of a lossless group in
// MB, by how many groups and lossy queues are full.
var couplings = []struct {
	groups, queues int
	megabytes      float64
}{{1, 0, 2.95}, {1, 1, 1.775}, {1, 10, 0.8136}, {4, 4, 0.428}, {10, 10, 0.1479}}

// The closed form gives the published numbers to the last digit. They are in
// bytes, so the cells have one byte.
func TestCouplingClosedForm(t *testing.T) {
	for _, c := range couplings {
		got, _ := mmu.Coupling{Ingress: 5900000, Egress: 4700000, LosslessGroups: c.groups,
			LossyQueues: c.queues}.Lossless().Float64()
		require.InDelta(t, c.megabytes*1e6, got, 60, "%d groups, %d queues", c.groups, c.queues)
	}
	lossy, _ := mmu.Coupling{Egress: 4700000, LossyQueues: 1}.Lossy().Float64()
	require.InDelta(t, 2350000, lossy, 0)
}

// couplingMMU is the switch of the closed form in cells of 208 bytes.
func couplingMMU(t *testing.T, c mmu.Coupling) *mmu.MMU {
	config := mmu.Config{Cell: 208, Pools: []mmu.Pool{{Shared: c.Ingress}},
		EgressPools: []mmu.Pool{{Shared: 1 << 30, Policy: mmu.CompleteSharing{}}, {Shared: c.Egress}},
		Groups:      []mmu.Group{{Limit: thresholds.Unlimited()}},
		Queues:      []mmu.Queue{{}}}
	for range c.LosslessGroups {
		config.Groups = append(config.Groups, mmu.Group{Lossless: true, Limit: thresholds.Dynamic(c.LosslessAlpha)})
	}
	for range c.LossyQueues {
		config.Queues = append(config.Queues, mmu.Queue{Pool: 1, Limit: thresholds.Dynamic(c.LossyAlpha)})
	}
	return mmuOf(t, config)
}

// settled drives every group and queue packet by packet until nothing changes:
// each takes a packet if it is let, and who is over its limit sends one. It
// returns what the groups and queues hold at least and at most.
func settled(t *testing.T, m *mmu.MMU, c mmu.Coupling) (group, queue [2]cells.Count) {
	packets := make([]mmu.Packet, 0, c.LosslessGroups+c.LossyQueues)
	for g := range c.LosslessGroups {
		packets = append(packets, mmu.Packet{Group: 1 + g, Bytes: 208})
	}
	for q := range c.LossyQueues {
		packets = append(packets, mmu.Packet{Queue: 1 + q, Bytes: 208})
	}
	holds := func(p mmu.Packet) cells.Count {
		if p.Queue > 0 {
			_, shared := m.QueueState(0, p.Queue)
			return shared
		}
		return m.GroupState(0, p.Group).Held.Shared
	}
	for range 200_000 {
		for _, p := range packets {
			if m.Arrive(p).Drop != mmu.CauseNone && holds(p) > 0 {
				m.Leave(p)
			}
		}
	}
	require.NoError(t, m.Check())
	group, queue = [2]cells.Count{1 << 40}, [2]cells.Count{1 << 40}
	for _, p := range packets {
		span := &group
		if p.Queue > 0 {
			span = &queue
		}
		span[0], span[1] = min(span[0], holds(p)), max(span[1], holds(p))
	}
	return group, queue
}

// The MMU, packet by packet, reaches a state within two cells of the closed
// form for lossy queues. For lossless groups the bound is two cells and one for
// every lossy queue, whose rounding reaches them through the ingress pool. The
// MMU does not contain the formula.
func TestCouplingOfTheMMU(t *testing.T) {
	if testing.Short() {
		t.Skip("drives some million packets")
	}
	cell := cells.Size(208)
	for _, n := range couplings {
		c := mmu.Coupling{Ingress: cell.Within(5900000), Egress: cell.Within(4700000), LosslessGroups: n.groups,
			LossyQueues: n.queues}
		for _, alphas := range [][2]thresholds.Alpha{{0, 0}, {-1, 1}, {-3, -1}} {
			c.LosslessAlpha, c.LossyAlpha = alphas[0], alphas[1]
			group, queue := settled(t, couplingMMU(t, c), c)
			want, _ := c.Lossless().Float64()
			near := float64(2 + c.LossyQueues)
			require.InDelta(t, want, float64(group[0]), near, "%+v", c)
			require.InDelta(t, want, float64(group[1]), near, "%+v", c)
			if c.LossyQueues > 0 {
				want, _ := c.Lossy().Float64()
				require.InDelta(t, want, float64(queue[0]), 2, "%+v", c)
				require.InDelta(t, want, float64(queue[1]), 2, "%+v", c)
			}
		}
	}
}
