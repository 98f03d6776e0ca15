package fabric

import (
	"testing"

	"github.com/cellwarden/cellwarden/buffer/mmu"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// fatTree is a three-tier fat tree of switches with k ports: k*k*k/4 hosts.
func fatTree(k int) Network {
	half := k / 2
	net := Network{Hosts: make([]Host, k*half*half), Seed: 1}
	link := func(a, b End) {
		net.Links = append(net.Links, Link{A: a, B: b, Rate: 100 * unit.Gbps, Delay: unit.Microsecond})
	}
	edge := func(pod, i int) int { return pod*k + i }
	aggregation := func(pod, i int) int { return pod*k + half + i }
	core := func(i, j int) int { return k*k + i*half + j }
	sw := losslessSwitch(k) // all share its lists: most of the memory that a description takes
	for range k*k + half*half {
		net.Switches = append(net.Switches, sw)
	}
	for pod := range k {
		for i := range half {
			for j := range half {
				host := (pod*half+i)*half + j
				net.Hosts[host].PFC = pfc.Of(3)
				link(AtHost(host), AtSwitch(edge(pod, i), j))
				link(AtSwitch(edge(pod, i), half+j), AtSwitch(aggregation(pod, j), i))
				link(AtSwitch(aggregation(pod, i), half+j), AtSwitch(core(i, j), pod))
			}
		}
	}
	return net
}

// losslessSwitch has a lossless priority 3 on each of its ports.
func losslessSwitch(ports int) Switch {
	sw := Switch{MMU: mmu.Config{Cell: 208, Pools: []mmu.Pool{{Shared: 60000}},
		EgressPools: []mmu.Pool{{Shared: 1 << 30}}}}
	for i := range ports {
		port := SwitchPort{PFC: pfc.Of(3), Tagged: true}
		for p := range Priorities {
			port.Groups[p], port.Queues[p], port.Cells[p] = i*2, p, i*Priorities+p
			sw.MMU.Queues = append(sw.MMU.Queues, mmu.Queue{Limit: thresholds.Unlimited()})
		}
		port.Groups[3] = i*2 + 1
		sw.Ports = append(sw.Ports, port)
		sw.MMU.Groups = append(sw.MMU.Groups, mmu.Group{Limit: thresholds.Dynamic(0)},
			mmu.Group{Reserved: 6, Limit: thresholds.Dynamic(-3), Lossless: true, Headroom: 300,
				XON: thresholds.XON{Offset: 11}})
	}
	return sw
}

// permutation lets every host send to another, far away, with an ACK for each frame if asked.
func permutation(net *Network, size unit.Bytes, answered bool) {
	n := len(net.Hosts)
	for i := range n {
		f := Flow{From: i, To: (i*5 + n/2 + 1) % n, Priority: 3, PCP: 3, Frame: 1048, Header: 48, Size: size,
			Start: unit.Time(i) * unit.Nanosecond}
		if answered {
			f.Sender = Sender{ACK: ACK{Every: 1, Class: Class{Priority: 6, PCP: 6}}}
		}
		net.Flows = append(net.Flows, f)
	}
}

func TestFatTree(t *testing.T) {
	net := fatTree(4)
	permutation(&net, 50_000, true)
	s, err := New(net)
	require.NoError(t, err)
	s.Run(unit.Second)
	require.NoError(t, s.Check())
	require.EqualValues(t, 16*50, s.Summary().Delivered)
	require.Zero(t, s.Summary().Drops)
}
