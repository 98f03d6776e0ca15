package behaviour_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/asic/behaviour"
	"github.com/cellwarden/cellwarden/buffer/mmu"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// spectrumSelftests is what the kernel's tests of a Spectrum switch do and expect, as far as it concerns occupancy.
type spectrumSelftests struct {
	Occupancy struct {
		Cells     []cells.Size
		Packet    unit.Bytes `json:"packet_bytes"`
		Occupancy int64      `json:"occupancy_cells"`
	}
	PFC struct {
		Cell     cells.Size
		MTU      unit.Bytes `json:"mtu_bytes"`
		Pool     unit.Bytes `json:"lossless_pool_bytes"`
		Egress   unit.Bytes `json:"egress_pool_bytes"`
		Headroom unit.Bytes `json:"headroom_bytes"`
		Packet   unit.Bytes `json:"packet_bytes"`
		Burst    unit.Bytes `json:"burst_bytes"`
		Arrivals int        `json:"arrivals_per_departure"`
		Received [2]int     `json:"received_percent"`
	}
}

func readSpectrumSelftests(t *testing.T) (file spectrumSelftests) {
	data, err := os.ReadFile(filepath.Join("testdata", "mlxsw", "selftests.json"))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, &file))
	require.Len(t, file.Occupancy.Cells, 4)
	return file
}

// sharedbuffer.sh: one small packet is exactly one cell in the ingress pool, its port and group, and in the egress
// pool, its port and queue. No other counter changes.
func TestSpectrumOneSmallPacketIsOneCell(t *testing.T) {
	file := readSpectrumSelftests(t).Occupancy
	for _, cell := range file.Cells {
		c := mmu.Config{Cell: cell, Pools: make([]mmu.Pool, 4), EgressPools: make([]mmu.Pool, 4),
			PortPools: make([]mmu.PortPool, 2), EgressPortPools: make([]mmu.PortPool, 2),
			Groups: make([]mmu.Group, 8), Queues: make([]mmu.Queue, 8)}
		c.Pools[0].Shared, c.EgressPools[2].Shared = 1000, 1000
		c.Groups[0] = mmu.Group{PortPool: 1, Limit: thresholds.Dynamic(0)}
		c.Queues[3] = mmu.Queue{Pool: 2, PortPool: 2, Limit: thresholds.Dynamic(0)}
		m, err := mmu.New(c)
		require.NoError(t, err)
		p := mmu.Packet{Queue: 3, Bytes: file.Packet}
		require.Equal(t, mmu.CauseNone, m.Arrive(p).Drop)
		n := file.Occupancy
		require.Equal(t, []mmu.Balance{
			{Account: mmu.PoolUsed, Value: n}, {Account: mmu.PoolWatermark, Value: n},
			{Account: mmu.PortShared, Value: n},
			{Account: mmu.GroupSharedUsed, Value: n}, {Account: mmu.GroupSharedPeak, Value: n},
			{Account: mmu.EgressUsed, Index: 2, Value: n}, {Account: mmu.EgressPeak, Index: 2, Value: n},
			{Account: mmu.EgressPortUsed, Index: 1, Value: n},
			{Account: mmu.QueueSharedUsed, Index: 3, Value: n}, {Account: mmu.QueueSharedPeak, Index: 3, Value: n},
		}, m.Snapshot(nil), "cells of %d bytes", cell)
		m.Leave(p)
		require.Equal(t, []mmu.Balance{
			{Account: mmu.PoolWatermark, Value: n}, {Account: mmu.GroupSharedPeak, Value: n},
			{Account: mmu.EgressPeak, Index: 2, Value: n}, {Account: mmu.QueueSharedPeak, Index: 3, Value: n},
		}, m.Snapshot(nil), "the maximal occupancy stays")
	}
}

// pfcBurst sends the burst of qos_pfc.sh at five times the rate at which it drains. The sender stops late packets after
// XOFF. It returns how many packets were sent, dropped and received, and how often XOFF was sent.
func pfcBurst(t *testing.T, late int) (sent, dropped, received int, counts mmu.Counters) {
	file := readSpectrumSelftests(t).PFC
	cell := file.Cell
	threshold := cell.Bytes(2 * cell.Holding(file.MTU))
	g, err := behaviour.SpectrumBuffer{Size: file.Headroom, XOFF: threshold, XON: threshold}.Group(cell,
		thresholds.Static(cell.Within(file.Pool)))
	require.NoError(t, err)
	m, err := mmu.New(mmu.Config{Cell: cell, Pools: []mmu.Pool{{Shared: cell.Within(file.Pool)}},
		Groups:      []mmu.Group{g},
		EgressPools: []mmu.Pool{{Shared: cell.Within(file.Egress)}},
		Queues:      []mmu.Queue{{Limit: thresholds.Unlimited()}}})
	require.NoError(t, err)
	p := mmu.Packet{Bytes: file.Packet}
	// credit: packets still sent after XOFF; below 0: not paused
	total, held, credit := int(file.Burst/file.Packet), 0, -1
	for tick := 1; received+dropped < total; tick++ {
		if sent < total && credit != 0 {
			sent++
			credit = max(credit-1, -1)
			switch v := m.Arrive(p); {
			case v.Drop != mmu.CauseNone:
				dropped++
			default:
				held++
				if v.XOFF {
					credit = late
				}
			}
		}
		if tick%file.Arrivals == 0 && held > 0 {
			held--
			received++
			if m.Leave(p).XON {
				credit = -1
			}
		}
	}
	require.NoError(t, m.Check())
	reserved, shared := m.QueueState(0, 0)
	require.Zero(t, reserved+shared, "everything has left the egress")
	require.Zero(t, m.PoolUsed(0, 0)+m.GroupState(0, 0).Held.Total(), "everything has left")
	return sent, dropped, received, m.Counters()
}

// qos_pfc.sh: a burst of ten times the pool passes without loss, because XOFF is sent early enough for the headroom to
// hold the packets in flight. The MMU has no clock: the two seconds of the test, and the bytes in flight on a real
// link, are tested by a simulator. With more packets in flight than the headroom holds, packets are lost.
func TestSpectrumPFCBurstIsLossless(t *testing.T) {
	file := readSpectrumSelftests(t).PFC
	for late := range 9 {
		sent, dropped, received, counts := pfcBurst(t, late)
		require.Zero(t, dropped, "%d packets after XOFF", late)
		require.Equal(t, sent, received, "dout == din")
		percent := 100 * received / int(file.Burst/file.Packet)
		require.GreaterOrEqual(t, percent, file.Received[0])
		require.LessOrEqual(t, percent, file.Received[1])
		require.Positive(t, counts.XOFF)
		require.Equal(t, counts.XOFF, counts.XON)
	}
	_, dropped, _, _ := pfcBurst(t, 20)
	require.Positive(t, dropped)
}
