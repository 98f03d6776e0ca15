package calibrate

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/buffer/mmu"
	"github.com/cellwarden/cellwarden/internal/rules"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// probed asks the packet-level model the question of a fill. The reserved cells and the pool are whole cells.
func probed(t *testing.T, p *rules.Point, groups int, inTurn bool, n int64) []mmu.ProbedGroup {
	t.Helper()
	const cell = 100
	x, r := &p.Numbers, &p.Rule
	a, err := (&mmu.Probe{Cell: cell, Pool: unit.Bytes(x[rules.Shared] * cell),
		Reserved: unit.Bytes(x[rules.Reserved] * cell), Limit: thresholds.Dynamic(thresholds.Alpha(p.Alpha)),
		Headroom: unit.Bytes(50 * n * cell), Packet: unit.Bytes(n * cell), Groups: groups, InTurn: inTurn,
		LeakOut: x[rules.Leak], XONOffset: unit.Bytes(x[rules.Offset] * cell), Latched: r[rules.XON] == rules.XONLatched,
		Rule: mmu.Rule{LimitAfter: r[rules.Limit] == rules.LimitAfter, PauseAtLimit: r[rules.XOFF] == rules.XOFFFull}}).Run()
	require.NoError(t, err)
	require.EqualValues(t, x[rules.Shared], a.Shared)
	return a.Groups
}

// checkFill compares the fast model of a fill with the packet-level model.
func checkFill(t *testing.T, p rules.Point, groups int, inTurn bool, n int64) {
	t.Helper()
	x := &p.Numbers
	x[rules.Offset], p.Rule[rules.XON], x[rules.Headroom] = x[rules.Shared]%23, uint8(1-x[rules.Reserved]%2), mostPackets
	var s rules.Model
	got := fill(&p, &s, &Fill{Groups: groups, InTurn: inTurn}, n, nil)
	for g, want := range probed(t, &p, groups, inTurn, n) {
		require.Equal(t, want.XOFF, got[g].XOFF, "%+v groups %d in turn %v n %d: group %d", p, groups, inTurn, n, g)
		require.Equal(t, want.Drop, reading(&got[g], Drop)+50, "%+v groups %d in turn %v n %d: group %d: drop",
			p, groups, inTurn, n, g)
		require.Equal(t, want.XONBelow, s.XONBelow(g, n),
			"%+v groups %d in turn %v n %d: group %d: xon",
			p, groups, inTurn, n, g)
	}
}

// The fast model of a fill gives what the packet-level model gives.
func TestFillIsTheModel(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		p := rules.Point{Numbers: rules.Numbers{rules.Shared: r.Int64N(1 << r.IntN(14)),
			rules.Reserved: r.Int64N(1 << r.IntN(7))}, Alpha: int8(r.IntN(13) - 8),
			Rule: rules.Rule{rules.Limit: uint8(r.IntN(2)), rules.XOFF: uint8(r.IntN(2))}}
		if r.IntN(3) == 0 {
			p.Numbers[rules.Leak] = r.Int64N(50)
		}
		checkFill(t, p, 1+r.IntN(6), r.IntN(2) == 0, 1+r.Int64N(4))
	}
}

func FuzzFill(f *testing.F) {
	f.Add(uint16(13071), uint8(6), int8(0), true, true, uint8(0), uint8(4), false, uint8(1))
	f.Add(uint16(0), uint8(0), int8(-8), false, true, uint8(9), uint8(3), true, uint8(3))
	f.Fuzz(func(t *testing.T, shared uint16, reserved uint8, alpha int8, after, full bool, leak, groups uint8,
		inTurn bool, n uint8) {
		p := rules.Point{Alpha: min(max(alpha, -8), 8), Rule: rules.Rule{rules.Limit: uint8(rules.One(after)),
			rules.XOFF: uint8(1 - rules.One(full))}, Numbers: rules.Numbers{rules.Shared: int64(shared),
			rules.Reserved: int64(reserved), rules.Leak: int64(leak)}}
		checkFill(t, p, 1+int(groups%8), inTurn, 1+int64(n%9))
	})
}
