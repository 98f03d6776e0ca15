package mmu

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/effort"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// stepByStep is the probe as a tester runs it: packet by packet.
func stepByStep(p *Probe) (out []ProbedGroup, held []Held, err error) {
	m, err := New(p.Config())
	if err != nil {
		return nil, nil, err
	}
	n := max(p.Groups, 1)
	q := probeRun{m, p.Packet, make([]int64, n), make([]ProbedGroup, n)}
	if p.Charged > 0 {
		q.length = p.Charged
	}
	leak := p.LeakOut
	send := func(g int) bool {
		if leak > 0 {
			leak--
			q.sent[g]++
			return false
		}
		return q.send(g)
	}
	for g := range n {
		for p.InTurn && !send(g) {
		}
	}
	for left := n; !p.InTurn && left > 0; {
		for g := range n {
			if q.out[g].XOFF == 0 && q.out[g].Drop == 0 && send(g) {
				left--
			}
		}
	}
	for g := range n {
		if q.out[g].XOFF == 0 {
			continue
		}
		c := m.Clone()
		for c.GroupState(0, g).Held.Total() > 0 {
			q.out[g].XONBelow++
			if c.Leave(Packet{Group: g, Bytes: q.length}).XON {
				break
			}
		}
	}
	for g := range n {
		for q.out[g].Drop == 0 {
			q.send(g)
		}
		held = append(held, m.GroupState(0, g).Held)
	}
	return q.out, held, m.Check()
}

// small is a random probe that can be sent packet by packet.
func small(r *rand.Rand) Probe {
	limit := func() thresholds.Limit {
		switch r.IntN(5) {
		case 0:
			return thresholds.Unlimited()
		case 1:
			return thresholds.Static(cells.Count(r.IntN(300)))
		}
		return thresholds.Dynamic(thresholds.Alpha(r.IntN(11) - 7))
	}
	size := func(most int) unit.Bytes { return unit.Bytes(r.IntN(3) * r.IntN(most) / 2) }
	p := Probe{Cell: cells.Size(1 + r.IntN(300)), Overhead: size(80), Slices: r.IntN(4), Pool: size(60000),
		Reserved: size(3000), Limit: limit(), Packet: unit.Bytes(1 + r.IntN(900)), Groups: r.IntN(9),
		InTurn: r.IntN(2) == 0, Latched: r.IntN(2) == 0, Lossy: r.IntN(4) == 0,
		Rule: Rule{LastPacket: r.IntN(4) == 0, LimitAfter: r.IntN(2) == 0, PauseAtLimit: r.IntN(2) == 0}}
	if r.IntN(3) == 0 {
		p.LeakOut = r.Int64N(40)
	}
	if !p.Lossy {
		p.Headroom, p.XONOffset = size(9000), size(4000)
		if r.IntN(2) == 0 {
			p.SharedHeadroom = size(20000)
		}
	}
	if r.IntN(4) == 0 {
		p.Charged = unit.Bytes(1 + r.IntN(200))
	}
	if r.IntN(2) == 0 {
		p.Egress = ProbeEgress{Pool: 1 + size(60000), Reserved: size(3000), Limit: limit()}
	}
	return p
}

// The computed counts are equal to those of a run packet by packet.
func TestProbeCountsAsIfItStepped(t *testing.T) {
	effort.SkipShort(t, "it probes many times")
	r := rand.New(rand.NewPCG(12, 5))
	ran, paused, dropped := 0, 0, 0
	for range 20_000 {
		p := small(r)
		if p.Validate() != nil {
			continue
		}
		want, _, err := stepByStep(&p)
		require.NoError(t, err)
		got, err := p.Run()
		require.NoError(t, err)
		require.Equal(t, want, got.Groups, "%+v", p)
		ran++
		for _, g := range want {
			if g.XOFF > 0 {
				paused++
			}
			if g.Cause.Egress() {
				dropped++
			}
		}
	}
	t.Logf("%d probes; %d groups paused, %d were dropped at the egress", ran, paused, dropped)
	require.Greater(t, ran, 15_000)
	require.Positive(t, paused)
	require.Positive(t, dropped)
}

// The accounts are consistent after many packets are stored at once.
func TestStoreManyKeepsTheAccounts(t *testing.T) {
	effort.SkipShort(t, "it stores many packets")
	r := rand.New(rand.NewPCG(3, 4))
	for range 3000 {
		p := small(r)
		if p.Validate() != nil {
			continue
		}
		m, err := New(p.Config())
		require.NoError(t, err)
		n := m.Cells(Packet{Bytes: p.Packet})
		slow := m.Clone()
		for range 30 {
			groups := r.Perm(max(p.Groups, 1))[:1+r.IntN(max(p.Groups, 1))]
			for range m.store(groups, n) {
				for _, g := range groups {
					v := slow.Arrive(Packet{Group: g, Bytes: p.Packet})
					require.Equal(t, CauseNone, v.Drop)
					require.False(t, v.XOFF)
				}
			}
			g := groups[0]
			require.Equal(t, slow.Arrive(Packet{Group: g, Bytes: p.Packet}),
				m.Arrive(Packet{Group: g, Bytes: p.Packet}))
			require.NoError(t, m.Check())
			require.Equal(t, slow.Snapshot(nil), m.Snapshot(nil))
			require.Equal(t, slow.counts, m.counts)
		}
	}
}

// A probe of a deep buffer of 6 GiB takes no longer than that of a small one.
func TestProbeOfDeepBuffer(t *testing.T) {
	p := Probe{Cell: 4096, Pool: 1 << 40, SharedHeadroom: 1 << 39, Limit: thresholds.Dynamic(0), Headroom: 1 << 38,
		XONOffset: 1 << 30, Reserved: 1 << 20, Packet: 64, Charged: 112, Groups: 2, InTurn: true, Latched: true}
	a, err := p.Run()
	require.NoError(t, err)
	const pause = (1<<39+1<<20)/112 + 2 // half of the pool and the reserved part; the first that is refused pauses
	require.EqualValues(t, pause, a.Groups[0].XOFF)
	require.EqualValues(t, pause+(1<<38)/112, a.Groups[0].Drop)
	require.EqualValues(t, 2*(1<<38)/112, a.Groups[0].Headroom+a.Groups[1].Headroom)
}
