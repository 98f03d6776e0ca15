package registry_test

import (
	"slices"
	"testing"

	"github.com/cellwarden/cellwarden/audit"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/ets"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/nos/nxos"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/pg"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/thresholds/ecn"
	"github.com/cellwarden/cellwarden/unit"
	"github.com/stretchr/testify/require"
)

// cisco is a plan for NX-OS: lossless classes with minima of some frames, weights and a strict class, marking, and a
// port without lossless classes. With groups, the weights are within them.
func cisco(t *testing.T, groups []ets.Group) nos.Plan {
	t.Helper()
	in := buffer.Intent{
		Chip:   buffer.Chip{Name: "small", Cell: 208, Slices: []buffer.Slice{{Cells: 60000}}, Groups: pg.PerPort},
		Sizing: thresholds.IEEE{},
		Classes: []buffer.Class{
			{Name: "rdma", Priorities: []int{3}, Lossless: true, Reserved: unit.Given[unit.Bytes](46800), MTU: 4096,
				XONOffset: unit.Given[unit.Bytes](12480), Weight: 50,
				ECN: ecn.Thresholds{KMin: 150 * unit.KiB, KMax: 3000 * unit.KiB, PMax: 7 * unit.OnePercent}},
			{Name: "storage", Priorities: []int{4}, Lossless: true, Reserved: unit.Given[unit.Bytes](20800), MTU: 9216,
				XONOffset: unit.Given[unit.Bytes](1664), StaticLimit: 83200, Weight: 20},
			{Name: "other", Priorities: []int{0, 1}, Weight: 15}, {Name: "control", Priorities: []int{6, 7}, Strict: true}},
		DSCP: pg.DSCPMap{0: pg.Points(0, 8), 3: pg.Points(24, 26), 4: pg.Points(34), 6: pg.Points(48)},
		ETS:  groups,
	}
	for i := range groups {
		in.Classes[i].ETS, in.Classes[i].Strict = unit.Given(groups[i].Number), false
	}
	in.Ports = []buffer.Port{{Name: "Ethernet1/1", Rate: 100 * unit.Gbps, MTU: 9216, Cable: 40 * unit.Metre},
		{Name: "Ethernet1/2", Rate: 100 * unit.Gbps, MTU: 9216, Cable: 300 * unit.Metre},
		{Name: "Ethernet1/3", Rate: 25 * unit.Gbps, MTU: 9216, Cable: 10 * unit.Metre, Classes: 0b1100}}
	plan, err := buffer.New(in)
	require.NoError(t, err)
	require.NoError(t, plan.Err())
	return nos.Plan{Intent: in, Layout: plan.Layout()}
}

// TestNXOSComesBackEqual reads the configuration of NX-OS that a plan is written as: buffer, pause and resume
// thresholds and PFC of each group, the DSCPs, the marking, and the level or percentage of each queue are those of the
// plan. With groups (ETS), the percentages are those that the rendering states beforehand.
func TestNXOSComesBackEqual(t *testing.T) {
	for name, in := range map[string][]ets.Group{"weights": nil, "groups": groups} {
		t.Run(name, func(t *testing.T) {
			plan := cisco(t, in)
			rendered := nxos.System.Render(plan)
			require.True(t, rendered.Lossless(), "%v %v", rendered.Omitted, rendered.Undone)
			r := read(t, rendered.Files[0])
			require.Zero(t, r.What().Statements.Unread)
			require.Len(t, r.Switch.Ports, 3)
			require.Empty(t, r.Findings)
			for i, want := range plan.Ports() {
				p := r.Switch.Ports[i]
				require.Equal(t, want.Name, p.Name)
				require.Equal(t, pfc.Of(want.Lossless()...), pfc.Priorities(p.PFC), p.Name)
				require.ElementsMatch(t, want.Lossless(), p.LosslessGroups(), p.Name)
				for _, n := range want.Lossless() {
					requireBuffer(t, want.Groups[n], p.Groups[n].Profile)
				}
				codes := map[int]int{}
				for n, points := range want.DSCP {
					for _, point := range points.List() {
						codes[point] = n
					}
				}
				require.Equal(t, codes, p.Codes, p.Name)
				requireService(t, &want, p, rendered.Shares)
			}
		})
	}
}

// requireBuffer requires the buffer of a class without drops: its minimum and static limit, and the headroom above
// them.
func requireBuffer(t *testing.T, want nos.Group, got *audit.Profile) {
	t.Helper()
	require.Equal(t, want.Reserved+want.Static, got.Size.Bytes())
	require.Equal(t, want.Headroom, got.XOFF.Bytes())
	require.Equal(t, want.Reserved+want.Static-want.XONOffset, got.XON.Bytes())
}

// requireService requires how the queues of a port are served and marked.
func requireService(t *testing.T, want *nos.Port, got *audit.Port, stated []nos.Shares) {
	t.Helper()
	percent := map[int]int{3: 50, 4: 20, 0: 15, 1: 15}
	if want.Name == "Ethernet1/3" {
		percent = map[int]int{0: 50, 1: 50}
	}
	for i := range stated {
		if slices.Contains(stated[i].Ports, want.Name) {
			clear(percent)
			for _, turn := range stated[i].Turns {
				if !turn.Strict {
					percent[turn.Priority] = turn.Rounded.Number
				}
			}
		}
	}
	sum := int64(0)
	for n, s := range got.Service {
		require.NotNil(t, s, "queue %d of %s", n, got.Name)
		require.Equal(t, n >= 6, s.Strict, "queue %d of %s", n, got.Name)
		if s.Strict {
			require.EqualValues(t, 8-n, s.Level.Value, "the higher queue first")
			continue
		}
		sum += s.Percent.Value
		require.EqualValues(t, percent[n], s.Percent.Value, "queue %d of %s", n, got.Name)
		q := want.Queues[n]
		require.Equal(t, []int64{int64(q.KMin), int64(q.KMax), int64(q.PMax / unit.OnePercent)},
			[]int64{s.Min.Value, s.Max.Value, s.Probability.Value})
	}
	require.EqualValues(t, 100, sum, "of what the strict queues leave")
}
