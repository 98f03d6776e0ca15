package fabric

import (
	"testing"

	"github.com/cellwarden/cellwarden/unit"
)

// BenchmarkSim times the event loop alone, without making the network. One
// operation is one frame over one link.
//   - incast: 64 hosts send 1,048-byte frames to one, 100G, 1 us, PFC
//   - ets: the same in eight classes with two-level scheduling and ECN
//   - everything: eight classes, scheduling, ECN, DCQCN and an ACK for every
//     frame
//   - fat-tree: 128 hosts, each to another, over two to six links
//   - fat-tree-ack: the same with an ACK for every frame
func BenchmarkSim(b *testing.B) {
	tree := func(answered bool) func() Network {
		return func() Network {
			net := fatTree(8)
			permutation(&net, 1_000_000, answered)
			return net
		}
	}
	for _, c := range []struct {
		name string
		net  func() Network
	}{
		{"incast", func() Network { return incast(64, 1e7) }},
		{"ets", func() Network { return everything(64, 4e6) }},
		{"everything", func() Network { return allOn(64, 1e6) }},
		{"fat-tree", tree(false)},
		{"fat-tree-ack", tree(true)},
	} {
		b.Run(c.name, func(b *testing.B) { timed(b, c.net) })
	}
}

func timed(b *testing.B, net func() Network) {
	b.ReportAllocs()
	var hops, events int64
	for b.Loop() {
		b.StopTimer()
		s, err := New(net())
		if err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
		s.Run(10 * unit.Second)
		hops += s.hops()
		events += s.taken
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(hops), "ns/hop")
	b.ReportMetric(float64(hops)/b.Elapsed().Seconds(), "hops/s")
	b.ReportMetric(float64(events)/float64(hops), "events/hop")
}

// hops are the links that frames, answers too, have crossed.
func (s *Sim) hops() (n int64) {
	for i := range s.ports {
		n += s.ports[i].framesIn
	}
	return n
}
