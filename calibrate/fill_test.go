package calibrate

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/buffer/mmu"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// probed asks the packet-level model the question of a fill. The reserved cells and the pool are whole cells.
func probed(t *testing.T, p pool, groups int, inTurn bool, n, offset int64, latched bool) []mmu.ProbedGroup {
	t.Helper()
	const cell = 100
	a, err := (&mmu.Probe{Cell: cell, Pool: unit.Bytes(p.shared * cell), Reserved: unit.Bytes(p.reserved * cell),
		Limit: thresholds.Dynamic(p.alpha), Headroom: unit.Bytes(50 * n * cell), Packet: unit.Bytes(n * cell),
		Groups: groups, InTurn: inTurn, LeakOut: p.leak, Rule: p.rule, XONOffset: unit.Bytes(offset * cell),
		Latched: latched}).Run()
	require.NoError(t, err)
	require.EqualValues(t, cells.Count(p.shared), a.Shared)
	return a.Groups
}

// checkFill compares the fast model of a fill with the packet-level model.
func checkFill(t *testing.T, p pool, groups int, inTurn bool, n int64) {
	t.Helper()
	f := Fill{Groups: groups, InTurn: inTurn}
	got := p.fill(&f, n, nil)
	offset, latched := p.shared%23, p.reserved%2 == 0
	for g, want := range probed(t, p, groups, inTurn, n, offset, latched) {
		require.Equal(t, want.XOFF, got[g].xoff, "%+v groups %d in turn %v n %d: group %d", p, groups, inTurn, n, g)
		require.Equal(t, want.Drop, got[g].accepted+got[g].leaked+1+50, "%+v groups %d in turn %v n %d: group %d: drop",
			p, groups, inTurn, n, g)
		require.Equal(t, want.XONBelow, p.xonBelow(got, g, n, offset, latched),
			"%+v groups %d in turn %v n %d: group %d: xon",
			p, groups, inTurn, n, g)
	}
}

// The fast model of a fill gives what the packet-level model gives.
func TestFillIsTheModel(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		p := pool{shared: r.Int64N(1 << r.IntN(14)), reserved: r.Int64N(1 << r.IntN(7)),
			alpha: thresholds.Alpha(r.IntN(13) - 8),
			rule:  mmu.Rule{LimitAfter: r.IntN(2) == 0, PauseAtLimit: r.IntN(2) == 0}}
		if r.IntN(3) == 0 {
			p.leak = r.Int64N(50)
		}
		checkFill(t, p, 1+r.IntN(6), r.IntN(2) == 0, 1+r.Int64N(4))
	}
}

func FuzzFill(f *testing.F) {
	f.Add(uint16(13071), uint8(6), int8(0), true, true, uint8(0), uint8(4), false, uint8(1))
	f.Add(uint16(0), uint8(0), int8(-8), false, true, uint8(9), uint8(3), true, uint8(3))
	f.Fuzz(func(t *testing.T, shared uint16, reserved uint8, alpha int8, after, full bool, leak, groups uint8,
		inTurn bool, n uint8) {
		p := pool{shared: int64(shared), reserved: int64(reserved), alpha: thresholds.Alpha(min(max(alpha, -8), 8)),
			rule: mmu.Rule{LimitAfter: after, PauseAtLimit: full}, leak: int64(leak)}
		checkFill(t, p, 1+int(groups%8), inTurn, 1+int64(n%9))
	})
}
