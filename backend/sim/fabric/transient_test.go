package fabric

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/buffer/mmu"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/thresholds/ecn"
	"github.com/cellwarden/cellwarden/unit"
)

// burst is the transient of dynamic thresholds in packets: an egress queue that
// has been at its threshold for long, and r hosts that begin to fill another of
// the same pool, out of step with each other, so that it grows by r-1 cells in
// the time of one.
func burst(pool cells.Count, alpha thresholds.Alpha, r int) Network {
	const last = 4 // hosts before the r: two senders and the receiver of the first queue, and the second's receiver
	net := Network{Switches: make([]Switch, 1), Hosts: make([]Host, last+r)}
	sw := &net.Switches[0]
	sw.MMU = mmu.Config{Cell: 208, Pools: []mmu.Pool{{Shared: 1 << 30}},
		Groups:      []mmu.Group{{Limit: thresholds.Unlimited()}},
		EgressPools: []mmu.Pool{{Shared: pool}}}
	for i := range net.Hosts {
		port := SwitchPort{}
		for p := range Priorities {
			port.Queues[p], port.Cells[p] = p, i*Priorities+p
			sw.MMU.Queues = append(sw.MMU.Queues, mmu.Queue{Limit: thresholds.Dynamic(alpha)})
		}
		sw.Ports = append(sw.Ports, port)
		net.Links = append(net.Links, Link{A: AtHost(i), B: AtSwitch(0, i), Rate: 100 * unit.Gbps})
	}
	flow := func(from, to int, start unit.Time) {
		net.Flows = append(net.Flows, Flow{From: from, To: to, PCP: -1, Frame: 64, Start: start})
	}
	flow(0, 2, 0)
	flow(1, 2, unit.Nanosecond)
	for i := range r {
		flow(last+i, 3, transientStart+unit.Time(i)*transientCell/unit.Time(r))
	}
	return net
}

const (
	transientStart = 20 * unit.Microsecond
	transientCell  = 84 * 8 * 10 * unit.Picosecond // a 64-byte frame with preamble and gap at 100G
)

// The closed form gives the time at which the new queue meets its threshold,
// and its length then (Choudhury and Hahne 1998; package thresholds).
func TestTransient(t *testing.T) {
	if testing.Short() {
		t.Skip("it simulates long runs")
	}
	for _, pool := range []cells.Count{100, 1000} {
		for _, alpha := range []thresholds.Alpha{-4, -3, -1, 0, 1, 3} {
			t.Run(fmt.Sprintf("%d cells alpha %v", pool, alpha), func(t *testing.T) {
				const r = 10
				form := ecn.Burst{Pool: pool, Alpha: alpha, Old: 1, New: 1,
					Arrival: thresholds.Fraction{Num: r, Den: 1}}
				want, err := form.Transient()
				require.NoError(t, err)
				s, err := New(burst(pool, alpha, r))
				require.NoError(t, err)
				var first, queue int64 = -1, 0
				s.Observe(func(e *Event) {
					if e.Out == 3 && e.Kind == Dropped && first < 0 {
						first = int64(e.At - transientStart)
						reserved, shared := s.MMU(0).QueueState(0, 3*Priorities)
						queue = int64(reserved + shared)
					}
				})
				s.Run(2 * transientStart)
				require.Positive(t, first)
				require.InDelta(t, number(want.Queue), float64(queue), 2, "cells")
				require.InDelta(t, number(want.Time), float64(first)/float64(transientCell), 2, "cell times")
			})
		}
	}
}

func number(f thresholds.Fraction) float64 { return float64(f.Num) / float64(f.Den) }
