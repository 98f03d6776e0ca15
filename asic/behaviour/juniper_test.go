package behaviour_test

import (
	"fmt"
	"testing"

	"github.com/cellwarden/cellwarden/asic/behaviour"
	"github.com/cellwarden/cellwarden/buffer/mmu"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/thresholds/ecn"
	"github.com/cellwarden/cellwarden/unit"
)

func ExampleJunosBuffer() {
	c, err := behaviour.QFX3500().Config(208, 64)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("ingress: lossless", c.Pools[behaviour.JunosLossless].Shared, "headroom", c.HeadroomPools[0], "lossy",
		c.Pools[behaviour.JunosLossy].Shared)
	fmt.Println("egress: lossless", c.EgressPools[behaviour.JunosLossless].Shared, "multicast",
		c.EgressPools[1].Shared,
		"lossy", c.EgressPools[2].Shared)
	// Output:
	// ingress: lossless 3191 headroom 15955 lossy 16309
	// egress: lossless 16384 multicast 6225 lossy 10158
}

// The values that the switch itself prints, in hundredths of a KiB.
func TestQFX3500(t *testing.T) {
	b := behaviour.QFX3500()
	require.NoError(t, b.Validate())
	require.EqualValues(t, 7202*1024, b.Ingress())
	require.EqualValues(t, 6656*1024, b.Egress())
	for name, c := range map[string]struct {
		shared  unit.Bytes
		part    unit.Percent
		printed int64
	}{
		"lossless": {b.Ingress(), b.Lossless, 64818}, "lossless-headroom": {b.Ingress(), b.LosslessHeadroom, 324090},
		"lossy":           {b.Ingress(), b.Lossy, 331292},
		"egress lossless": {b.Egress(), b.EgressLossless, 332800},
		"multicast":       {b.Egress(), b.EgressMulticast, 126464}, "egress lossy": {b.Egress(), b.EgressLossy, 206336},
	} {
		got := b.Partition(c.shared, c.part, 208)
		require.Equal(t, cells.Count(c.printed*1024/100/208), got, name)
		require.Less(t, c.printed*1024/100-int64(got)*208, int64(208), name)
	}
	cell := cells.Size(208)
	for _, n := range []unit.Bytes{b.Memory, b.IngressDedicated, b.Ingress(), b.EgressDedicated, b.Egress()} {
		require.Equal(t, n, cell.Bytes(cell.Within(n)), "whole cells")
	}
}

// Lossless groups fill their partition, and then share the headroom partition. Lossy groups have access to neither.
func TestJunosPartitionsHold(t *testing.T) {
	c, err := behaviour.QFX3500().Config(208, 0)
	require.NoError(t, err)
	lossless := mmu.Group{Pool: behaviour.JunosLossless, Lossless: true, Headroom: 9000, HeadroomPool: 1}
	c.Groups = []mmu.Group{lossless, lossless, {Pool: behaviour.JunosLossy}}
	c.EgressPools[behaviour.JunosLossless].Shared, c.EgressPools[2].Shared = 1<<20, 1<<20
	c.Queues = []mmu.Queue{{Pool: behaviour.JunosLossless, Limit: thresholds.Unlimited()},
		{Pool: 2, Limit: thresholds.Unlimited()}}
	m, err := mmu.New(c)
	require.NoError(t, err)
	for m.Arrive(mmu.Packet{Group: 2, Queue: 1, Bytes: 208}).Drop == mmu.CauseNone {
	}
	for g := range 2 {
		for m.Arrive(mmu.Packet{Group: g, Bytes: 208}).Drop == mmu.CauseNone {
		}
	}
	require.EqualValues(t, 16309/2, m.PoolUsed(0, behaviour.JunosLossy), "alpha 1 leaves half")
	require.EqualValues(t, 3191/2, m.GroupState(0, 0).Held.Shared)
	require.EqualValues(t, 15955-9000, m.GroupState(0, 1).Held.Headroom, "what the first left of the partition")
	require.NoError(t, m.Check())
}

func TestJunosBufferComplains(t *testing.T) {
	b := behaviour.QFX3500()
	b.Lossy, b.EgressLossy, b.IngressDedicated, b.EgressDedicated = 47*unit.OnePercent, -1, b.Memory+1, -1
	err := b.Validate()
	for _, want := range []string{"ingress partitions add up to 101%", "egress partition: -0.01%",
		"ingress dedicated buffer: 9584641B", "egress dedicated buffer: -1B"} {
		require.ErrorContains(t, err, want)
	}
	_, err = b.Config(208, 0)
	require.Error(t, err)
	_, err = behaviour.QFX3500().Config(0, 0)
	require.Error(t, err)
}

// Juniper's text on DCQCN: with the default shared buffer a WRED fill level of 10 % marks lossless packets; with two
// ingress ports to one egress port and 50 %, nothing is ever marked, because PFC comes first. The second holds for any
// alpha, the first from alpha 1 on.
func TestJunosFillLevels(t *testing.T) {
	const cell = 208
	b := behaviour.QFX3500()
	c := ecn.Check{Cell: cell, Feeding: 2}
	c.Pool = b.Partition(b.Ingress(), b.Lossless, cell)
	limit := cells.Size(cell).Bytes(b.Partition(b.Egress(), b.EgressLossless, cell))
	for alpha := thresholds.MinAlpha; alpha <= thresholds.MaxAlpha; alpha++ {
		c.Alpha = alpha
		c.KMin = ecn.FillLevel(limit, 10*unit.OnePercent)
		require.Equal(t, alpha >= 0, c.MarksFirst(2), "10 %%, alpha %v", alpha)
		c.KMin = ecn.FillLevel(limit, 50*unit.OnePercent)
		require.False(t, c.MarksFirst(2), "50 %%, alpha %v", alpha)
	}
}
