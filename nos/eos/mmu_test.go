package eos_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/readertest"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/nos/eos"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// pooled is an intent with a shared headroom pool, two lossless groups with minima and alphas, and a lossy class.
func pooled(slices int) buffer.Intent {
	eighth, half := thresholds.Alpha(-3), thresholds.Alpha(-1)
	in := buffer.Intent{
		Chip:   buffer.Chip{Name: "small", Cell: 208, Groups: 8, MinAlpha: -8, MaxAlpha: 7},
		Pool:   buffer.Pool{SharedHeadroom: 208 * 4000},
		Sizing: thresholds.IEEE{},
		Classes: []buffer.Class{
			{Name: "rdma", Priorities: []int{3}, Lossless: true, Alpha: &eighth, Reserved: unit.Given[unit.Bytes](2080),
				XONOffset: unit.Given[unit.Bytes](2288)},
			{Name: "storage", Priorities: []int{4}, Lossless: true, Alpha: &half, Reserved: unit.Given[unit.Bytes](208),
				XONOffset: unit.Given[unit.Bytes](2288)},
			{Name: "rest", Priorities: []int{0}, Alpha: &half}},
	}
	for range slices {
		in.Chip.Slices = append(in.Chip.Slices, buffer.Slice{Cells: cells.Count(60000)})
	}
	for n := range 4 {
		in.Ports = append(in.Ports, buffer.Port{Name: fmt.Sprintf("Ethernet%d/1", n+1), Rate: 100 * unit.Gbps,
			Cable: 40 * unit.Metre, MTU: 9216})
	}
	return in
}

// file renders a plan and returns a part of it.
func file(t *testing.T, in buffer.Intent, name string) (text string, plan nos.Plan, r *nos.Rendering) {
	t.Helper()
	return fileOf(t, &eos.System, in, name)
}

// fileOf renders a plan in a dialect and returns a part of it.
func fileOf(t *testing.T, of *nos.System, in buffer.Intent, name string) (text string, plan nos.Plan, r *nos.Rendering) {
	t.Helper()
	admitted, err := buffer.New(in)
	require.NoError(t, err)
	require.NoError(t, admitted.Err())
	plan = nos.Plan{Intent: in, Layout: admitted.Layout()}
	r = of.Render(plan)
	for _, f := range r.Files {
		if f.Name == name {
			text = string(f.Content)
		}
	}
	return text, plan, r
}

// The commands are those of AVD, and audit reads from them what the plan has: the limit of the headroom pool, and of
// each group its headroom, minimum, alpha and XON offset.
func TestMemoryComesBackEqual(t *testing.T) {
	commands, plan, rendered := file(t, pooled(1), "mmu.cli")
	groups := plan.Ports()[0].Groups
	require.Equal(t, fmt.Sprintf(`platform trident mmu headroom-pool limit bytes 832000
platform trident mmu queue profile cellwarden
   ingress headroom bytes %d
   ingress resume 2288
   ingress priority-group 0 threshold 1/2
   ingress priority-group 3 reserved bytes 2080
   ingress priority-group 3 threshold 1/8
   ingress priority-group 4 reserved bytes 208
   ingress priority-group 4 threshold 1/2
platform trident mmu queue profile cellwarden apply
`, int64(groups[3].Headroom)), commands)
	require.NotContains(t, strings.Join(rendered.Notes, "\n"), "slices")
	enable, _, _ := file(t, pooled(1), "pfc.cli")
	r := readertest.Run(t, eos.System.Read, commands+enable, "")
	require.Empty(t, r.Findings)
	require.Zero(t, r.What().Statements.Unread)
	_, limit := plan.Pools()
	require.Equal(t, limit, r.Switch.Pools[0].XOFF.Bytes())
	for i, want := range plan.Ports() {
		got := r.Switch.Ports[i]
		require.Equal(t, want.Name, got.Name)
		require.Equal(t, want.Lossless(), got.LosslessGroups())
		for _, n := range want.Lossless() {
			g, p := want.Groups[n], got.Groups[n].Profile
			require.Equal(t, []int64{int64(g.Headroom), int64(g.Reserved), int64(g.Limit.Alpha()), int64(g.XONOffset)},
				[]int64{p.XOFF.Value, p.Size.Value, p.DynamicTh.Value, p.XONOffset.Value}, "group %d of %s", n, want.Name)
			require.Equal(t, r.Switch.Pools[0], p.Pool)
		}
	}
}

// What a queue profile cannot say is not written, and named: a headroom for each port, alphas that EOS does not have,
// minima that differ by port. No limit is made up: without a pool in the plan it is the headroom of all groups.
func TestMemoryThatAProfileCannotSay(t *testing.T) {
	in := pooled(2)
	least := thresholds.Alpha(-8)
	in.Ports[0].Cable, in.Pool.SharedHeadroom, in.Classes[0].Alpha = 300*unit.Metre, 0, &least
	text, plan, r := file(t, in, "mmu.cli")
	sum, largest := unit.Bytes(0), unit.Bytes(0)
	for _, p := range plan.Ports() {
		for _, n := range p.Lossless() {
			sum, largest = sum+p.Groups[n].Headroom, max(largest, p.Groups[n].Headroom)
		}
	}
	require.Contains(t, text, fmt.Sprintf("headroom-pool limit bytes %d\n", int64(sum)))
	require.Contains(t, text, fmt.Sprintf("ingress headroom bytes %d\n", int64(largest)))
	require.NotContains(t, text, "priority-group 3 threshold")
	why := fmt.Sprint(r.Omitted)
	require.Contains(t, why, "group 3 has alpha 1/256, and threshold is 1/128 to 8")
	notes := strings.Join(r.Notes, "\n")
	require.Contains(t, notes, "ingress headroom is one size for all groups of all ports")
	require.Contains(t, notes, "the plan shares no headroom")
	require.Contains(t, notes, "the whole chip, which has 2 slices")
	require.False(t, r.Lossless())

	in = pooled(1)
	for i := range in.Classes {
		in.Classes[i].Lossless, in.Classes[i].XONOffset = false, unit.Optional[unit.Bytes]{}
	}
	in.Pool = buffer.Pool{}
	text, _, _ = file(t, in, "mmu.cli")
	require.Empty(t, text, "no group is lossless")
}

// audit compares the headroom of a group with the limit of the pool, in bytes and in cells.
func TestHeadroomPoolIsRead(t *testing.T) {
	pool := "platform trident mmu headroom-pool limit %s\n!\nplatform trident mmu queue profile roce\n"
	edit := func(limit string) []string {
		return []string{"platform trident mmu queue profile roce\n", fmt.Sprintf(pool, limit)}
	}
	r := readertest.Run(t, eos.System.Read, leaf, "300m", edit("cells 24000")...)
	require.Empty(t, r.Findings)
	require.Zero(t, r.What().Statements.Unread)
	require.EqualValues(t, 24000*208, r.Switch.Pools[0].XOFF.Value, "a cell of the Tomahawk has 208 bytes")
	readertest.Mistakes(t, eos.System.Read, leaf, []readertest.Mistake{
		readertest.Wrong("headroom above the pool", "profile-xoff-over-pool-xoff",
			"xoff 268736 is larger than the pool of all groups, xoff 208000 of headroom-pool", edit("bytes 208000")...),
		readertest.Wrong("no limit", "number-format", "limit is 0: want 1 or more", edit("0")...),
	})
}
