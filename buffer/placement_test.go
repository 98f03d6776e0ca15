package buffer_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/asic"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// uplinks is a Tomahawk with so many ports of 300 m and of 5 m, the far ones first.
func uplinks(t *testing.T, far, near int) buffer.Intent {
	t.Helper()
	chip, err := asic.Load("tomahawk")
	chip.Bandwidth = 0 // more ports than it carries, to see them refused
	require.NoError(t, err)
	in := buffer.Intent{Chip: chip, Sizing: asTheTexts,
		Classes: []buffer.Class{{Name: "rdma", Priorities: []int{3}, Lossless: true, Reserved: unit.Given(unit.Bytes(1248)),
			MTU: 4096}}}
	for i := range far + near {
		cable := 300 * unit.Metre
		if i >= far {
			cable = 5 * unit.Metre
		}
		in.Ports = append(in.Ports, buffer.Port{Name: fmt.Sprintf("Ethernet%d", i+1), Rate: 100 * unit.Gbps,
			Cable: cable, MTU: 9216})
	}
	return in
}

// Which ports fit depends on their pipes: a plan that assumes the pipes says what fits in other placements.
func TestPlacements(t *testing.T) {
	plan, err := buffer.New(uplinks(t, 14, 14))
	require.NoError(t, err)
	require.True(t, plan.Fits)
	require.True(t, plan.Assumed())
	require.Equal(t, buffer.Placement{Name: buffer.InTurn, Fits: 28, Of: 28}, plan.Placements[0])
	require.Equal(t, 28, plan.BestPlacement().Fits)
	require.Less(t, plan.WorstPlacement().Fits, 28)
	require.Len(t, plan.Ports, 28)
	for i, p := range plan.Ports {
		require.Equal(t, buffer.Placed{Port: fmt.Sprintf("Ethernet%d", i+1), Pipe: i % 4}, p)
	}

	// A given pipe stays, and a plan in which all are given assumes nothing.
	in := uplinks(t, 14, 14)
	in.Ports[3].Pipe = new(1)
	plan, err = buffer.New(in)
	require.NoError(t, err)
	require.Equal(t, buffer.Placed{Port: "Ethernet4", Pipe: 1, Given: true}, plan.Ports[3])
	for i := range in.Ports {
		in.Ports[i].Pipe = new(i / 7)
	}
	plan, err = buffer.New(in)
	require.NoError(t, err)
	require.False(t, plan.Assumed())
	require.Len(t, plan.Ports, 28)

	// With one pipe there is nothing to place.
	in = dedicated(2, unit.Metre)
	in.Chip.Slices, in.Chip.Pipes, in.Chip.EgressPipes = in.Chip.Slices[:1], nil, nil
	plan, err = buffer.New(in)
	require.NoError(t, err)
	require.Empty(t, plan.Ports)
	require.False(t, plan.Assumed())
}

// The ports that a refusal keeps are planned again, exactly these, where they
// are: they fit. One more of the others does not.
func TestPortsThatAreKeptFit(t *testing.T) {
	for _, c := range [][2]int{{30, 10}, {10, 50}, {25, 3}, {40, 24}} {
		in := uplinks(t, c[0], c[1])
		in.Ports[5].Cable = 3 * unit.Kilometre
		plan, err := buffer.New(in)
		require.NoError(t, err)
		require.False(t, plan.Fits)
		ways := plan.Refusals[0].Remedies
		require.Equal(t, "ports", ways[0].Change)
		require.Len(t, ways[0].Keep, plan.Placements[0].Fits)
		kept := in
		kept.Ports = nil
		for i, p := range in.Ports {
			for _, name := range ways[0].Keep {
				if p.Name == name {
					p.Pipe = new(in.PipeOf(i))
					kept.Ports = append(kept.Ports, p)
				}
			}
		}
		again, err := buffer.New(kept)
		require.NoError(t, err)
		require.True(t, again.Fits)
	}
}

// Headroom below what the worst case of a link needs is no remedy, nor is a pool that leaves nothing to share.
func TestNoRemedyThatLosesPackets(t *testing.T) {
	for _, n := range []int{40, 50, 64} {
		in := uplinks(t, n, 0)
		in.Sizing = thresholds.IEEE{} // nothing beyond the worst case
		plan, err := buffer.New(in)
		require.NoError(t, err)
		for _, r := range plan.Refusals[0].Remedies {
			require.NotEqual(t, "headroom", r.Change, r.Text)
			require.NotContains(t, r.Text, "nothing left to share")
			if r.Change == "pool.shared_headroom" {
				in := in
				in.Pool.SharedHeadroom, err = unit.ParseBytes(r.To)
				require.NoError(t, err)
				plan, err := buffer.New(in)
				require.NoError(t, err)
				require.True(t, plan.Fits)
				for _, s := range plan.Slices {
					require.GreaterOrEqual(t, s.Shared, 2*in.Chip.Cell.Packet(9216, in.Chip.Overhead))
				}
			}
		}
	}
}

// leaf64 is a Tomahawk 4 with 64 ports of 400G, which is all that it carries, and two lossless priorities: 48 ports
// with 100 m of cable, and 16 uplinks with 500 m, which stand last or first. Its memory is two slices of 231,446 cells,
// of which each pipe feeds one (OpenBCM and SDKLT; see package asic).
func leaf64(t *testing.T, uplinksFirst bool) buffer.Intent {
	t.Helper()
	chip, err := asic.Load("tomahawk4")
	require.NoError(t, err)
	in := buffer.Intent{Chip: chip, Sizing: asTheTexts,
		Classes: []buffer.Class{{Name: "rdma", Priorities: []int{3, 4}, Lossless: true, Alpha: new(thresholds.Alpha)}}}
	for i := range 64 {
		cable := 100 * unit.Metre
		if uplinksFirst && i < 16 || !uplinksFirst && i >= 48 {
			cable = 500 * unit.Metre
		}
		in.Ports = append(in.Ports, buffer.Port{Name: fmt.Sprintf("Ethernet%d", i+1), Rate: 400 * unit.Gbps, Cable: cable,
			MTU: 9216})
	}
	return in
}

// How many of the same 64 ports fit depends on where they are: 54 in turn, 52 in blocks of four, and 46 in turn if the
// uplinks stand first.
func TestPlacementsOf64Ports(t *testing.T) {
	fits := func(in buffer.Intent) map[string]int {
		plan, err := buffer.New(in)
		require.NoError(t, err)
		require.EqualValues(t, 231_446, in.Chip.Slices[0].Cells)
		out := map[string]int{}
		for _, p := range plan.Placements {
			out[p.Name] = p.Fits
		}
		return out
	}
	last := fits(leaf64(t, false))
	require.Equal(t, 54, last[buffer.InTurn])
	require.Equal(t, 52, last["in blocks of four"])
	require.Equal(t, 46, fits(leaf64(t, true))[buffer.InTurn])
}

// A plan that fits with its ports in turn, and not with the uplinks first on their pipes, fits as placed only.
func TestPlanThatFitsInTurnAlone(t *testing.T) {
	in := leaf64(t, false)
	in.Ports = append(in.Ports[:24:24], in.Ports[48:]...) // 24 near ports and 16 uplinks
	plan, err := buffer.New(in)
	require.NoError(t, err)
	require.True(t, plan.Fits, plan.Placements)
	require.Equal(t, buffer.Placement{Name: "in blocks of four", Fits: 36, Of: 40}, plan.WorstPlacement(), plan.Placements)
}
