package fabric_test

import (
	"fmt"

	"github.com/cellwarden/cellwarden/buffer/mmu"

	"github.com/cellwarden/cellwarden/backend/sim/fabric"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// Two switches send one host's frames to each other for a millisecond. The loop carries 2 * 40 Gb/s / 16 = 5 Gb/s; at
// 5.5 it fills, and stays locked when the routes are right again.
func ExampleSim_Deadlock() {
	n := fabric.Network{Hosts: []fabric.Host{{PFC: pfc.Of(3)}, {PFC: pfc.Of(3)}}}
	for _, name := range []string{"s1", "s2"} {
		sw := fabric.Switch{Name: name, MMU: mmu.Config{Cell: 256, Pools: []mmu.Pool{{Shared: 1000}}}}
		for i := range 2 {
			p := fabric.SwitchPort{Name: fmt.Sprintf("Ethernet%d", i+1), PFC: pfc.Of(3), Tagged: true}
			for priority := range fabric.Priorities {
				p.Groups[priority], p.Queues[priority] = i, priority
			}
			sw.Ports = append(sw.Ports, p)
			sw.MMU.Groups = append(sw.MMU.Groups, mmu.Group{Limit: thresholds.Static(100), Lossless: true,
				Headroom: 100})
		}
		n.Switches = append(n.Switches, sw)
	}
	for _, ends := range [][2]fabric.End{
		{fabric.AtHost(0), fabric.AtSwitch(0, 0)}, {fabric.AtSwitch(0, 1), fabric.AtSwitch(1, 0)},
		{fabric.AtSwitch(1, 1), fabric.AtHost(1)}} {
		n.Links = append(n.Links, fabric.Link{A: ends[0], B: ends[1], Rate: 40 * unit.Gbps})
	}
	n.Flows = []fabric.Flow{{From: 0, To: 1, Priority: 3, PCP: 3, Frame: 1024, TTL: 16, Rate: 5500 * unit.Mbps}}
	n.Failures = []fabric.Failure{{Kind: fabric.Misroute, Host: 1, Until: unit.Millisecond,
		Detours: []fabric.Detour{{Switch: 0, Ports: []int{1}}, {Switch: 1, Ports: []int{0}}}}}

	s, err := fabric.New(n)
	if err != nil {
		fmt.Println(err)
		return
	}
	s.Run(5 * unit.Millisecond)
	cycle, locked := s.Deadlock()
	fmt.Println(locked, s.Summary().Delivered)
	fmt.Println(cycle)
	// Output:
	// true 0
	// s1 Ethernet2 queue 3 -> s2 Ethernet1 queue 3 -> s1 Ethernet2 queue 3
}
