package fabric

import (
	"fmt"

	"github.com/cellwarden/cellwarden/buffer/mmu"
)

// A network may cost this much before its first event. A usual machine has the memory beside other programs, and makes
// the steps in a few seconds. A fat tree of k = 32 (8,192 hosts, 1,280 switches) is within both; k = 40 is not.
const (
	MaxSetupBytes = 1 << 30
	MaxSetupSteps = 1 << 26
)

// What the parts of a network take. The numbers are measured with Go 1.26 on a machine of 64 bits and rounded up;
// TestSetupBudget compares them with what a setup allocates.
const (
	bytesOfPort    = 6 << 10 // a port of a host or a switch, with its link, counters and timers
	bytesOfRoute   = 48      // the routes of a switch to a host
	bytesOfFlow    = 5 << 10 // a flow, with its sender
	bytesOfAccount = 1600    // a group or a queue in one slice
)

// Setup is what a network costs before its first event.
type Setup struct {
	Ports    int   // of hosts and switches
	Routes   int   // hosts times switches
	Flows    int   // in all
	Accounts int   // groups and queues of all switches, in all their slices
	Bytes    int64 // of memory: an estimate that is not below what is allocated
	Steps    int64 // ports and hosts that are visited to find routes, pairs of ports and pairs of flows of a host
}

// Setup returns what the network costs before its first event.
func (n Network) Setup() Setup {
	c := Setup{Ports: len(n.Hosts), Routes: len(n.Hosts) * len(n.Switches), Flows: len(n.Flows)}
	pairs := 0
	for i := range n.Switches {
		w := &n.Switches[i]
		c.Ports += len(w.Ports)
		c.Accounts += accounts(&w.MMU)
		if w.Slice != nil {
			pairs += 2 * len(w.Ports) * len(w.Ports) // once to validate, once to keep
		}
	}
	c.Bytes = int64(c.Ports)*bytesOfPort + int64(c.Routes)*bytesOfRoute + int64(c.Flows)*bytesOfFlow +
		int64(c.Accounts)*bytesOfAccount + int64(pairs)*2
	c.Steps = int64(n.searches())*int64(2*c.Ports) + int64(c.Routes) + int64(pairs) + n.turns()
	return c
}

// accounts returns how many groups and queues an MMU has in all its slices.
func accounts(c *mmu.Config) int { return (len(c.Groups) + len(c.Queues)) * max(c.Slices, 1) }

// searches returns how many searches for routes are made: one for all hosts of a switch.
func (n Network) searches() int {
	count, found := len(n.Hosts), map[int]bool{}
	for i := range n.Links {
		host, peer := n.Links[i].A, n.Links[i].B
		if host.Switch {
			host, peer = peer, host
		}
		if host.Switch || !peer.Switch {
			continue
		}
		if found[peer.Node] {
			count--
		}
		found[peer.Node] = true
	}
	return max(count, 0)
}

// turns returns how many flows are passed when all flows of a host take their turns for the first time: each looks for
// its place among those before it. Flows that wait for the same flows start together, and apart from the others.
func (n Network) turns() (steps int64) {
	type together struct {
		from int
		at   list
	}
	flows := map[together]int64{}
	for i := range n.Flows {
		key := together{from: n.Flows[i].From}
		if len(n.Flows[i].After) > 0 {
			key.at = listOf(n.Flows[i].After)
		}
		steps += flows[key]
		flows[key]++
	}
	return steps
}

// budget refuses a network that costs too much.
func (v *checker) budget() {
	c := v.n.Setup()
	if c.Bytes > MaxSetupBytes {
		v.bad.Add("network", fmt.Sprintf("about %d MiB before the first event: %d ports of hosts and switches at %d bytes, "+
			"%d routes (hosts times switches) at %d, %d flows at %d, %d groups and queues at %d", c.Bytes>>20, c.Ports,
			bytesOfPort, c.Routes, bytesOfRoute, c.Flows, bytesOfFlow, c.Accounts, bytesOfAccount),
			fmt.Sprintf("at most %d MiB, so that a run fits a usual machine", MaxSetupBytes>>20))
	}
	if c.Steps > MaxSetupSteps {
		v.bad.Add("network", fmt.Sprintf("about %d steps before the first event: %d searches for routes through %d "+
			"ports, and the turns of the flows of each host", c.Steps, v.n.searches(), c.Ports),
			fmt.Sprintf("at most %d, so that a run begins within seconds", MaxSetupSteps))
	}
}
