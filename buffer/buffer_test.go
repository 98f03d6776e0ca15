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
	"github.com/cellwarden/cellwarden/thresholds/table"
	"github.com/cellwarden/cellwarden/topology"
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

// asTheTexts is the standard's method as the texts on PFC have it, for which the numbers of these tests were worked by
// hand: interface delays beside the response, and frames without preamble and gap.
var asTheTexts = thresholds.IEEE{Mix: thresholds.Mix{From: thresholds.MinFrame, WithoutGap: true},
	Delays: thresholds.Delays{Sum: thresholds.SumOfTexts}}

// saved is an intent as it is after a program has saved it as a topology and read it again.
func saved(t *testing.T, in buffer.Intent) buffer.Intent {
	t.Helper()
	written, err := topology.Write(in)
	require.NoError(t, err)
	again, err := topology.Parse("saved.yaml", written.Topology, func(name string) ([]byte, error) {
		return written.Files[name], nil
	})
	require.NoError(t, err)
	return again
}

func dedicated(n int, cable unit.Length) buffer.Intent {
	return buffer.Intent{Chip: tomahawk(), Sizing: asTheTexts, Classes: roce(), Ports: ports(n, cable)}
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
	// ingress buffer allocation failed for interface Ethernet1/5: group 3 needs 4,997 cells in slice 0 and has 177: 4,820 short
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
	require.Equal(t, buffer.Group{Port: "Ethernet1/1", Group: 3, Slice: 0, GroupGrant: &buffer.GroupGrant{Class: "rdma",
		Lossless: true, Reserved: 6, Headroom: 1292, XOFF: 268736, XONOffset: 11, Limit: thresholds.Dynamic(0),
		ReservedAsked: 1248, ReservedGranted: 1248, HeadroomAsked: 268736, HeadroomGranted: 268736, XONOffsetAsked: 2288,
		XONOffsetGranted: 2288}}, g)
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
	require.Equal(t, []buffer.Consumer{{Item: "pool", Account: "shared", Cells: 614370},
		{Item: "shared headroom pool", Account: "headroom", Cells: 194176}},
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

// The minimum of a port itself stands in the slices of its pipe, beside its groups' own, and is a register of the port.
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
	require.Equal(t, "the port's own minimum needs 20,000 cells in slice 2 and has 16,813: 3,187 short", r.Detail)
	require.Equal(t, []string{"ports", "port_reserved"}, []string{r.Remedies[0].Change, r.Remedies[1].Change})
	in.Ports[1].Reserved = -1
	_, err = buffer.New(in)
	require.ErrorContains(t, err, "ports[1].reserved: -1B")
}

// The minimum of an egress queue stands in every slice of the chip, and the refusal names the queue.
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
	require.Equal(t, fmt.Sprintf("the minimum of queue %d needs 1,600 cells in slice %d and has %d: %d short",
		r.Group, r.Slice,
		r.Available, r.Short), r.Detail)
	require.Equal(t, "queue reserved best-effort", r.Consumers[0].Item)
	requireSums(t, p)
}

func TestValidateListsEverything(t *testing.T) {
	in := buffer.Intent{
		Chip:        tomahawk(),
		Sizing:      asTheTexts,
		SharedFloor: unit.Whole,
		Pool:        buffer.Pool{Size: -1},
		Classes: []buffer.Class{
			{Name: "a", Priorities: []int{3, 9}, Lossless: true, Alpha: new(thresholds.Alpha(7)), MTU: 9000},
			{Name: "a", Priorities: []int{3}},
			{Name: "c", ECN: ecn.Thresholds{KMin: 2, KMax: 1}},
		},
		Ports: []buffer.Port{
			{Name: "Ethernet1", Rate: 400, Cable: -1, MTU: 1500, Pipe: new(9), Lanes: 17},
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
		"ports[0].pipe", "ports[0].lanes", "ports[1].name"}, paths)

	_, err = buffer.New(buffer.Intent{})
	require.ErrorIs(t, err, buffer.ErrInvalid)
	bad := tomahawk()
	bad.Pipes = [][]int{{0, 0}, {9}, {}}
	bad.Slices[0].Takes = []buffer.Take{{Item: "x", Cells: 99999}}
	require.ErrorIs(t, bad.Validate(), buffer.ErrInvalid)
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

// A question about a port that is like the last one but for what is wrong with it is refused all the same.
func TestWhatIfLooksAtEveryPort(t *testing.T) {
	in := dedicated(32, 300*unit.Metre)
	a, err := buffer.NewAdmission(in)
	require.NoError(t, err)
	lossless := uint8(0)
	for _, c := range in.Classes {
		if c.Lossless {
			lossless = 1 << c.Priorities[0]
		}
	}
	pipe := 0
	good := in.Ports[7]
	good.Pipe = &pipe
	ask := func(p buffer.Port) error {
		_, err := a.WhatIf(7, p)
		return err
	}
	for range 2 {
		require.NoError(t, ask(good))
		bad := good
		bad.PFCWithoutHeadroom = lossless
		require.ErrorContains(t, ask(bad), "port.pfc_without_headroom")
		require.NoError(t, ask(good))
		pipe = 99
		require.ErrorContains(t, ask(good), "port.pipe")
		pipe = 0
		bad = good
		bad.Measured.RoundTrip = -1
		require.ErrorContains(t, ask(bad), "port.measured_delay")
	}
	// Nor is a neighbour in an intent passed over.
	in.Ports[8].PFCWithoutHeadroom = lossless
	require.ErrorContains(t, in.Validate(), "ports[8].pfc_without_headroom")
}

// document returns a plan as its JSON.
func document(t *testing.T, p *buffer.Plan) string {
	t.Helper()
	text, err := json.Marshal(report.Plan(p))
	require.NoError(t, err)
	return string(text)
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
