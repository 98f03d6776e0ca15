package buffer_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/thresholds/ecn"
	"github.com/cellwarden/cellwarden/unit"
)

// marking is an intent of Tomahawk whose lossless class marks from kmin on.
func marking(t *testing.T, kmin unit.Bytes) buffer.Intent {
	in := withPorts(t, "tomahawk", 8, 100*unit.Gbps)
	in.Classes = []buffer.Class{{Name: "rdma", Priorities: []int{3}, Lossless: true,
		Reserved: unit.Given[unit.Bytes](1248),
		Alpha:    new(thresholds.Alpha(0)), ECN: ecn.Thresholds{KMin: kmin, KMax: 4 * unit.MiB, PMax: unit.OnePercent}}}
	return in
}

// A plan compares marking with pausing where all its lossless groups are congested.
func TestPlanChecksECNBeforePFC(t *testing.T) {
	p, err := buffer.New(marking(t, 1*unit.MiB))
	require.NoError(t, err)
	require.True(t, p.Fits)
	m := p.MarksFirst()[0]
	require.Equal(t, 4, m.Groups, "the groups of two pipes are in each slice")
	require.False(t, m.First)
	require.Equal(t, m.KMin, m.Pause, "both are less than the fraction of a byte at which it pauses")
	require.Contains(t, p.Warnings, m.String())
	require.Contains(t, m.String(), "class rdma: ECN does not come before PFC: with all 4 lossless groups of slice 0 "+
		"congested")

	for kmin, first := range map[unit.Bytes]bool{m.KMin - 207: true, m.KMin + 208: false} {
		p, err = buffer.New(marking(t, kmin))
		require.NoError(t, err)
		require.Equal(t, first, p.MarksFirst()[0].First, kmin)
		require.Equal(t, !first, p.MarksFirst()[0].String() != "", kmin)
	}

	in := marking(t, 200000)
	in.Classes[0].Alpha, in.Classes[0].StaticLimit = nil, 4*100*208
	p, err = buffer.New(in)
	require.NoError(t, err)
	require.Equal(t, unit.Bytes(106*208), p.MarksFirst()[0].Pause)
	require.False(t, p.MarksFirst()[0].First)

	in = marking(t, 200000)
	in.Classes[0].Lossless = false
	p, err = buffer.New(in)
	require.NoError(t, err)
	require.Empty(t, p.MarksFirst(), "a lossy class does not pause")
}

// Thresholds above the pool were granted.
func TestMarkingAboveThePoolIsRefused(t *testing.T) {
	in := marking(t, 900*unit.MiB)
	in.Classes[0].ECN.KMax = 901 * unit.MiB
	err := in.Validate()
	require.ErrorContains(t, err, "classes[0].ecn.kmin: 943718400B: want at most 16777280B (the chip's memory): a "+
		"queue is never deeper")
	require.ErrorContains(t, err, "classes[0].ecn.kmax: 944766976B")
	in = marking(t, 200000)
	in.Pool.Size = 2 * unit.MiB
	require.ErrorContains(t, in.Validate(), "classes[0].ecn.kmax: 4194304B: want at most 2097152B (the pool's size)")
}
