package fabric

import (
	"context"
	"os"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/buffer/mmu"
	"github.com/cellwarden/cellwarden/internal/effort"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/thresholds/ecn"
	"github.com/cellwarden/cellwarden/unit"
)

// rows is a star whose hosts have so many flows in all.
func rows(hosts, flows int) Network {
	n := star(hosts)
	for i := range flows {
		n.Flows = append(n.Flows, Flow{From: i % hosts, To: (i + 1) % hosts, Frame: 1024, Priority: 3})
	}
	return n
}

// memory is an MMU with so many lossy groups in so many slices.
func memory(groups, slices int) mmu.Config {
	c := mmu.Config{Cell: 208, Slices: slices, Pools: []mmu.Pool{{Shared: 1000}}}
	for range groups {
		c.Groups = append(c.Groups, mmu.Group{Limit: thresholds.Unlimited()})
	}
	return c
}

// tree is a fat tree of 3 stages without flows.
func tree(k int) Network {
	half := k / 2
	var n Network
	port := func(node int) End {
		n.Switches[node].Ports = append(n.Switches[node].Ports, SwitchPort{})
		return AtSwitch(node, len(n.Switches[node].Ports)-1)
	}
	for range k*k + half*half {
		n.Switches = append(n.Switches, Switch{Name: "s", MMU: memory(1, 1)})
	}
	link := func(a, b End) { n.Links = append(n.Links, Link{A: a, B: b, Rate: 100 * unit.Gbps}) }
	for e := range k * half {
		for h := range half {
			n.Hosts = append(n.Hosts, Host{Name: "h"})
			link(AtHost(len(n.Hosts)-1), port(e))
			link(port(e), port(k*half+e/half*half+h))
		}
	}
	for a := range k * half {
		for c := range half {
			link(port(k*half+a), port(k*k+a%half*half+c))
		}
	}
	return n
}

// A setup allocates no more than its estimate and visits no more ports, whatever part of the network is large. So the
// limits hold for every network that is accepted. With -short the networks are an eighth as large.
func TestSetupBudget(t *testing.T) {
	effort.Alone(t)
	size, k := 1, 16
	if testing.Short() {
		size, k = 8, 8
	}
	wide := star(2)
	wide.Switches[0].MMU = memory(20_000/size, 4)
	senders := rows(64, 20_000/size)
	for i := range senders.Flows {
		senders.Flows[i].Sender = Sender{DCQCN: &DCQCN{CNP: Class{Priority: 6, PCP: 6}}, Window: 1 << 20,
			ACK: ACK{Every: 1, Class: Class{Priority: 6, PCP: 6}}}
	}
	speaking := star(2048 / size)
	for i := range speaking.Hosts {
		speaking.Hosts[i].DCBX = speaks(i, true, 0)
		speaking.Switches[0].Ports[i].DCBX = speaks(4096+i, false, 0)
	}
	layers := star(1024 / size)
	byCredits(&layers, 600)
	for i := range layers.Links {
		layers.Links[i].Layer.LLR = &LLR{Frames: 100, Bytes: unit.MiB}
	}
	for name, n := range map[string]Network{
		"layers": layers, "senders": senders, "ports": star(2048 / size), "flows": rows(64, 40_000/size),
		"flows of one": rows(2, 4000/size), "routes": tree(k), "accounts": wide,
		"everything": allLossless(allOn(256/size, 5e5)), "tree with groups": fatTree(k),
		"equipped ports": equipped(1024 / size), "dcbx": speaking,
	} {
		c := n.setup()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		b := newBuild(context.Background(), n)
		require.NoError(t, n.Validate(), name)
		require.NoError(t, b.run(), name)
		runtime.ReadMemStats(&after)
		used := int64(after.TotalAlloc - before.TotalAlloc)
		require.LessOrEqual(t, used, c.Bytes, "%s: bytes", name)
		require.LessOrEqual(t, int64(b.routeSteps), c.Steps, "%s: steps", name)
	}
}

// A network that is right takes hardly any memory to validate: nothing is formatted, and what is allocated for each
// port is its entry in the list of links.
func TestValidateFormatsNothing(t *testing.T) {
	n := tree(8)
	require.Less(t, testing.AllocsPerRun(3, func() { _ = n.Validate() }), float64(len(n.Links)))
}

// equipped is a switch whose ports have all that a port can have, and share one group and one queue.
func equipped(ports int) Network {
	n := star(ports)
	sw := &n.Switches[0]
	for i := range sw.Ports {
		p := &sw.Ports[i]
		p.Watchdog = Watchdog{Detection: unit.Second}
		p.ETS.Queues[7] = Selection{Algorithm: Strict}
		p.ECN[3] = Marking{Thresholds: ecn.Thresholds{KMin: 10e3, KMax: 60e3, PMax: unit.Whole / 2}}
	}
	return n
}

// The limits and the reasons: networks that are accepted and networks that are not.
func TestSetupLimits(t *testing.T) {
	effort.SkipShort(t, "it sets up networks as large as they may be")
	require.NoError(t, tree(46).Validate())
	require.NoError(t, fatTree(64).Validate())
	many := star(2)
	many.Switches[0].MMU = memory(20_000, 200)
	many.Switches = append(many.Switches, many.Switches[0])
	failing := tree(40)
	failing.Failures = []Failure{{Kind: LinkDown, Link: 1, Prune: true}}
	for name, c := range map[string]struct {
		n    Network
		want string
	}{
		"groups":          {many, "(want at most 1536 MiB, so that a run fits a usual machine)"},
		"routes to hosts": {failing, "64000000 routes to single hosts at 64"},
		"one host":        {rows(2, 40_000), "steps before the first event"},
	} {
		err := c.n.Validate()
		require.ErrorContains(t, err, c.want, name)
	}
}

// A fat tree of 16,000 hosts is made, and its first frames arrive.
func TestSixteenThousandHosts(t *testing.T) {
	effort.SkipShort(t, "it takes a quarter of a gigabyte")
	firstFrames(t, 40)
}

// A fat tree of 65,536 hosts, the most that a network may have, is made too. It takes a gigabyte, so it runs if
// CELLWARDEN_LARGEST is set.
func TestLargestFatTree(t *testing.T) {
	if os.Getenv("CELLWARDEN_LARGEST") == "" {
		t.Skip("takes a gigabyte: set CELLWARDEN_LARGEST")
	}
	firstFrames(t, 64)
}

// firstFrames makes a fat tree whose hosts send a frame each, and runs it.
func firstFrames(t *testing.T, k int) {
	n := fatTree(k)
	permutation(&n, 1000, false)
	s := started(t, n)
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	s.Run(unit.Second)
	t.Logf("%d hosts: %d MB when set up", len(n.Hosts), m.HeapAlloc/1e6)
	require.NoError(t, s.Check())
	require.EqualValues(t, len(n.Hosts), s.Summary().Delivered)
}

// A setup ends when its context does.
func TestSetupStops(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	stop()
	_, err := NewContext(ctx, tree(8))
	require.ErrorIs(t, err, context.Canceled)
}

// The routes are those of a search for each host: a port leads to it if its peer is nearer to it.
func TestRoutesAreShortest(t *testing.T) {
	n := tree(4)
	n.Links[len(n.Links)-1].Rate = unit.Gbps
	s, err := New(n)
	require.NoError(t, err)
	for h := range n.Hosts {
		far := distancesTo(s, int32(h))
		for i := range s.switches {
			sw := &s.switches[i]
			var want []int32
			for j := range sw.ports {
				p := &s.ports[sw.first+int32(j)]
				if p.linked && far[p.peer] >= 0 && far[p.peer] < far[sw.first] {
					want = append(want, int32(j))
				}
			}
			require.Equal(t, want, s.routes.To(&sw.routes, int32(h)).List(), "switch %d to host %d", i, h)
		}
	}
}

// distancesTo returns, for each port, the number of links from its node to a host; -1: not reachable. Hosts do not
// forward.
func distancesTo(s *Sim, host int32) map[int32]int {
	far := map[int32]int{}
	for i := range s.ports {
		far[int32(i)] = -1
	}
	far[host] = 0
	next := []int32{host}
	for ; len(next) > 0; next = next[1:] {
		p := &s.ports[next[0]]
		if q := &s.ports[p.peer]; p.linked && q.isSwitch() && far[p.peer] < 0 {
			n := &s.switches[q.node]
			for j := range n.ports {
				far[n.first+int32(j)] = far[next[0]] + 1
				next = append(next, n.first+int32(j))
			}
		}
	}
	return far
}
