package internal_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/internal/effort"
	"github.com/cellwarden/cellwarden/internal/rules"
	"github.com/cellwarden/cellwarden/internal/rules/draw"
	"github.com/cellwarden/cellwarden/internal/testbed"
	"github.com/cellwarden/cellwarden/unit"
)

// bench returns a point as a simulated switch.
func bench(t testing.TB, p *rules.Point) *testbed.Switch {
	t.Helper()
	require.NoError(t, p.Valid())
	s, err := testbed.Of(testbed.Model{Config: p.Config(), Packet: 64, LeakOut: p.Numbers[rules.Leak], Ports: rules.Ports})
	require.NoError(t, err)
	return s
}

// The model that counts many packets at once does what the MMU does packet by packet, by every rule.
func TestRulesStateIsTheMMU(t *testing.T) {
	effort.Alone(t)
	first, end := effort.Seeds(2000)
	for seed := first; seed < end; seed++ {
		r := rand.New(rand.NewPCG(seed, 29))
		p := draw.Switch(r)
		p.Numbers[rules.Shared] = min(p.Numbers[rules.Shared], 3000)
		s, m := bench(t, &p), rules.NewModel(&p)
		for step := range 30 {
			port, pg, dst := r.IntN(3), 3+r.IntN(2), 9+r.IntN(2)
			if r.IntN(8) == 0 {
				require.NoError(t, s.Drain(dst))
				m.Release(dst)
				for port := range 3 {
					for pg := 3; pg < 5; pg++ {
						c, err := s.Counters(testbed.Group{Port: port, PG: pg})
						require.NoError(t, err)
						require.Equal(t, c.Paused, m.Paused(port, pg), "seed %d step %d port %d pg %d %+v", seed, step, port, pg, p)
					}
				}
				continue
			}
			require.NoError(t, s.Hold(dst))
			m.Hold(dst)
			length := int64(64)
			if r.IntN(3) == 0 {
				length = 1 + r.Int64N(1000)
			}
			n := r.Int64N(1 << r.IntN(11))
			g := testbed.Group{Port: port, PG: pg}
			before, err := s.Counters(g)
			require.NoError(t, err)
			require.NoError(t, s.Send(g, dst, n, unit.Bytes(length)))
			after, err := s.Counters(g)
			require.NoError(t, err)
			got := m.Send(port, pg, dst, n, length)
			require.Equal(t, [2]any{after.Drops - before.Drops, after.Paused}, [2]any{got.Dropped, got.Paused},
				"seed %d step %d %+v", seed, step, p)
			require.Equal(t, after.Held-before.Held, got.Stored)
		}
	}
}

// A slice of the MMU of a point stores so many packets, and a queue so many cells of all groups. The model of many
// packets has neither.
func TestRulesPacketsAndQueuesEnd(t *testing.T) {
	p := rules.Point{Alpha: 3, Numbers: rules.Numbers{rules.Shared: 10_000, rules.Headroom: 9, rules.Offset: 1, rules.Cell: 80,
		rules.MostPackets: 150, rules.Queue: 150}}
	for _, x := range []struct {
		choice                  rules.Choice
		value                   uint8
		more, elsewhere, egress int64 // dropped of 100 packets more, of 100 for another egress port, and by the first one
	}{{rules.Second, rules.SecondPackets, 50, 100, 0}, {rules.Egress, rules.EgressQueue, 50, 0, 50}} {
		q := p
		q.Rule[x.choice] = x.value
		s := bench(t, &q)
		drops := func(port, dst int) int64 {
			g := testbed.Group{Port: port, PG: 3}
			before, err := s.Counters(g)
			require.NoError(t, err)
			require.NoError(t, s.Hold(dst))
			require.NoError(t, s.Send(g, dst, 100, 0))
			after, _ := s.Counters(g)
			return after.Drops - before.Drops
		}
		require.Zero(t, drops(1, 9), x.choice)
		require.Equal(t, [3]int64{x.more, x.elsewhere, x.egress}, [3]int64{drops(2, 9), drops(3, 10), s.EgressDrops(9)}, x.choice)
	}
}

// A group that pauses because others have filled the pool may hold less than its XON level. It resumes when a packet
// leaves its slice, and not before.
func TestRulesResumesWhenAPacketLeaves(t *testing.T) {
	p := rules.Point{}
	p.Rule[rules.XOFF], p.Rule[rules.Form], p.Rule[rules.Slices] = rules.XOFFRefused, rules.FormStatic, rules.SlicesTwo
	p.Numbers = rules.Numbers{rules.Shared: 100, rules.Static: 200, rules.Offset: 1, rules.Cell: 80}
	s, m := bench(t, &p), rules.NewModel(&p)
	for _, x := range []struct{ port, dst int }{{0, 9}, {1, 10}, {2, 11}} { // port 1 is of the other slice
		require.NoError(t, s.Hold(x.dst))
		require.NoError(t, s.Send(testbed.Group{Port: x.port, PG: 3}, x.dst, 100, 64))
		m.Hold(x.dst)
		m.Send(x.port, 3, x.dst, 100, 64)
	}
	for _, x := range []struct {
		dst    int
		paused bool
	}{{11, true}, {10, true}, {9, false}} { // nothing waits for port 11
		require.NoError(t, s.Drain(x.dst))
		m.Release(x.dst)
		c, err := s.Counters(testbed.Group{Port: 2, PG: 3})
		require.NoError(t, err)
		require.Equal(t, [2]bool{x.paused, x.paused}, [2]bool{c.Paused, m.Paused(2, 3)}, "%d", x.dst)
	}
}
