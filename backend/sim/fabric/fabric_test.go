package fabric

import (
	"testing"
	"unsafe"

	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/packet"
	"github.com/cellwarden/cellwarden/buffer/mmu"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// incast is n hosts that send to one more, through one switch.
func incast(n int, size unit.Bytes) Network {
	net := Network{Hosts: make([]Host, n+1), Switches: make([]Switch, 1), Seed: 1}
	sw := &net.Switches[0]
	sw.MMU = mmu.Config{Cell: 208, Pools: []mmu.Pool{{Shared: 60000}}, EgressPools: []mmu.Pool{{Shared: 1 << 30}}}
	for i := range n + 1 {
		net.Hosts[i].PFC = 1 << 3
		port := SwitchPort{PFC: 1 << 3}
		for p := range Priorities {
			port.Groups[p], port.Queues[p], port.Cells[p] = i*2, p, i*8+p
		}
		port.Groups[3] = i*2 + 1
		sw.Ports = append(sw.Ports, port)
		sw.MMU.Groups = append(sw.MMU.Groups, mmu.Group{Limit: thresholds.Dynamic(0)},
			mmu.Group{Reserved: 6, Limit: thresholds.Dynamic(-3), Lossless: true, Headroom: 300,
				XON: thresholds.XON{Offset: 11}})
		for range Priorities {
			sw.MMU.Queues = append(sw.MMU.Queues, mmu.Queue{Limit: thresholds.Unlimited()})
		}
		net.Links = append(net.Links, Link{A: AtHost(i), B: AtSwitch(0, i), Rate: 100 * unit.Gbps,
			Delay: unit.Microsecond})
		if i < n {
			net.Flows = append(net.Flows, Flow{From: i, To: n, Priority: 3, PCP: 3, Frame: 1048, Header: 48,
				Size: size, Start: unit.Microsecond})
		}
	}
	return net
}

func TestIncast(t *testing.T) {
	s, err := New(incast(16, 1e6))
	require.NoError(t, err)
	s.Run(unit.Second)
	require.NoError(t, s.Check())
	sum := s.Summary()
	t.Logf("%+v", sum)
	require.EqualValues(t, 16000, sum.Delivered)
	require.Zero(t, sum.Drops)
	require.Positive(t, sum.PauseSent)
}

// Ports are whole lines of the processor's cache, 64 bytes long, and what belongs together lies in one. The sizes are
// those of 64-bit machines.
func TestLayout(t *testing.T) {
	var p port
	require.Zero(t, unsafe.Sizeof(p)%64)
	require.EqualValues(t, 64, unsafe.Offsetof(p.busy), "what frames that arrive need")
	require.EqualValues(t, 128, unsafe.Offsetof(p.leaving), "what frames that begin to leave need")
	require.EqualValues(t, 192, unsafe.Offsetof(p.queues), "what switches need beside that")
	require.EqualValues(t, 32, unsafe.Sizeof(p.queues[0]))
	require.EqualValues(t, 32, unsafe.Sizeof(packet.Packet{}))
	require.EqualValues(t, 64, unsafe.Sizeof(crossing{}))
	require.EqualValues(t, 64, unsafe.Sizeof(border{}))
	var f flow
	require.EqualValues(t, 128, unsafe.Offsetof(f.delivered), "what the receiver changes")
	require.EqualValues(t, 64, unsafe.Offsetof(f.sender), "what both ends read")
	require.Zero(t, unsafe.Sizeof(f)%64)
}
