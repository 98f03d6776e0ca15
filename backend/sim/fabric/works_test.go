package fabric

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/clock"
	"github.com/cellwarden/cellwarden/buffer/mmu"
	"github.com/cellwarden/cellwarden/internal/effort"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// work is a network that is run until all its flows are done. All its classes are lossless, so that no time is
// spent on frames that are dropped and sent again.
type work struct {
	name  string
	net   func() Network
	setup bool // its setup is measured too
	long  bool // it takes a second or more
}

// works are what the benchmarks run, all with frames of 1,048 bytes on links of 100G and 1 us:
//   - star-N: N hosts send 64 MB in all to one more through one switch; with -ack, each frame is acknowledged;
//     with -messages, they are messages of 64 KB
//   - classes-64: eight classes, two levels of DWRR with a shaper, ECN
//   - everything-64: eight classes, DWRR, ECN, DCQCN, and an ACK for every frame
//   - tree-N: a fat tree of N hosts, each of which sends to another, over two to six links
func works() []work {
	list := []work{
		{name: "star-64-ack", net: func() Network { return acknowledged(incast(64, 1e6)) }},
		{name: "star-64-messages", net: func() Network { return inMessages(incast(64, 1e6)) }},
		{name: "classes-64", net: func() Network { return allLossless(everything(64, 1e6)) }},
		{name: "everything-64", net: func() Network { return allLossless(allOn(64, 5e5)) }},
	}
	for _, n := range []int{16, 64, 256, 1000} {
		list = append(list, work{name: fmt.Sprintf("star-%d", n),
			net: func() Network { return incast(n, unit.Bytes(64_000/n)*1000) }})
	}
	for _, t := range []struct {
		k    int
		size unit.Bytes
	}{{4, 1e6}, {8, 4e5}, {16, 2e5}} {
		net := func() Network {
			n := fatTree(t.k)
			permutation(&n, t.size, false)
			return n
		}
		hosts := t.k * t.k * t.k / 4
		list = append(list, work{name: fmt.Sprintf("tree-%d", hosts), net: net, setup: true, long: hosts > 1000},
			work{name: fmt.Sprintf("tree-%d-ack", hosts), net: func() Network { return acknowledged(net()) },
				long: hosts > 1000})
	}
	return list
}

// acknowledged makes the receivers of all flows acknowledge each frame.
func acknowledged(net Network) Network {
	for i := range net.Flows {
		net.Flows[i].Sender.ACK = ACK{Every: 1, Class: Class{Priority: 6, PCP: 6}}
	}
	return net
}

// inMessages makes all flows send messages of 64 KB.
func inMessages(net Network) Network {
	for i := range net.Flows {
		net.Flows[i].Sender.Message = 64_000
	}
	return net
}

// allLossless gives each priority of each port PFC and a lossless group of its own.
func allLossless(net Network) Network {
	for i := range net.Hosts {
		net.Hosts[i].PFC = pfc.All
	}
	for i := range net.Switches {
		sw := &net.Switches[i]
		sw.MMU.Groups = nil
		for j := range sw.Ports {
			sw.Ports[j].PFC = pfc.All
			for p := range Priorities {
				sw.Ports[j].Groups[p] = len(sw.MMU.Groups)
				sw.MMU.Groups = append(sw.MMU.Groups, mmu.Group{Limit: thresholds.Dynamic(-3), Lossless: true,
					Headroom: 300, XON: thresholds.XON{Offset: 11}})
			}
		}
	}
	return net
}

// check fails unless every flow is done, and no frame was lost or sent twice.
func (w *work) check(t testing.TB, s *Sim) {
	sum := s.Summary()
	require.Zero(t, sum.Drops, w.name)
	require.Zero(t, sum.Resent, w.name)
	require.Positive(t, sum.Delivered, w.name)
	require.Equal(t, sum.Sent, sum.Delivered, w.name)
	for i := range s.flows {
		f := &s.flows[i]
		if f.sender < 0 {
			require.True(t, s.Done(i), "%s: flow %d", w.name, i)
			continue
		}
		x := &s.senders[f.sender]
		if x.ackEvery == 0 {
			require.Equal(t, x.size, x.next.off, "%s: payload of flow %d that is sent", w.name, i)
			continue
		}
		require.Equal(t, x.size, x.oldest.off, "%s: payload of flow %d that is acknowledged", w.name, i)
	}
}

// The works of the benchmarks do what their names say.
func TestWorks(t *testing.T) {
	effort.SkipShort(t, "it simulates long runs")
	for _, w := range works() {
		if w.long {
			continue
		}
		s, err := New(w.net())
		require.NoError(t, err)
		s.Run(10 * unit.Second)
		w.check(t, s)
		require.NoError(t, s.Check())
	}
}

// soonest is the time of the next event; never if there is none.
func (s *Sim) soonest() int64 {
	at := clock.Never
	for _, p := range s.parts {
		at = min(at, p.Soonest())
	}
	return at
}

// taken is the number of events that happened, without those that were left out.
func (s *Sim) taken() (n int64) {
	for _, p := range s.parts {
		n += p.Taken
	}
	return n
}

// hops are the links that frames, answers too, have crossed.
func (s *Sim) hops() (n int64) {
	for i := range s.ports {
		n += s.ports[i].framesIn
	}
	return n
}
