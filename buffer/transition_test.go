package buffer_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/thresholds/ecn"
	"github.com/cellwarden/cellwarden/unit"
)

// The steps by which a switch gets a longer cable on one port and another port stops being used.
func ExamplePhases() {
	in := dedicated(3, 300*unit.Metre)
	in.Classes = in.Classes[:1]
	in.Classes[0].Priorities, in.Classes[0].ECN = []int{3}, ecn.Thresholds{}
	have, err := buffer.New(in)
	if err != nil {
		fmt.Println(err)
		return
	}
	in.Ports[0].Cable = 2 * unit.Kilometre
	in.Ports = in.Ports[:2]
	want, err := buffer.New(in)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, phase := range buffer.Phases(buffer.Diff(have.Layout(), want.Layout())) {
		fmt.Println(phase[0].Phase())
		for _, s := range phase {
			fmt.Printf("  %v (disrupts: %v)\n", s, s.Disruption())
			if p := s.Precondition(); p != "" {
				fmt.Println("    first:", p)
			}
		}
	}
	// Output:
	// quiesce
	//   Ethernet1/3 group 3 lossless yes -> no (disrupts: port)
	//     first: no lossless traffic comes in: from here on it may be dropped
	// shrink
	//   Ethernet1/3 group 3 headroom 1670 cells -> 0 cells (disrupts: none)
	//     first: at most 0 cells in use, or the step waits until they are
	//   Ethernet1/3 group 3 reserved 6 cells -> 0 cells (disrupts: none)
	//     first: at most 0 cells in use, or the step waits until they are
	//   slice 0 shared pool 18489 cells -> 15168 cells (disrupts: switch)
	//     first: at most 15168 cells in use, or the step waits until they are
	//   slice 1 shared pool 18489 cells -> 15168 cells (disrupts: switch)
	//     first: at most 15168 cells in use, or the step waits until they are
	// move
	//   Ethernet1/3 group 3 alpha 2^0 -> unset (disrupts: none)
	//   Ethernet1/3 group 3 xon offset 40 cells -> 0 cells (disrupts: none)
	// grow
	//   slice 2 shared pool 16813 cells -> 18489 cells (disrupts: switch)
	//     first: 1676 cells free: earlier phases have given them back
	//   slice 3 shared pool 16813 cells -> 18489 cells (disrupts: switch)
	//     first: 1676 cells free: earlier phases have given them back
	//   Ethernet1/1 group 3 headroom 1670 cells -> 4991 cells (disrupts: none)
	//     first: 3321 cells free: earlier phases have given them back
}

func layout(settings ...buffer.Setting) buffer.Layout { return buffer.NewLayout(settings) }

func setting(k buffer.Kind, port string, index int, v int64) buffer.Setting {
	return buffer.Setting{Register: buffer.Register{Kind: k, Port: port, Index: index}, Value: v}
}

// oneSlice has 1000 cells and one pipe.
func oneSlice() buffer.Chip {
	return buffer.Chip{Name: "one", Cell: 256, Groups: 8, MinAlpha: -7, MaxAlpha: 3, Slices: []buffer.Slice{{Cells: 1000}}}
}

// pooled is a layout with a headroom pool and one group.
func pooled(shared, pool, reserved, headroom int64) buffer.Layout {
	return layout(setting(buffer.PoolShared, "", 0, shared), setting(buffer.PoolHeadroom, "", 0, pool),
		setting(buffer.GroupReserved, "e1", 3, reserved), setting(buffer.GroupHeadroom, "e1", 3, headroom))
}

func kindsOf(steps []buffer.Step) []buffer.Kind {
	var out []buffer.Kind
	for _, s := range steps {
		out = append(out, s.Kind)
	}
	return out
}

// What is lower comes first: FBOSS's order of headroom and shared, SONiC's of
// xoff and size, and a headroom pool that comes or goes.
func TestOrderOfHeadroomAndShared(t *testing.T) {
	for name, c := range map[string]struct {
		have, want buffer.Layout
		order      []buffer.Kind
	}{
		"headroom lower, shared higher": {pooled(500, 400, 10, 300), pooled(600, 300, 10, 300),
			[]buffer.Kind{buffer.PoolHeadroom, buffer.PoolShared}},
		"headroom higher, shared lower": {pooled(600, 300, 10, 300), pooled(500, 400, 10, 300),
			[]buffer.Kind{buffer.PoolShared, buffer.PoolHeadroom}},
		"both lower": {pooled(500, 400, 10, 300), pooled(400, 300, 10, 300),
			[]buffer.Kind{buffer.PoolHeadroom, buffer.PoolShared}},
		"both higher": {pooled(400, 300, 10, 300), pooled(500, 400, 10, 300),
			[]buffer.Kind{buffer.PoolShared, buffer.PoolHeadroom}},
		"xoff before size": {pooled(400, 300, 20, 300), pooled(400, 300, 10, 200),
			[]buffer.Kind{buffer.GroupHeadroom, buffer.GroupReserved}},
		"group before its pool": {pooled(400, 300, 10, 300), pooled(400, 200, 10, 200),
			[]buffer.Kind{buffer.GroupHeadroom, buffer.PoolHeadroom}},
		"pool before its group": {pooled(400, 200, 10, 200), pooled(400, 300, 10, 300),
			[]buffer.Kind{buffer.PoolHeadroom, buffer.GroupHeadroom}},
		"a pool comes": {pooled(100, 0, 0, 800), pooled(190, 800, 10, 800),
			[]buffer.Kind{buffer.PoolHeadroom, buffer.PoolShared, buffer.GroupReserved}},
		"a pool goes": {pooled(190, 800, 10, 800), pooled(100, 0, 0, 800),
			[]buffer.Kind{buffer.GroupReserved, buffer.PoolShared, buffer.PoolHeadroom}},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, c.order, kindsOf(buffer.Diff(c.have, c.want)))
			require.NoError(t, buffer.CheckTransition(oneSlice(), map[string]int{"e1": 0}, c.have, c.want))
		})
	}
}

func TestCheckTransitionRefuses(t *testing.T) {
	pipes := map[string]int{"e1": 0}
	ok := pooled(400, 300, 10, 300)
	for text, c := range map[string][2]buffer.Layout{
		"the layout to begin with over-commits slice 0: 1010 cells of 1000": {
			pooled(600, 400, 10, 0), ok},
		"after slice 0 headroom pool 300 cells -> 600 cells (grow): over-commits slice 0: 1010 cells of 1000": {
			ok, pooled(400, 600, 10, 300)},
		"over-commits the headroom pool of slice 0: e1 group 3 headroom 301 cells of 300 cells": {
			ok, pooled(400, 300, 10, 301)},
		"invalid input: e2 group 3 reserved: which pipe the port is on is not known": {
			ok, layout(setting(buffer.GroupReserved, "e2", 3, 1))},
		"invalid input: slice 7 shared pool: one has slices 0 to 0": {
			ok, layout(setting(buffer.PoolShared, "", 7, 1))},
		"after e1 group 3 reserved 0 cells -> 10 cells (grow): over-commits slice 0: 1001 cells of 1000": {
			nil, layout(setting(buffer.GroupReserved, "e1", 3, 10), setting(buffer.QueueReserved, "e1", 3, 991))},
	} {
		require.ErrorContains(t, buffer.CheckTransition(oneSlice(), pipes, c[0], c[1]), text)
	}
	require.ErrorIs(t, buffer.CheckTransition(buffer.Chip{}, pipes, ok, ok), buffer.ErrInvalid)
}

func TestPhaseOfEveryKind(t *testing.T) {
	for _, k := range buffer.Kinds() {
		up := buffer.Step{Register: buffer.Register{Kind: k}, From: 0, To: 1}
		down := up.Inverse()
		require.Equal(t, buffer.Quiesce+buffer.Resume, up.Phase()+down.Phase(), "%v: the inverse is the mirror", k)
		require.Equal(t, up.Disruption(), down.Disruption())
		require.Equal(t, up.Phase() == buffer.Move, up.Precondition() == "")
	}
	require.Equal(t, "reboot", buffer.DisruptsReboot.String())
}

// The cells that the layout of a plan takes are those of its bill.
func TestCellsOfALayout(t *testing.T) {
	pooled := dedicated(3, 300*unit.Metre)
	pooled.Pool.SharedHeadroom = 4194112
	for _, in := range []buffer.Intent{dedicated(3, 300*unit.Metre), pooled} {
		plan, err := buffer.New(in)
		require.NoError(t, err)
		require.NoError(t, plan.Err())
		takes, err := plan.Layout().Cells(in.Chip, in.Pipes())
		require.NoError(t, err)
		require.Len(t, takes, len(plan.Slices))
		for i, s := range plan.Slices {
			require.Equal(t, s.Reserved+s.Headroom+s.Shared, takes[i], "slice %d", i)
			require.LessOrEqual(t, takes[i], in.Chip.Slices[i].Cells-in.Chip.Slices[i].Taken())
		}
		_, err = plan.Layout().Cells(in.Chip, nil)
		require.ErrorIs(t, err, buffer.ErrInvalid, "it is not known where the ports are")
	}
}
