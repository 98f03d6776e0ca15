package cabling

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/internal/inventory"
	"github.com/cellwarden/cellwarden/internal/observed"
	"github.com/cellwarden/cellwarden/unit"
)

// This file reads what tells cables without listing them: what a machine hears by LLDP, and the numbers of a fat tree
// of htsim.

// lldp reads the JSON of `lldpcli -f json show neighbors details`, also with json0, of one machine. The machine has the
// name of the file without its ending: the JSON does not have it. A neighbour that both ends hear is one cable, and
// ends that hear different ones are refused.
func (s *source) lldp() error {
	heard, err := observed.Neighbours([]byte(s.text))
	if err != nil {
		return fmt.Errorf("%s: %w", s.file, err)
	}
	for i := range heard {
		x := &heard[i]
		if inventory.Management().MatchString(x.Interface) {
			s.note(0, "%s is for management, and is left out", x.Interface)
			continue
		}
		// The name of the system, as people know it; a chassis is often named by its address alone.
		name := cmp.Or(x.PDU.SystemName(), x.Name.ChassisName())
		s.cable(0, End{s.own(), x.Interface}, End{name, x.Name.PortName()}, 0, 0)
	}
	return nil
}

// htsimTier is a tier of switches of htsim: 0 are the ToRs.
type htsimTier struct{ down, up, bundle, speed int }

// mostHTSim bounds a number of a topology of htsim, so that no product of them overflows.
const mostHTSim = 1 << 17

// mostNodes is the largest number of hosts and switches of the file of a fabric.
const mostNodes = 40_000

// htsim reads a topology of htsim (csg-htsim, sim/datacenter/topologies): a fat tree of two or three tiers by its
// numbers. Hosts are h0 and up in the order of ToRs, as in its lists of flows. Each ToR of a pod reaches every switch
// of the pod's second tier, and in three tiers the switches of one place in all pods share their cores: place + l times
// the switches of the second tier of a pod, for l from 0 (csg-htsim, sim/datacenter/fat_tree_topology.cpp,
// init_network).
func (s *source) htsim() error {
	var tiers []htsimTier
	nodes, pod := 0, 0
	numbers := map[string]*int{"Nodes": &nodes, "Podsize": &pod} // latencies and queues say nothing of cables
	for line, text := range s.lines() {
		f := strings.Fields(text)
		if len(f) < 2 || strings.HasPrefix(f[0], "#") {
			continue
		}
		if f[0] == "Tier" {
			if f[1] != strconv.Itoa(len(tiers)) || len(tiers) == 3 {
				s.fail(line, "tier %s (want 0, 1 and 2 in their order)", fielderr.Quote(f[1]))
				return nil
			}
			tiers = append(tiers, htsimTier{bundle: 1})
			t := &tiers[len(tiers)-1]
			numbers["Radix_Down"], numbers["Radix_Up"] = &t.down, &t.up
			numbers["Bundle"], numbers["Downlink_speed_Gbps"] = &t.bundle, &t.speed
			continue
		}
		if to := numbers[f[0]]; to != nil {
			n, err := strconv.Atoi(f[1])
			if err != nil || n < 1 || n > mostHTSim {
				s.fail(line, "%s %s (want 1 to %d)", f[0], fielderr.Quote(f[1]), mostHTSim)
				return nil
			}
			*to = n
		}
	}
	s.fatTree(nodes, pod, tiers)
	return nil
}

// fatTree adds the cables of a fat tree, if its numbers fit each other.
func (s *source) fatTree(nodes, pod int, t []htsimTier) {
	if pod == 0 || len(t) == 2 {
		pod = nodes // two tiers are one pod
	}
	fits := func(a, b int) bool { return b > 0 && a > 0 && a%b == 0 }
	if len(t) < 2 || !fits(nodes, pod) || !fits(pod, t[0].down) || !fits(pod/t[0].down*t[0].up, t[1].down) {
		s.fail(0, "the numbers are those of no fat tree (want Nodes a multiple of Podsize, this of Radix_Down of tier 0, "+
			"and uplinks of a pod of Radix_Down of tier 1)")
		return
	}
	tors, seconds := pod/t[0].down, pod/t[0].down*t[0].up/t[1].down
	cores := 0
	if len(t) == 3 {
		if !fits(nodes/pod*t[1].up, t[2].down) || !fits(t[1].up, t[2].bundle) || nodes/pod*t[2].bundle != t[2].down {
			s.fail(0, "the numbers of tier 2 do not fit (want Radix_Down of tier 2 to be Bundle times the pods)")
			return
		}
		cores = t[1].up / t[2].bundle
	}
	if !fits(t[0].up, seconds) || nodes*2+nodes/pod*(tors*t[0].up+seconds*t[1].up) > MaxCables {
		s.fail(0, "more than %d cables, or a ToR with fewer uplinks than its pod has switches above (want as many to each)",
			MaxCables)
		return
	}
	if all := nodes + nodes/pod*(tors+seconds) + seconds*cores; all > mostNodes {
		s.fail(0, "%d hosts and switches (want at most %d)", all, mostNodes)
		return
	}
	join := func(a, b string, count, speed int) {
		for range count {
			s.cable(0, End{Node: a}, End{Node: b}, unit.BitRate(speed)*1000*1000*1000, 0)
		}
	}
	for p := range nodes / pod {
		for i := range tors {
			tor := fmt.Sprintf("tor%d", p*tors+i)
			for h := range t[0].down {
				host := fmt.Sprintf("h%d", (p*tors+i)*t[0].down+h)
				s.is(0, host, "a node of", "htsim", "htsim")
				join(host, tor, 1, t[0].speed)
			}
			for s := range seconds {
				join(tor, fmt.Sprintf("agg%d", p*seconds+s), t[0].up/seconds, t[1].speed)
			}
		}
		for s := range seconds {
			for c := range cores {
				join(fmt.Sprintf("agg%d", p*seconds+s), fmt.Sprintf("core%d", s+seconds*c), t[2].bundle, t[2].speed)
			}
		}
	}
}
