package golden_test

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/backend/sim"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/golden"
	"github.com/cellwarden/cellwarden/thresholds/ecn"
	"github.com/cellwarden/cellwarden/thresholds/table"
	"github.com/cellwarden/cellwarden/unit"
)

// small is a valid intent of one port that fits: one slice of 100 cells of 208
// bytes, one lossless class whose table gives it 10 cells of headroom.
func small() buffer.Intent {
	table := &table.Table{Name: "small.ini",
		Rows: []table.Row{{Rate: 10 * unit.Gbps, XOFF: 2080, XONOffset: unit.Given[unit.Bytes](208), Line: 1}}}
	return buffer.Intent{
		Chip: buffer.Chip{Name: "small", Cell: 208, Groups: 8, MinAlpha: -7, MaxAlpha: 3,
			Slices: []buffer.Slice{{Cells: 100}}},
		Sizing:  table,
		Classes: []buffer.Class{{Name: "rdma", Priorities: []int{3}, Lossless: true}},
		Ports:   []buffer.Port{{Name: "Ethernet1", Rate: 10 * unit.Gbps, MTU: 9216}},
	}
}

// requireTaken requires that an intent is either refused as invalid, or that a device takes the whole plan.
func requireTaken(t *testing.T, in buffer.Intent) {
	t.Helper()
	plan, err := buffer.New(in)
	if err != nil {
		require.ErrorIs(t, err, buffer.ErrInvalid)
		return
	}
	if !plan.Fits {
		return
	}
	device, err := sim.New(in.Chip, sim.Ports(in)...)
	require.NoError(t, err)
	for _, phase := range buffer.Phases(buffer.Diff(nil, plan.Layout())) {
		require.NoError(t, device.Apply(context.Background(), phase), "the plan fits, the device refuses it")
	}
}

func TestDeviceTakesTheSmallPlan(t *testing.T) {
	require.True(t, golden.Admit(small()).Fits())
	requireTaken(t, small())
}

// A threshold above the chip's memory costs no cells.
func TestDeviceAcceptsThresholdsAboveTheChip(t *testing.T) {
	t.Run("xon offset", func(t *testing.T) {
		in := small()
		in.Classes[0].XONOffset = unit.Given[unit.Bytes](101 * 208)
		requireTaken(t, in)
	})
	t.Run("xon offset of two MTU", func(t *testing.T) {
		in := small()
		in.Sizing.(*table.Table).Rows[0].XONOffset = unit.Optional[unit.Bytes]{}
		in.Chip.Slices[0].Cells = 50
		requireTaken(t, in)
	})
	t.Run("ecn", func(t *testing.T) {
		in := small()
		in.Classes[0].ECN = ecn.Thresholds{KMin: 208, KMax: 100 * 208, PMax: unit.OnePercent}
		requireTaken(t, in)
	})
}

// A chip with four groups has no group 6 for a lossy class either.
func TestLossyClassOfAGroupThatTheChipHasNot(t *testing.T) {
	in := small()
	in.Chip.Groups = 4
	in.Classes = append(in.Classes, buffer.Class{Name: "bulk", Priorities: []int{6, 7}})
	requireTaken(t, in)
}

// A marking probability is checked even where the thresholds are 0.
func TestMarkingProbabilityWithoutThresholds(t *testing.T) {
	for _, p := range []unit.Percent{-1, unit.Whole + 1} {
		in := small()
		in.Classes[0].ECN.PMax = p
		requireTaken(t, in)
	}
}

// A caller may change the intent afterwards: the plan does not change.
func TestPlanDoesNotChangeWithTheIntent(t *testing.T) {
	in := small()
	in.Classes[0].ECN = ecn.Thresholds{KMin: 208, KMax: 416, PMax: unit.OnePercent}
	plan, err := buffer.New(in)
	require.NoError(t, err)
	before, text := slices.Clone(plan.Layout()), jsonOf(t, plan)
	in.Ports[0].Name = "Ethernet2"
	in.Classes[0].ECN.KMax = 832
	in.Classes[0].Priorities[0] = 4
	in.Chip.Slices[0].Cells = 1
	require.Equal(t, before, plan.Layout())
	require.Equal(t, text, jsonOf(t, plan))
}

// An admission does not change when the caller changes the intent later.
func TestAdmissionDoesNotChangeWithTheIntent(t *testing.T) {
	in := small()
	a := admission(t, in, "small")
	before := jsonOf(t, a.Plan())
	in.Ports[0].Name = "Ethernet2"
	require.Equal(t, before, jsonOf(t, a.Plan()))
}

// WhatIf returns an error for a port that is not valid.
func TestWhatIfRefusesAMalformedPort(t *testing.T) {
	for name, spoil := range map[string]func(*buffer.Port){
		"pipe":        func(p *buffer.Port) { p.Pipe = new(1) },
		"no pipe":     func(p *buffer.Port) { p.Pipe = new(-1) },
		"no MTU":      func(p *buffer.Port) { p.MTU = 0 },
		"MTU of 1 TB": func(p *buffer.Port) { p.MTU = 1 << 40 },
	} {
		t.Run(name, func(t *testing.T) {
			a := admission(t, small(), name)
			bad := small().Ports[0]
			spoil(&bad)
			require.NotPanics(t, func() {
				_, err := a.WhatIf(0, bad)
				require.Error(t, err)
			})
		})
	}
}

// A smaller pool is the remedy for a pool that is one cell too large. A pool
// that is too small for what it includes would not fit either.
func TestSmallerPoolIsFoundBetweenTooSmallAndTooLarge(t *testing.T) {
	t.Run("headroom", func(t *testing.T) {
		in := small()
		in.Pool = buffer.Pool{Size: 101 * 208, SharedHeadroom: 90 * 208, SizeIncludesHeadroom: true}
		requireOffered(t, in, "pool.size", "20800B")
	})
	t.Run("reserved", func(t *testing.T) {
		in := small()
		in.Pool = buffer.Pool{Size: 101 * 208, SizeIncludesReserved: true}
		in.Sizing.(*table.Table).Rows[0].XOFF = 0
		in.Classes[0].Reserved = unit.Given[unit.Bytes](80 * 208)
		requireOffered(t, in, "pool.size", "20800B")
	})
}

// A shared headroom pool that is smaller than one group's headroom has to grow.
func TestLargerSharedHeadroomIsOffered(t *testing.T) {
	in := small()
	in.Pool.SharedHeadroom = 9 * 208
	requireOffered(t, in, "pool.shared_headroom", "2080B")
}

// requireOffered requires that a refused intent is offered this remedy.
func requireOffered(t *testing.T, in buffer.Intent, change, to string) {
	t.Helper()
	require.False(t, golden.Admit(in).Fits())
	enough, _ := remade[change](t, in, to)
	require.True(t, golden.Admit(enough).Fits())
	plan, err := buffer.New(in)
	require.NoError(t, err)
	i := slices.IndexFunc(plan.Refusals[0].Remedies, func(r buffer.Remedy) bool { return r.Change == change })
	require.GreaterOrEqual(t, i, 0, "%s %s makes it fit; offered: %+v", change, to, plan.Refusals[0].Remedies)
	require.Equal(t, to, plan.Refusals[0].Remedies[i].To)
}
