package buffer_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// egressIntent is one port with a lossless class on a chip of two slices.
func egressIntent(size unit.Bytes) buffer.Intent {
	return buffer.Intent{
		Chip: buffer.Chip{Name: "small", Cell: 100, Groups: 8, MinAlpha: -7, MaxAlpha: 3, EgressPools: 2,
			Slices: []buffer.Slice{{Cells: 10000}, {Cells: 10000}}},
		Sizing:      thresholds.IEEE{},
		EgressPools: []buffer.EgressPool{{Name: "lossless", Size: size}},
		Classes: []buffer.Class{
			{Name: "rdma", Priorities: []int{3}, Lossless: true, Reserved: unit.Given(unit.Bytes(1000)), QueueReserved: 500,
				Egress: buffer.Egress{Pool: "lossless"}},
			{Name: "rest", Priorities: []int{0}, Reserved: unit.Given(unit.Bytes(300))},
		},
		Ports: []buffer.Port{{Name: "e1", Rate: 100 * unit.Gbps, Cable: 5 * unit.Metre, MTU: 9216, Reserved: 700}},
	}
}

func TestEgressAgainstIngress(t *testing.T) {
	// All 10,000 cells of a slice but the 5 of the queue and the 3 of the other class can be packets of the lossless one.
	for _, c := range []struct {
		size   unit.Bytes
		change func(*buffer.Egress)
		takes  int64
	}{
		{2_000_000, nil, 10_000 + 5},
		{1_998_400, nil, 9_992 + 5},
		{1_000_000, nil, 5_000 + 5},
		{2_000_000, func(e *buffer.Egress) { e.Limit = 400_000 }, 2_000 + 5},
		{2_000_000, func(e *buffer.Egress) { e.Alpha = new(thresholds.Alpha(0)) }, 5_000 + 5},
		{2_000_000, func(e *buffer.Egress) { e.Alpha = new(thresholds.Alpha(3)) }, 8_888 + 5},
		{2_000_000, func(e *buffer.Egress) { e.Alpha = new(thresholds.Alpha(-1)) }, 3_333 + 5},
	} {
		in := egressIntent(c.size)
		if c.change != nil {
			c.change(&in.Classes[0].Egress)
		}
		p, err := buffer.New(in)
		require.NoError(t, err)
		require.True(t, p.Fits)
		require.Len(t, p.Egress, 2)
		for s, r := range p.Egress {
			require.Equal(t, s, r.Slice)
			require.EqualValues(t, 9_992, r.Ingress)
			require.EqualValues(t, c.takes, r.Egress)
			require.EqualValues(t, max(0, 9_992-c.takes), r.Short())
		}
		short := c.takes < 9_992
		require.Equal(t, short, len(p.ShortEgress()) == 1)
		warned := false
		for _, w := range p.Warnings {
			warned = warned || w == "class rdma: lossless packets can be dropped at the egress: a queue takes at most "+
				fmt.Sprint(c.takes)+" cells of slice 0 in egress pool lossless, and the ingress can hold 9992"
		}
		require.Equal(t, short, warned, p.Warnings)
	}
	in := egressIntent(1_000_000)
	in.Classes[0].Egress.Pool = ""
	p, err := buffer.New(in)
	require.NoError(t, err)
	require.Empty(t, p.Egress, "not stated")
}

func TestEgressRefused(t *testing.T) {
	for want, change := range map[string]func(*buffer.Intent){
		"egress_pools[0].size: 3000000B: want 200B (a cell in each slice) to 2000000B (the chip's memory)": func(
			in *buffer.Intent) {
			in.EgressPools[0].Size = 3_000_000
		},
		"egress_pools[0].size: 1B: want": func(in *buffer.Intent) { in.EgressPools[0].Size = 1 },
		"egress_pools: 3: want at most 2: small has no more": func(in *buffer.Intent) {
			in.EgressPools = append(in.EgressPools, buffer.EgressPool{Name: "a", Size: 1000},
				buffer.EgressPool{Name: "b", Size: 1000})
		},
		"egress_pools[1].name": func(in *buffer.Intent) {
			in.EgressPools = append(in.EgressPools, in.EgressPools[0])
		},
		`classes[0].egress_pool: "x": want the name of one of the egress pools`: func(in *buffer.Intent) {
			in.Classes[0].Egress.Pool = "x"
		},
		"classes[1].egress_pool: none": func(in *buffer.Intent) { in.Classes[1].Egress.Limit = 1000 },
		"classes[0].queue_limit: 100B: want no queue_alpha beside it": func(in *buffer.Intent) {
			in.Classes[0].Egress.Limit, in.Classes[0].Egress.Alpha = 100, new(thresholds.Alpha)
		},
		"classes[0].queue_alpha: 16": func(in *buffer.Intent) { in.Classes[0].Egress.Alpha = new(thresholds.Alpha(4)) },
	} {
		in := egressIntent(1_000_000)
		change(&in)
		_, err := buffer.New(in)
		require.ErrorIs(t, err, buffer.ErrInvalid)
		require.ErrorContains(t, err, want)
	}
}

// A pool whose size the switch computes is named, and nothing is compared with it.
func TestEgressPoolOfUnknownSize(t *testing.T) {
	in := egressIntent(1_000_000)
	in.EgressPools[0].Size = 0
	p, err := buffer.New(in)
	require.NoError(t, err)
	require.Empty(t, p.Egress)
	what, _ := in.NotWritten()
	require.Contains(t, what, in.EgressPools[0].Name+" of unknown size")
	require.Equal(t, in.EgressPools, saved(t, in).EgressPools)
}
