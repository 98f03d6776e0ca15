package fabric

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/unit"
)

// relay is three hosts on one switch, and three flows each of which waits for the one before: 0 to 1, 1 to 2, 2 to 0.
func relay() Network {
	net := Network{Switches: []Switch{losslessSwitch(3)}}
	for i := range 3 {
		net.Hosts = append(net.Hosts, Host{})
		net.Links = append(net.Links, Link{A: AtHost(i), B: AtSwitch(0, i), Rate: 100 * unit.Gbps,
			Delay: unit.Microsecond})
		net.Flows = append(net.Flows, Flow{From: i, To: (i + 1) % 3, Priority: 3, PCP: 3, Frame: 1048, Header: 48,
			Size: 2000})
	}
	net.Flows[1].After, net.Flows[2].After = []int{0}, []int{1}
	net.Flows[2].Delay = 5 * unit.Microsecond
	return net
}

// alone is the time that two frames of 1,048 bytes take over two links of relay: three times on the wire at
// (1,048 + 20) bytes and 80 ps a byte, and two cables.
const alone = 3*1068*80 + 2*unit.Microsecond

// A flow starts when the flow that it waits for has arrived, or a delay later.
func TestFlowStartsWhenAnotherHasArrived(t *testing.T) {
	s := started(t, relay())
	s.Run(alone - 1)
	_, ok := s.Started(1)
	require.False(t, ok)
	require.False(t, s.Arrived(0))
	s.Run(unit.Second)
	for i, want := range []unit.Time{0, alone, 2*alone + 5*unit.Microsecond} {
		at, ok := s.Started(i)
		require.True(t, ok)
		require.Equal(t, want, at)
		require.True(t, s.Arrived(i))
		require.Equal(t, want+alone, s.Flow(i).Last)
	}
}

// Start is the earliest start, and a flow does not start after its Stop. What waits for it then waits without end.
func TestWaitingHasBounds(t *testing.T) {
	net := relay()
	net.Flows[1].Start = 50 * unit.Microsecond
	s := started(t, net)
	s.Run(unit.Second)
	at, _ := s.Started(1)
	require.Equal(t, 50*unit.Microsecond, at)

	net.Flows[1].Stop = 40 * unit.Microsecond
	s = started(t, net)
	s.Run(unit.Second)
	for _, i := range []int{1, 2} {
		_, ok := s.Started(i)
		require.False(t, ok)
		require.Zero(t, s.Flow(i).Sent)
	}
}

// A sender's times count from its start: a trace's bursts, and the times of on and off.
func TestSenderThatWaits(t *testing.T) {
	net := relay()
	net.Flows[1].Size = 0
	net.Flows[1].Sender.Trace = []Burst{{At: 0, Bytes: 1000}, {At: 10 * unit.Microsecond, Bytes: 1000}}
	net.Flows[2].Sender.OnOff = OnOff{On: unit.Microsecond, Off: 7 * unit.Microsecond}
	net.Flows[2].Size = 20_000
	s := started(t, net)
	s.Run(unit.Second)
	frame := 1068 * 80 * unit.Picosecond
	require.Equal(t, alone+10*unit.Microsecond+alone-frame, s.Flow(1).Last)
	at, _ := s.Started(2)
	require.Equal(t, s.Flow(1).Last+5*unit.Microsecond, at)
	// 12 frames begin within 1 us, and the other 8 in the next time of sending.
	require.Equal(t, at+8*unit.Microsecond+8*frame+frame+2*unit.Microsecond, s.Flow(2).Last)
}

// A flow may wait for arrivals at other hosts. The network is then one part.
func TestWaitingForOtherHosts(t *testing.T) {
	net := fatTree(4)
	net.Flows = nil
	for i := range 4 {
		net.Flows = append(net.Flows, Flow{From: i, To: i + 8, Priority: 3, PCP: 3, Frame: 1048, Header: 48, Size: 10_000})
	}
	require.Greater(t, len(started(t, net).parts), 1)
	barrier := []int{0, 1, 2}
	net.Flows[3].After = barrier
	s := started(t, net)
	require.Len(t, s.parts, 1)
	s.Run(unit.Second)
	at, _ := s.Started(3)
	require.Equal(t, max(s.Flow(0).Last, s.Flow(1).Last, s.Flow(2).Last), at)
	require.True(t, s.Arrived(3))
}

// A flow can wait until the sender of another has its last acknowledgement: so the hosts of both are one.
func TestWaitingForAcknowledgements(t *testing.T) {
	net := relay()
	net.Flows = []Flow{net.Flows[0], net.Flows[0]}
	net.Flows[0].Sender.ACK = ACK{Every: 1, Class: Class{Priority: 6, PCP: 6}}
	net.Flows[1].After, net.Flows[1].Acknowledged = []int{0}, true
	s := started(t, net)
	s.Run(unit.Second)
	at, _ := s.Started(1)
	answer := 2*90*80*unit.Picosecond + 2*unit.Microsecond // an ACK of 70 bytes, with a tag, over two links
	require.Equal(t, alone+answer, at)

	net.Flows[0].Sender.ACK = ACK{}
	require.ErrorContains(t, net.Validate(), "flows[1].after[0]: 0 (want a flow with acknowledgements")
}

// Flows that start in turn start one with each arrival.
func TestFlowsInTurn(t *testing.T) {
	net := relay()
	long := net.Flows[0]
	long.Size = 50_000
	net.Flows = append(net.Flows[:1], long)
	both := []int{1, 0}
	for range 3 {
		next := Flow{From: 1, To: 2, Priority: 3, PCP: 3, Frame: 1048, Header: 48, Size: 1000, After: both, InTurn: true}
		net.Flows = append(net.Flows, next)
	}
	require.ErrorContains(t, net.Validate(), "flows[4].after: flows that wait for each other in a circle, or without end")
	net.Flows = net.Flows[:4]
	s := started(t, net)
	s.Run(unit.Second)
	for i := range 2 {
		at, _ := s.Started(2 + i)
		require.Equal(t, s.Flow(i).Last, at)
	}
}

// Lists that cannot be meant are refused.
func TestAfterIsValidated(t *testing.T) {
	for want, change := range map[string]func(f []Flow){
		"flows[1].after[0]: 9 (want 0 to 2, one of 3 flows)":           func(f []Flow) { f[1].After = []int{9} },
		"flows[1].after[0]: 0 (want a flow with an end":                func(f []Flow) { f[0].Size = 0 },
		"flows[0].after: flows that wait for each other in a circle":   func(f []Flow) { f[0].After = []int{2} },
		"flows[1].after: flows that wait for each other in a circle":   func(f []Flow) { f[1].After = []int{1} },
		"flows[0].delay: 1us (want 0 for a flow that waits for no oth": func(f []Flow) { f[0].Delay = 1e6 },
		"flows[2].delay: -1ps": func(f []Flow) { f[2].Delay = -1 },
	} {
		net := relay()
		change(net.Flows)
		require.ErrorContains(t, net.Validate(), want)
	}
}
