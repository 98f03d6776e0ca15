package mmu_test

import (
	"fmt"
	"testing"

	"github.com/cellwarden/cellwarden/buffer/mmu"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// oneGroup is a slice of Tomahawk with a lossless group per port, as the silicon's test files configure it.
func oneGroup(groups int) mmu.Config {
	c := mmu.Config{Cell: 208, Overhead: 64, Pools: []mmu.Pool{{Shared: 13071}}, HeadroomPools: []cells.Count{5041}}
	for range groups {
		c.Groups = append(c.Groups, mmu.Group{Reserved: 6, Lossless: true, Headroom: 520, HeadroomPool: 1,
			XON: thresholds.XON{Offset: 11}})
	}
	return c
}

func mmuOf(t testing.TB, c mmu.Config) *mmu.MMU {
	m, err := mmu.New(c)
	require.NoError(t, err)
	return m
}

// A group uses its reserved cells, then shared cells. When shared cells are
// refused it sends XOFF and uses headroom. When the headroom is full it drops.
func ExampleMMU() {
	m, err := mmu.New(mmu.Config{
		Cell: 208, Overhead: 64,
		Pools:  []mmu.Pool{{Shared: 8}},
		Groups: []mmu.Group{{Reserved: 2, Lossless: true, Headroom: 1, XON: thresholds.XON{Offset: 1}}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	p := mmu.Packet{Bytes: 64}
	for i := range 8 {
		v := m.Arrive(p)
		fmt.Printf("packet %d: reserved %d, shared %d, headroom %d, XOFF %t, drop: %v\n", i+1, v.Reserved, v.Shared,
			v.Headroom, v.XOFF, v.Drop)
	}
	for range 3 {
		fmt.Println("left, XON:", m.Leave(p).XON)
	}
	// Output:
	// packet 1: reserved 1, shared 0, headroom 0, XOFF false, drop: none
	// packet 2: reserved 1, shared 0, headroom 0, XOFF false, drop: none
	// packet 3: reserved 0, shared 1, headroom 0, XOFF false, drop: none
	// packet 4: reserved 0, shared 1, headroom 0, XOFF false, drop: none
	// packet 5: reserved 0, shared 1, headroom 0, XOFF false, drop: none
	// packet 6: reserved 0, shared 1, headroom 0, XOFF false, drop: none
	// packet 7: reserved 0, shared 0, headroom 1, XOFF true, drop: none
	// packet 8: reserved 0, shared 0, headroom 0, XOFF false, drop: headroom full
	// left, XON: false
	// left, XON: true
	// left, XON: false
}

// An egress pool that is smaller than the ingress pool drops lossless packets
// before their group can pause. The reason names the egress pool.
func TestEgressBindsFirst(t *testing.T) {
	c := oneGroup(1)
	c.EgressPools = []mmu.Pool{{Shared: 100}}
	c.Queues = []mmu.Queue{{Reserved: 4, Limit: thresholds.Unlimited()}, {Limit: thresholds.Static(3)}}
	m := mmuOf(t, c)
	p := mmu.Packet{Bytes: 64}
	for range 104 {
		require.Equal(t, mmu.CauseNone, m.Arrive(p).Drop)
	}
	v := m.Arrive(p)
	require.Equal(t, mmu.CauseEgressPool, v.Drop)
	require.True(t, v.Drop.Egress())
	require.False(t, v.XOFF)
	require.Equal(t, mmu.CauseNone, v.Refused, "the ingress had room")
	require.EqualValues(t, 1, m.Drops(mmu.CauseEgressPool))
	require.Equal(t, mmu.CauseQueueLimit, m.Arrive(mmu.Packet{Bytes: 700, Queue: 1}).Drop)
	require.NoError(t, m.Check())
}

func TestMMUStraddles(t *testing.T) {
	c := mmu.Config{Cell: 100, Pools: []mmu.Pool{{Shared: 10}}, PortPools: []mmu.PortPool{{Reserved: 1, Max: 4}},
		GlobalHeadroom: 8,
		Groups: []mmu.Group{{Reserved: 2, PortPool: 1, Limit: thresholds.Unlimited()},
			{Reserved: 2, PortPool: 1, Limit: thresholds.Unlimited(), Lossless: true, GlobalHeadroom: true}}}
	m := mmuOf(t, c)
	v := m.Arrive(mmu.Packet{Bytes: 600})
	require.Equal(t, mmu.Held{Reserved: 2, Port: 1, Shared: 3}, v.Held)
	v = m.Arrive(mmu.Packet{Bytes: 200})
	require.Equal(t, mmu.CausePortLimit, v.Drop)
	require.False(t, v.XOFF, "a lossy group drops")
	v = m.Arrive(mmu.Packet{Group: 1, Bytes: 401})
	require.Equal(t, mmu.Held{Reserved: 2, Global: 3}, v.Held, "the rest goes whole to one account")
	require.True(t, v.XOFF)
	require.Equal(t, mmu.CausePortLimit, v.Refused)
	require.Equal(t, mmu.CauseGlobalHeadroom, m.Arrive(mmu.Packet{Group: 1, Bytes: 600}).Drop)

	c.Rule.LastPacket = true
	m = mmuOf(t, c)
	require.Equal(t, mmu.Held{Reserved: 2, Port: 1, Shared: 7}, m.Arrive(mmu.Packet{Bytes: 1000}).Held,
		"over the port's 4 by less than a packet")
	require.NoError(t, m.Check())
}

// paused lists the paused ones of the first n groups of slice 0.
func paused(m *mmu.MMU, n int) (out []int) {
	for g := range n {
		if m.GroupState(0, g).Paused {
			out = append(out, g)
		}
	}
	return out
}

// A packet that leaves raises the dynamic limit of every group, so other groups can resume too.
func TestResumeOfOthers(t *testing.T) {
	m := mmuOf(t, oneGroup(2))
	for g := range 2 {
		for !m.Arrive(mmu.Packet{Group: g, Bytes: 64}).XOFF {
		}
	}
	require.Equal(t, []int{0, 1}, paused(m, 2))
	require.False(t, m.Leave(mmu.Packet{Group: 1, Bytes: 64}).XON, "that was headroom")
	left := 0
	for _, ok := m.Resume(0); !ok; _, ok = m.Resume(0) {
		require.Equal(t, 2, m.Leave(mmu.Packet{Bytes: 64}).Paused)
		left++
	}
	require.Equal(t, []int{0}, paused(m, 2), "group 1 resumed while group 0 was drained")
	require.Greater(t, left, 1)
	require.NoError(t, m.Check())
}

func TestMMUWatermarksCountersClone(t *testing.T) {
	m := mmuOf(t, oneGroup(1))
	p := mmu.Packet{Bytes: 64}
	for m.Arrive(p).Drop == mmu.CauseNone {
	}
	require.Equal(t, mmu.Watermarks{GroupShared: 6536, GroupHeadroom: 520, Pool: 6536, HeadroomPool: 520},
		m.Watermarks(0, 0))
	require.Equal(t, mmu.Counters{Admitted: 7062, Dropped: 1, XOFF: 1}, m.Counters())
	copied := m.Clone()
	before := m.Snapshot(nil)
	for range 7062 {
		m.Leave(p)
	}
	require.Equal(t, before, copied.Snapshot(nil), "a clone shares nothing")
	m.ClearWatermarks()
	require.Equal(t, mmu.Watermarks{}, m.Watermarks(0, 0))
	require.Equal(t, []mmu.Balance{{Account: mmu.Dropped, Index: int(mmu.CauseHeadroom), Value: 1}}, m.Snapshot(nil))
	require.Equal(t, "dropped, headroom full: 1", m.Snapshot(nil)[0].String())
	require.Panics(t, func() { m.Leave(p) }, "a packet that is not there cannot leave")
}

func TestSetGroup(t *testing.T) {
	c := oneGroup(1)
	c.Pools = append(c.Pools, mmu.Pool{Shared: 5})
	m := mmuOf(t, c)
	p := mmu.Packet{Bytes: 64}
	for range 100 {
		m.Arrive(p)
	}
	g := c.Groups[0]
	g.Pool = 1
	require.ErrorIs(t, m.SetGroup(0, g), mmu.ErrInUse)
	g = c.Groups[0]
	g.Limit, g.Reserved = thresholds.Static(10), 2
	require.NoError(t, m.SetGroup(0, g))
	require.True(t, m.Arrive(p).XOFF, "it holds more than it may: what is there stays, what comes waits in headroom")
	require.NoError(t, m.Check())
	g.Headroom = -1
	require.ErrorContains(t, m.SetGroup(0, g), "groups[0].headroom: -1 cells")
	g.Headroom, g.Pool = 1, 7
	require.ErrorContains(t, m.SetGroup(0, g), "pool 7")
}

// A group that holds more than its reserved cells, because they were made fewer, gives them back one by one.
func TestSetGroupOfFewerReservedCells(t *testing.T) {
	c := oneGroup(1)
	m := mmuOf(t, c)
	p := mmu.Packet{Bytes: 64}
	for range 6 {
		require.Equal(t, mmu.Held{Reserved: 1}, m.Arrive(p).Held)
	}
	c.Groups[0].Reserved = 5
	require.NoError(t, m.SetGroup(0, c.Groups[0]))
	for _, shared := range []cells.Count{1, 1, 0} {
		require.Equal(t, mmu.Held{Reserved: 1 - shared, Shared: shared}, m.Arrive(p).Held)
		require.NoError(t, m.Check())
		m.Leave(p)
		m.Leave(p)
		require.NoError(t, m.Check())
	}
}

// A group that may no longer use the global headroom gives back first what it has of it.
func TestSetGroupWithoutGlobalHeadroom(t *testing.T) {
	c := mmu.Config{Cell: 100, Pools: []mmu.Pool{{Shared: 10}}, GlobalHeadroom: 5, Groups: []mmu.Group{
		{Limit: thresholds.Static(2), Lossless: true, Headroom: 3, GlobalHeadroom: true}}}
	m, cell := mmuOf(t, c), mmu.Packet{Bytes: 100}
	for range 6 {
		require.Equal(t, mmu.CauseNone, m.Arrive(cell).Drop)
	}
	c.Groups[0].GlobalHeadroom = false
	require.NoError(t, m.SetGroup(0, c.Groups[0]))
	for _, want := range []mmu.Held{{Shared: 2, Headroom: 3}, {Shared: 2, Headroom: 2}} {
		m.Leave(cell)
		require.Equal(t, want, m.GroupState(0, 0).Held)
		require.NoError(t, m.Check())
	}
}

func TestMMUConfigComplains(t *testing.T) {
	_, err := mmu.New(mmu.Config{
		Pools:           []mmu.Pool{{Shared: -1}},
		PortPools:       []mmu.PortPool{{Reserved: -2}},
		EgressPortPools: []mmu.PortPool{{Reserved: 3}},
		Groups:          []mmu.Group{{Pool: 1, PortPool: 2, HeadroomPool: 1, Headroom: 4}},
		Queues:          []mmu.Queue{{}},
	})
	for _, want := range []string{"cell: 0 bytes", "pools[0].shared: -1", "port pools[0]: -2",
		"egress port pools[0].reserved: 3", "groups[0].pool: 1",
		"groups[0].port pool: 2", "groups[0].headroom pool: 1", "groups[0].headroom: 4 cells of a lossy group",
		"queues[0].pool: 0"} {
		require.ErrorContains(t, err, want)
	}
}

func TestMMUHotPathAllocatesNothing(t *testing.T) {
	c := oneGroup(8)
	c.Pools[0].Policy = halfOfFair{}
	m := mmuOf(t, c)
	readings := m.Snapshot(make([]mmu.Balance, 0, 100))
	require.Zero(t, testing.AllocsPerRun(1000, func() {
		p := mmu.Packet{Group: 3, Bytes: 1500}
		m.Arrive(p)
		m.Leave(p)
		m.Resume(0)
		readings = m.Snapshot(readings[:0])
	}))
}

// Under complete sharing one group can starve the other; under complete partition it cannot.
func TestLimitOfTheGroups(t *testing.T) {
	for name, c := range map[string]struct {
		limit thresholds.Limit
		first int64 // packets that group 0 gets in
		cause mmu.Cause
	}{
		"sharing":   {thresholds.Unlimited(), 100, mmu.CausePool},
		"partition": {thresholds.Static(50), 50, mmu.CauseGroupLimit},
		"static":    {thresholds.Static(70), 70, mmu.CauseGroupLimit},
		"dynamic":   {thresholds.Dynamic(3), 89, mmu.CauseGroupLimit},
	} {
		t.Run(name, func(t *testing.T) {
			m := mmuOf(t, mmu.Config{Cell: 64, Pools: []mmu.Pool{{Shared: 100}},
				Groups: []mmu.Group{{Limit: c.limit}, {Limit: c.limit}}})
			v := m.Arrive(mmu.Packet{Bytes: 64})
			for v.Drop == mmu.CauseNone {
				v = m.Arrive(mmu.Packet{Bytes: 64})
			}
			require.Equal(t, c.first, m.Counters().Admitted)
			require.Equal(t, c.cause, v.Drop)
		})
	}
}

// BenchmarkMMUAdmitRelease admits a packet and lets it leave: by Arrive, of whose verdict it reads whether the packet
// was dropped, and by Take.
func BenchmarkMMUAdmitRelease(b *testing.B) {
	for name, set := range map[string]func(*mmu.Config){
		"dynamic": func(*mmu.Config) {},
		"policy":  func(c *mmu.Config) { c.Pools[0].Policy = halfOfFair{} },
		"egress": func(c *mmu.Config) {
			c.EgressPools, c.Queues = []mmu.Pool{{Shared: 13071}}, make([]mmu.Queue, 8)
		},
	} {
		fill := func(b *testing.B) (*mmu.MMU, mmu.Packet) {
			c := oneGroup(8)
			set(&c)
			m := mmuOf(b, c)
			p := mmu.Packet{Group: 3, Bytes: 1500}
			for range 10 {
				m.Arrive(p)
			}
			return m, p
		}
		b.Run(name, func(b *testing.B) {
			m, p := fill(b)
			b.ReportAllocs()
			for b.Loop() {
				if m.Arrive(p).Drop != mmu.CauseNone {
					b.Fatal("dropped")
				}
				m.Leave(p)
			}
		})
		if name == "policy" {
			continue // Take knows none
		}
		b.Run("take-"+name, func(b *testing.B) {
			m, p := fill(b)
			b.ReportAllocs()
			for b.Loop() {
				if !m.Take(p) {
					b.Fatal("not taken")
				}
				m.Leave(p)
			}
		})
	}
}

// The fast division gives the same result as the division.
func TestMMUCellsOfAPacket(t *testing.T) {
	for _, cell := range []cells.Size{1, 2, 3, 64, 80, 208, 254, 256, 420, 4096, 1<<16 - 1, 1 << 16, 1<<20 - 1, 1 << 20} {
		m := mmuOf(t, mmu.Config{Cell: cell, Overhead: 64})
		for _, b := range []unit.Bytes{0, 1, 64, 143, 144, 145, 1500, 9216, 1 << 16, 1<<32 - 1, 1<<43 - 1, 1<<44 - 1,
			1 << 50} {
			for d := unit.Bytes(-1); d <= 1; d++ {
				n := max(b+d, 0)
				require.Equal(t, cell.Packet(n, 64), m.Cells(mmu.Packet{Bytes: n}), "%d bytes in cells of %d", n, cell)
			}
		}
	}
}
