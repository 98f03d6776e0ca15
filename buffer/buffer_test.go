package buffer_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/thresholds/ecn"
	"github.com/cellwarden/cellwarden/thresholds/method"
	"github.com/cellwarden/cellwarden/thresholds/table"
	"github.com/cellwarden/cellwarden/unit"
)

// tomahawk is the Tomahawk's memory: four slices, each pipe charged in two.
func tomahawk() buffer.Chip {
	return buffer.Chip{
		Name: "tomahawk", Cell: 208, Overhead: 64, Groups: 8, MinAlpha: -7, MaxAlpha: 3,
		Slices: []buffer.Slice{{Cells: 20165}, {Cells: 20165}, {Cells: 20165}, {Cells: 20165}},
		Pipes:  [][]int{{0, 1}, {2, 3}, {2, 3}, {0, 1}},
	}
}

func ports(n int, cable unit.Length) []buffer.Port {
	out := make([]buffer.Port, n)
	for i := range out {
		out[i] = buffer.Port{Name: fmt.Sprintf("Ethernet1/%d", i+1), Rate: 100 * unit.Gbps, Cable: cable, MTU: 9216}
	}
	return out
}

func roce() []buffer.Class {
	return []buffer.Class{
		{Name: "rdma", Priorities: []int{3, 4}, Lossless: true, Reserved: unit.Given[unit.Bytes](1248), MTU: 4096,
			ECN: ecn.Thresholds{KMin: 250000, KMax: 1048576, PMax: 5 * unit.OnePercent}},
		{Name: "best-effort", Priorities: []int{0, 1, 2, 5, 6, 7}, Alpha: new(thresholds.Alpha(3))},
	}
}

func dedicated(n int, cable unit.Length) buffer.Intent {
	return buffer.Intent{Chip: tomahawk(), Sizing: thresholds.IEEE{}, Classes: roce(), Ports: ports(n, cable)}
}

// What to do with a refusal: it says who, where, how much, and what would do.
func ExampleNew() {
	plan, err := buffer.New(dedicated(16, 2*unit.Kilometre))
	if err != nil {
		fmt.Println("the intent is malformed:", err)
		return
	}
	var refusal *buffer.Refusal
	if errors.As(plan.Err(), &refusal) {
		fmt.Println(refusal)
		for _, r := range refusal.Remedies {
			fmt.Println("-", r.Text)
		}
	}
	// Output:
	// ingress buffer allocation failed for interface Ethernet1/5: group 3 asks slice 0 for 4997 of 177 cells, 4820 short
	// - fewer ports: 4 of 16 fit where they are, 12 fewer: Ethernet1/1-4
	// - shorter cable: none longer than 87m, instead of up to 2km
	// - shared headroom: one pool for all groups, from 4152512B (one full group at a time) to 16622528B (90 cells of a slice left to share; oversubscribed 4.00:1)
}

func TestFoldAndComparePorts(t *testing.T) {
	for want, names := range map[string][]string{
		"Ethernet1/1-3":                {"Ethernet1/3", "Ethernet1/1", "Ethernet1/2"},
		"Ethernet0-12/4":               {"Ethernet0", "Ethernet4", "Ethernet8", "Ethernet12"},
		"Ethernet1,Ethernet3":          {"Ethernet1", "Ethernet3"},
		"eth9-11":                      {"eth10", "eth9", "eth11"},
		"a,a01-b,et-0/0/0-1":           {"a", "a01-b", "et-0/0/1", "et-0/0/0"},
		"Ethernet1/1-2,Ethernet2/1-2":  {"Ethernet1/1", "Ethernet1/2", "Ethernet2/1", "Ethernet2/2"},
		"Ethernet1-2,Ethernet8,Po1000": {"Ethernet2", "Ethernet1", "Ethernet8", "Po1000"},
		"":                             {},
	} {
		require.Equal(t, want, buffer.FoldPorts(names))
	}
	require.Negative(t, buffer.ComparePorts("Ethernet2", "Ethernet10"))
	require.Negative(t, buffer.ComparePorts("Ethernet1/2", "Ethernet1/2/1"))
	require.NotZero(t, buffer.ComparePorts("Ethernet01", "Ethernet1"), "different names must not be equal")
	require.Zero(t, buffer.ComparePorts("x", "x"))
}

// The Arista 7060CX-32S as SONiC ships it: 100G over 300 m, 268,736 bytes of
// xoff for each of 64 groups out of a pool of 4,194,112 bytes.
func arista(t *testing.T) *buffer.Plan {
	table := &table.Table{Name: "pg_profile_lookup.ini", Rows: []table.Row{
		{Rate: 100 * unit.Gbps, Cable: 300 * unit.Metre, Size: 1248, XON: 2288, XOFF: 268736,
			XONOffset: unit.Given[unit.Bytes](2288), Line: 1}}}
	in := buffer.Intent{Chip: tomahawk(), Sizing: table, Classes: roce(), Ports: ports(32, 300*unit.Metre),
		Pool: buffer.Pool{Size: 10875072, SharedHeadroom: 4194112}}
	p, err := buffer.New(in)
	require.NoError(t, err)
	return p
}

func TestSharedHeadroomPlanOfARealSwitch(t *testing.T) {
	p := arista(t)
	require.True(t, p.Fits)
	require.NoError(t, p.Err())
	for _, s := range p.Slices {
		require.EqualValues(t, 13071, s.Shared, "the shared cells from which the silicon's XOFF point of 6542 follows")
		require.EqualValues(t, 5041, s.Headroom)
		require.EqualValues(t, 16*2*6, s.Reserved, "16 ports feed a slice")
		require.EqualValues(t, 20165-13071-5041-192, s.Unused)
	}
	require.EqualValues(t, 82688, p.Shared.GroupCells)
	require.Equal(t, "4.10:1", p.Shared.Ratio.String())
	require.Equal(t, "8.20:1", p.Shared.Worst.String(), "a group's limit stands in two slices")
	require.EqualValues(t, 3, p.Shared.AtOnce)
	require.Len(t, p.Groups, 32*3*2)
	g := p.Groups[2]
	require.Equal(t, buffer.Group{Port: "Ethernet1/1", Group: 3, Slice: 0, Class: "rdma", Lossless: true, Reserved: 6,
		Headroom: 1292, XOFF: 268736, XONOffset: 11, Limit: thresholds.Dynamic(0), ReservedAsked: 1248, ReservedGranted: 1248,
		HeadroomAsked: 268736, HeadroomGranted: 268736, XONOffsetAsked: 2288, XONOffsetGranted: 2288}, g)
	require.Empty(t, g.Granted(), "all of it whole cells")
	requireSums(t, p)
}

// requireSums checks that every cell of the chip is on the bill.
func requireSums(t *testing.T, p *buffer.Plan) {
	t.Helper()
	var total cells.Count
	for _, r := range p.Bill {
		require.Equal(t, r.Cells, r.Each*cells.Count(r.Count), "%+v", r)
		total += r.Cells
	}
	require.Equal(t, p.Chip.TotalCells, total)
	for _, s := range p.Slices {
		require.Equal(t, s.Total, s.Chip+s.Reserved+s.Headroom+s.Shared+s.Unused)
	}
}

// NH-4210: a pool that is taken to exclude its headroom cannot be placed.
func TestPoolThatDoesNotFit(t *testing.T) {
	in := dedicated(2, 40*unit.Metre)
	in.Chip = buffer.Chip{Name: "tomahawk6", Cell: 420, Groups: 8, MinAlpha: -7, MaxAlpha: 3,
		Slices: []buffer.Slice{{Cells: 636183}}}
	in.Pool = buffer.Pool{Size: 258035400, SharedHeadroom: 81553920}
	p, err := buffer.New(in)
	require.NoError(t, err)
	require.False(t, p.Fits)
	require.Len(t, p.Refusals, 2, "every port is refused")
	require.ErrorIs(t, p.Err(), buffer.ErrNoFit)
	r := p.Refusals[0]
	require.Equal(t, "ingress buffer allocation failed for interface Ethernet1/1", r.Message)
	require.EqualValues(t, 808546, r.Needed)
	require.EqualValues(t, 636183, r.Available)
	require.EqualValues(t, 172363, r.Short)
	require.Equal(t, buffer.PoolTooLarge, r.Reason)
	require.Equal(t, []buffer.Consumer{{Item: "pool", Cells: 614370}, {Item: "shared headroom pool", Cells: 194176}},
		r.Consumers)
	changes := map[string]string{}
	for _, m := range r.Remedies {
		changes[m.Change] = m.To
	}
	require.Equal(t, map[string]string{"pool.size_includes_headroom": "true", "pool.size": "185642940B",
		"pool.shared_headroom": "9161460B"}, changes)
	require.EqualValues(t, 636183, p.Slices[0].Unused, "nothing is placed")
	requireSums(t, p)

	in.Pool.SizeIncludesHeadroom = true
	p, err = buffer.New(in)
	require.NoError(t, err)
	require.True(t, p.Fits)
	require.EqualValues(t, 614370-194176, p.Slices[0].Shared)
	requireSums(t, p)
}

func TestALaterPortIsRefusedAndOthersAreUntouched(t *testing.T) {
	in := dedicated(8, 300*unit.Metre)
	in.Ports[4].Cable = 20 * unit.Kilometre
	p, err := buffer.New(in)
	require.NoError(t, err)
	require.Len(t, p.Refusals, 1)
	require.Equal(t, "Ethernet1/5", p.Refusals[0].Port)
	require.NotEmpty(t, p.Refusals[0].Consumers)
	requireSums(t, p)

	without := in
	without.Ports = append([]buffer.Port{}, in.Ports...)
	for i := range without.Ports {
		without.Ports[i].Pipe = new(in.PipeOf(i))
	}
	without.Ports = append(without.Ports[:4], without.Ports[5:]...)
	q, err := buffer.New(without)
	require.NoError(t, err)
	require.Equal(t, q.Slices, p.Slices)
	require.Equal(t, q.Groups, p.Groups)
}

func TestOneGroupLargerThanTheSharedHeadroomPool(t *testing.T) {
	in := dedicated(1, 10*unit.Kilometre)
	in.Pool.SharedHeadroom = 4194112
	p, err := buffer.New(in)
	require.NoError(t, err)
	require.Equal(t, buffer.HeadroomOfPool, p.Refusals[0].Reason)
	require.EqualValues(t, 5041, p.Refusals[0].Available)
}

// The minimum of a port itself stands in the slices of its pipe, beside its
// groups' own, and is a register of the port.
func TestPortMinimaAreChargedInTheSlicesOfThePipe(t *testing.T) {
	in := dedicated(4, 300*unit.Metre)
	in.Ports[1].Reserved = 100 * 208
	p, err := buffer.New(in)
	require.NoError(t, err)
	require.True(t, p.Fits)
	require.Contains(t, p.Bill, buffer.BillRow{Item: "reserved port", Count: 2, Each: 100, Cells: 200})
	require.EqualValues(t, 2*2*6+100, p.Slices[2].Reserved)
	require.EqualValues(t, 2*2*6, p.Slices[0].Reserved)
	require.EqualValues(t, 100, p.Layout().Value(buffer.Register{Kind: buffer.PortMinimum, Port: "Ethernet1/2"}))
	requireSums(t, p)
	in.Ports[1].Reserved = 208 * 20000
	p, err = buffer.New(in)
	require.NoError(t, err)
	r := p.Refusals[0]
	require.Equal(t, buffer.NoPortCells, r.Reason)
	require.Equal(t, "the port's own minimum asks slice 2 for 20000 of 16813 cells, 3187 short", r.Detail)
	require.Equal(t, []string{"ports", "port_reserved"}, []string{r.Remedies[0].Change, r.Remedies[1].Change})
	in.Ports[1].Reserved = -1
	_, err = buffer.New(in)
	require.ErrorContains(t, err, "ports[1].reserved: -1B")
}

// The minimum of an egress queue stands in every slice of the chip, and the
// refusal names the queue.
func TestQueueMinimaAreChargedInEverySlice(t *testing.T) {
	in := dedicated(4, 300*unit.Metre)
	in.Classes[1].QueueReserved = 100 // six queues of one cell each
	p, err := buffer.New(in)
	require.NoError(t, err)
	require.True(t, p.Fits)
	require.Contains(t, p.Bill, buffer.BillRow{Item: "queue reserved best-effort", Count: 4 * 6 * 4, Each: 1, Cells: 96})
	requireSums(t, p)
	in.Classes[1].QueueReserved = 208 * 1600
	p, err = buffer.New(in)
	require.NoError(t, err)
	r := p.Refusals[0]
	require.Equal(t, buffer.NoQueueCells, r.Reason)
	require.Equal(t, "Ethernet1/2", r.Port)
	require.Equal(t, fmt.Sprintf("the minimum of queue %d asks slice %d for 1600 of %d cells, %d short", r.Group, r.Slice,
		r.Available, r.Short), r.Detail)
	require.Equal(t, "queue reserved best-effort", r.Consumers[0].Item)
	requireSums(t, p)
}

// A headroom pool by ratio follows the ports: the slice with the most headroom
// has one cell for every four of it, and there is room for the largest group.
func TestSharedHeadroomByRatio(t *testing.T) {
	in := dedicated(32, 300*unit.Metre)
	in.Pool.SharedHeadroomRatio = 4
	p, err := buffer.New(in)
	require.NoError(t, err)
	require.True(t, p.Fits)
	require.Equal(t, "4.00:1", p.Shared.Worst.String())
	require.EqualValues(t, 16*2*1670/4, p.Slices[0].Headroom)
	require.EqualValues(t, 8, p.Shared.AtOnce)
	requireSums(t, p)

	in.Ports = in.Ports[:1]
	p, err = buffer.New(in)
	require.NoError(t, err)
	require.EqualValues(t, 1670, p.Slices[0].Headroom, "at least one group")

	in.Pool.SharedHeadroom = 1
	_, err = buffer.New(in)
	require.ErrorContains(t, err,
		"pool.shared_headroom_ratio: 4: accepted: 0 (no ratio) to 1000, and no shared_headroom beside it")
}

// A pool that is the rest of the memory is cut to what the chip can give one
// pool, and what is beyond it is granted first; a size above that is refused.
func TestLargestPoolOfTheChip(t *testing.T) {
	in := dedicated(4, 300*unit.Metre)
	in.Chip.MaxPool = 19968
	p, err := buffer.New(in)
	require.NoError(t, err)
	require.True(t, p.Fits)
	require.EqualValues(t, 20165-2*2*(6+1670), p.Slices[0].Shared)
	require.Zero(t, p.Slices[0].Unused, "the headroom has taken what was beyond the largest pool")
	require.NotContains(t, fmt.Sprint(p.Warnings), "stay unused")

	in.Ports = ports(1, 5*unit.Metre)
	in.Ports[0].Rate = 10 * unit.Gbps
	p, err = buffer.New(in)
	require.NoError(t, err)
	require.EqualValues(t, 19968, p.Slices[2].Shared)
	require.EqualValues(t, 20165-19968, p.Slices[2].Unused)
	require.Contains(t, fmt.Sprint(p.Warnings), "tomahawk gives one pool at most 19968 cells of a slice")
	requireSums(t, p)

	in.Pool.Size = 4 * 208 * 20000
	p, err = buffer.New(in)
	require.NoError(t, err)
	r := p.Refusals[0]
	require.Equal(t, buffer.PoolTooLarge, r.Reason)
	require.Equal(t, "the pool is larger than the chip can make one: it asks slice 0 for 20000 of 19968 cells, 32 short",
		r.Detail)
	require.Equal(t,
		[]buffer.Remedy{{Change: "pool.size", To: "16613376B",
			Text: "a smaller pool: at most 16613376B, instead of 16640000B"}}, r.Remedies[len(r.Remedies)-1:])
	in.Pool = buffer.Pool{Size: 4 * 208 * 20000, SizeIncludesHeadroom: true, SharedHeadroom: 4 * 208 * 5000}
	p, err = buffer.New(in)
	require.NoError(t, err)
	require.True(t, p.Fits, "what is shared is no larger")

	in.Chip.MaxHeadroomPool = 4999
	p, err = buffer.New(in)
	require.NoError(t, err)
	require.Equal(t, buffer.HeadroomPool, p.Refusals[0].Reason)
	require.Equal(t,
		"the shared headroom pool is larger than the chip can make one: it asks slice 0 for 5000 of 4999 cells, 1 short",
		p.Refusals[0].Detail)
}

// The chip bounds what one port has, whatever the slices have left.
func TestMostHeadroomOfAPort(t *testing.T) {
	in := dedicated(2, 300*unit.Metre)
	in.Chip.MaxPortHeadroom = 2*1670 - 1
	p, err := buffer.New(in)
	require.NoError(t, err)
	require.Len(t, p.Refusals, 2)
	r := p.Refusals[0]
	require.Equal(t, buffer.PortTooLarge, r.Reason)
	require.Equal(t, "group 4 asks what the chip gives one port of headroom for 1670 of 1669 cells, 1 short", r.Detail)
	require.Equal(t, "cable", r.Remedies[0].Change, "fewer ports do not help")
	in.Chip.MaxPortHeadroom++
	p, err = buffer.New(in)
	require.NoError(t, err)
	require.True(t, p.Fits)
}

func TestSharedFloor(t *testing.T) {
	in := dedicated(32, 300*unit.Metre)
	in.SharedFloor = 1 * unit.OnePercent
	p, err := buffer.New(in)
	require.NoError(t, err)
	require.False(t, p.Fits)
	for _, s := range p.Slices {
		require.GreaterOrEqual(t, s.Shared, cells.Count(202))
	}
	in.SharedFloor = 0
	in.Pool = buffer.Pool{Size: 1 << 20, SharedHeadroom: 4194112}
	in.SharedFloor = 20 * unit.OnePercent
	p, err = buffer.New(in)
	require.NoError(t, err)
	require.Equal(t, buffer.PoolTooLarge, p.Refusals[0].Reason, "a pool under the floor can serve nobody")
}

func TestValidateListsEverything(t *testing.T) {
	in := buffer.Intent{
		Chip:        tomahawk(),
		Sizing:      thresholds.IEEE{},
		SharedFloor: unit.Whole,
		Pool:        buffer.Pool{Size: -1},
		Classes: []buffer.Class{
			{Name: "a", Priorities: []int{3, 9}, Lossless: true, Alpha: new(thresholds.Alpha(7)), MTU: 9000},
			{Name: "a", Priorities: []int{3}},
			{Name: "c", ECN: ecn.Thresholds{KMin: 2, KMax: 1}},
		},
		Ports: []buffer.Port{
			{Name: "Ethernet1", Rate: 400, Cable: -1, MTU: 1500, Pipe: new(9)},
			{Name: "Ethernet1", Rate: unit.Gbps, MTU: 9216},
		},
	}
	_, err := buffer.New(in)
	require.ErrorIs(t, err, buffer.ErrInvalid)
	var invalid *buffer.InvalidError
	require.ErrorAs(t, err, &invalid)
	paths := []string{}
	for _, c := range invalid.Complaints {
		paths = append(paths, c.Path)
	}
	require.Equal(t, []string{"pool.size", "shared_floor", "classes[0].priorities", "classes[0].alpha", "classes[1].name",
		"classes[1].priorities", "classes[2].priorities", "classes[2].ecn", "ports[0].speed", "ports[0].cable",
		"ports[0].pipe", "ports[0].mtu", "ports[1].name"}, paths)

	_, err = buffer.New(buffer.Intent{})
	require.ErrorIs(t, err, buffer.ErrInvalid)
	bad := tomahawk()
	bad.Pipes = [][]int{{0, 0}, {9}, {}}
	bad.Slices[0].Takes = []buffer.Take{{Item: "x", Cells: 99999}}
	require.ErrorIs(t, bad.Validate(), buffer.ErrInvalid)
}

// A static limit is a part of the pool, and takes the place of alpha.
func TestStaticLimit(t *testing.T) {
	in := dedicated(1, 5*unit.Metre)
	in.Classes[1].Alpha = nil
	in.Classes[1].StaticLimit = 4*208*1000 + 1
	in.Chip.MinAlpha = 0
	p, err := buffer.New(in)
	require.NoError(t, err)
	g := p.Groups[0]
	require.Equal(t, []any{"best-effort", thresholds.Static(1000)}, []any{g.Class, g.Limit})
	at := func(k buffer.Kind) int64 { return p.Layout().Value(buffer.Register{Kind: k, Port: "Ethernet1/1"}) }
	require.EqualValues(t, 1000, at(buffer.GroupStatic))
	require.EqualValues(t, buffer.Unset, at(buffer.GroupAlpha))
	for _, c := range []struct {
		limit, size unit.Bytes
		alpha       *thresholds.Alpha
		accepted    string
	}{
		{limit: 831, accepted: "832B (a cell in each slice) to 16777280B (the chip's memory), and no alpha beside it"},
		{limit: 16777281, accepted: "832B"},
		{limit: 1 << 20, size: 1<<20 - 1, accepted: "832B (a cell in each slice) to 1048575B (the pool's size)"},
		{limit: 1 << 20, alpha: new(thresholds.Alpha(0)), accepted: "no alpha"},
	} {
		in.Classes[1].StaticLimit, in.Classes[1].Alpha, in.Pool.Size = c.limit, c.alpha, c.size
		_, err = buffer.New(in)
		require.ErrorIs(t, err, buffer.ErrInvalid)
		require.ErrorContains(t, err, "classes[1].static_limit")
		require.ErrorContains(t, err, c.accepted)
	}
}

// resume <= pause <= size, as far as a plan knows all of them.
func TestThresholdsOutOfOrder(t *testing.T) {
	in := dedicated(1, 5*unit.Metre)
	in.Classes[0].StaticLimit = 4 * 208 * 100
	in.Classes[0].XONOffset = unit.Given[unit.Bytes](106 * 208)
	_, err := buffer.New(in)
	require.NoError(t, err, "six reserved cells and a limit of 100")
	in.Classes[0].XONOffset = unit.Given[unit.Bytes](106*208 + 1)
	_, err = buffer.New(in)
	require.ErrorIs(t, err, buffer.ErrInvalid)
	require.ErrorContains(t, err,
		"port Ethernet1/1, class rdma: xon offset of 107 cells: accepted: at most the 106 cells at which the group pauses")

	in = dedicated(1, 5*unit.Metre)
	in.Sizing = method.CiscoPractical{PauseThreshold: unit.Given[unit.Bytes](200000)}
	_, err = buffer.New(in)
	require.ErrorContains(t, err, "buffer-size 104000B is not above the pause-threshold 200000B")
	in.Sizing = upsideDown{thresholds.IEEE{}}
	_, err = buffer.New(in)
	require.ErrorContains(t, err, "pauses at 2000B: accepted: at most the size of 1000B")

	in.Sizing = &table.Table{Name: "t.ini", Rows: []table.Row{{Rate: 100 * unit.Gbps, Cable: 5 * unit.Metre, XOFF: 2080,
		Size: 2080, XON: 4160, Line: 7}}}
	p, err := buffer.New(in)
	require.NoError(t, err)
	require.Contains(t, p.Warnings, "the headroom table's row of line 7 resumes at 4160B, above its size of 2080B")
}

// upsideDown pauses above its size.
type upsideDown struct{ thresholds.Sizer }

func (s upsideDown) Size(l thresholds.Link, m thresholds.Memory) (thresholds.Headroom, error) {
	h, err := s.Sizer.Size(l, m)
	h.XON, h.Size = 2000, 1000
	return h, err
}

func TestAlphaOutsideTheTableByTheHeadroomTable(t *testing.T) {
	in := dedicated(1, 5*unit.Metre)
	in.Classes[0].Alpha = nil
	in.Sizing = &table.Table{Name: "t.ini", Rows: []table.Row{{Rate: 100 * unit.Gbps, Cable: 5 * unit.Metre, XOFF: 1,
		Alpha: 7}}}
	_, err := buffer.New(in)
	require.ErrorIs(t, err, buffer.ErrInvalid)
	require.ErrorContains(t, err, "dynamic_th 7")
}

func TestSameInputSameBytes(t *testing.T) {
	in := dedicated(32, 10*unit.Kilometre)
	first, err := buffer.New(in)
	require.NoError(t, err)
	again, err := buffer.New(in)
	require.NoError(t, err)
	require.Equal(t, document(t, first), document(t, again))
}

func TestWhatIfLeavesEverythingAsItWas(t *testing.T) {
	in := dedicated(32, 300*unit.Metre)
	a, err := buffer.NewAdmission(in)
	require.NoError(t, err)
	before := document(t, a.Plan())
	far := in.Ports[7]
	far.Cable = 10 * unit.Kilometre
	short, err := a.WhatIf(7, far)
	require.NoError(t, err)
	require.False(t, short.Fits())
	require.Equal(t, short.Needed-short.Available, short.Short)
	near := in.Ports[7]
	near.Cable = 5 * unit.Metre
	short, err = a.WhatIf(7, near)
	require.NoError(t, err)
	require.True(t, short.Fits())
	require.Equal(t, before, document(t, a.Plan()))
}

// document returns a plan as its JSON.
func document(t *testing.T, p *buffer.Plan) string {
	t.Helper()
	text, err := json.Marshal(report.Plan(p))
	require.NoError(t, err)
	return string(text)
}

func TestReplanningAllocatesNothing(t *testing.T) {
	a, err := buffer.NewAdmission(dedicated(32, 300*unit.Metre))
	require.NoError(t, err)
	p := ports(32, 300*unit.Metre)[3]
	far := p
	far.Cable = 20 * unit.Kilometre
	_, err = a.WhatIf(3, far) // sizes the kind once
	require.NoError(t, err)
	require.Zero(t, testing.AllocsPerRun(100, a.Replan))
	require.Zero(t, testing.AllocsPerRun(100, func() { _, _ = a.WhatIf(3, p) }))
	require.Zero(t, testing.AllocsPerRun(100, func() { _, _ = a.WhatIf(3, far) }), "a refusal costs nothing either")
}

func TestDiffGivesBackBeforeItTakes(t *testing.T) {
	have := arista(t).Layout()
	in := dedicated(8, 300*unit.Metre)
	p, err := buffer.New(in)
	require.NoError(t, err)
	want := p.Layout()
	steps := buffer.Diff(have, want)
	grown := false
	for _, s := range steps {
		grown = grown || s.Phase() == buffer.Grow
		require.False(t, grown && s.Phase() == buffer.Shrink, "%v after an increase", s)
	}
	require.Equal(t, want, have.With(steps))
	require.Empty(t, buffer.Diff(want, want))
	require.Equal(t, have, want.With(buffer.Undo(steps)))
	all := dedicated(32, 300*unit.Metre)
	require.NoError(t, buffer.CheckTransition(in.Chip, all.Pipes(), have, want))
}

func ExampleDiff() {
	register := buffer.Register{Kind: buffer.GroupHeadroom, Port: "Ethernet1/8", Index: 3}
	alpha := buffer.Register{Kind: buffer.GroupAlpha, Port: "Ethernet1/7", Index: 3}
	have := buffer.NewLayout([]buffer.Setting{{Register: register, Value: 1292}})
	want := buffer.NewLayout([]buffer.Setting{{Register: register, Value: 520}, {Register: alpha, Value: -3}})
	for _, s := range buffer.Diff(have, want) {
		fmt.Println(s)
	}
	// Output:
	// Ethernet1/8 group 3 headroom 1292 cells -> 520 cells
	// Ethernet1/7 group 3 alpha unset -> 2^-3
}

// intent512 is a switch of 512 ports x 8 groups.
func intent512() buffer.Intent {
	in := dedicated(512, 40*unit.Metre)
	in.Chip.Slices = []buffer.Slice{{Cells: 341080}, {Cells: 341080}}
	in.Chip.Pipes = [][]int{{0}, {1}}
	in.Classes = nil
	for p := range 8 {
		in.Classes = append(in.Classes, buffer.Class{Name: fmt.Sprint("class", p), Priorities: []int{p},
			Lossless: p == 3 || p == 4, Reserved: unit.Given[unit.Bytes](254)})
	}
	in.Pool = buffer.Pool{Size: 100 << 20, SharedHeadroom: 30 << 20}
	return in
}

// BenchmarkPlan plans 512 ports x 8 groups from nothing to the printed plan.
func BenchmarkPlan(b *testing.B) {
	in := intent512()
	b.ReportAllocs()
	for b.Loop() {
		if p, err := buffer.New(in); err != nil || !p.Fits {
			b.Fatal(err, p.Err())
		}
	}
}

// BenchmarkReplan admits 512 ports x 8 groups again in place.
func BenchmarkReplan(b *testing.B) {
	a, err := buffer.NewAdmission(intent512())
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		a.Replan()
	}
}

// BenchmarkWhatIf asks for one port of 512 with another cable.
func BenchmarkWhatIf(b *testing.B) {
	in := intent512()
	a, err := buffer.NewAdmission(in)
	if err != nil {
		b.Fatal(err)
	}
	p := in.Ports[100]
	p.Cable = 300 * unit.Metre
	b.ReportAllocs()
	for b.Loop() {
		if _, err := a.WhatIf(100, p); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkDiff compares two layouts of 512 ports x 8 groups.
func BenchmarkDiff(b *testing.B) {
	in := intent512()
	p, err := buffer.New(in)
	if err != nil {
		b.Fatal(err)
	}
	have := p.Layout()
	in.Ports[100].Cable = 300 * unit.Metre
	q, err := buffer.New(in)
	if err != nil {
		b.Fatal(err)
	}
	want := q.Layout()
	b.ReportAllocs()
	for b.Loop() {
		buffer.Diff(have, want)
	}
}

// A plan from nothing of 512 ports x 8 groups takes few allocations, because fleets plan from nothing.
func TestPlanAllocations(t *testing.T) {
	in := intent512()
	require.Less(t, testing.AllocsPerRun(5, func() {
		p, err := buffer.New(in)
		require.NoError(t, err)
		require.True(t, p.Fits)
	}), 200.0)
}
