package fabric_test

import (
	"fmt"

	"github.com/cellwarden/cellwarden/backend/sim/fabric"
	"github.com/cellwarden/cellwarden/buffer/mmu"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// Two hosts send a burst to a third one at line rate. The switch receives twice as much as the egress link carries, its
// priority groups exceed their limits, and it pauses both senders. No frame is lost, because the headroom takes what
// arrives before the pause acts.
func Example() {
	host := fabric.Host{PFC: pfc.Of(3)}
	s1 := fabric.Switch{Name: "s1", MMU: mmu.Config{Cell: 256, Pools: []mmu.Pool{{Shared: 1000}}}}
	n := fabric.Network{Hosts: []fabric.Host{host, host, host}}
	for i := range n.Hosts {
		// Every priority of a port is counted in one group. The groups of the ports differ.
		p := fabric.SwitchPort{Name: fmt.Sprintf("Ethernet%d", i+1), PFC: pfc.Of(3), Tagged: true}
		for priority := range fabric.Priorities {
			p.Groups[priority], p.Queues[priority] = i, priority
		}
		s1.Ports = append(s1.Ports, p)
		s1.MMU.Groups = append(s1.MMU.Groups, mmu.Group{Limit: thresholds.Static(100), Lossless: true, Headroom: 200})
		n.Links = append(n.Links, fabric.Link{A: fabric.AtHost(i), B: fabric.AtSwitch(0, i), Rate: 100 * unit.Gbps,
			Delay: 200 * unit.Nanosecond})
	}
	n.Switches = []fabric.Switch{s1}
	for sender := range 2 {
		n.Flows = append(n.Flows, fabric.Flow{From: sender, To: 2, Priority: 3, PCP: 3, Frame: 1024, Size: 500 * 1024})
	}

	s, err := fabric.New(n)
	if err != nil {
		fmt.Println(err)
		return
	}
	s.Run(unit.Millisecond)
	r := s.Summary()
	fmt.Println(r.Sent, "frames sent,", r.Delivered, "delivered,", r.Drops, "dropped")
	fmt.Println(r.PauseSent, "pause frames, at most", r.MaxHeadroom, "cells of headroom in use")
	// Output:
	// 1000 frames sent, 1000 delivered, 0 dropped
	// 165 pause frames, at most 16 cells of headroom in use
}
