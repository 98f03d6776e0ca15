package internal_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/internal/effort"
	"github.com/cellwarden/cellwarden/internal/rules"
	"github.com/cellwarden/cellwarden/internal/rules/draw"
)

// around returns a box with a point in it.
func around(r *rand.Rand, p *rules.Point) rules.Box {
	b := rules.Box{Rule: p.Rule, Alpha: p.Alpha, Lo: p.Numbers, Hi: p.Numbers}
	for _, n := range rules.AllNumbers() {
		if r.IntN(3) > 0 {
			continue
		}
		w := r.Int64N(1 << r.IntN(12))
		if n == rules.Cell || n == rules.Overhead {
			w = r.Int64N(1 << r.IntN(11))
		}
		b.Lo[n], b.Hi[n] = max(b.Lo[n]-r.Int64N(w+1), 0), b.Hi[n]+r.Int64N(w+1)
	}
	b.Lo[rules.Cell] = max(b.Lo[rules.Cell], 64)
	return b
}

// No switch of a box gives an answer out of its bounds, and the bounds of a point are the point's answers. The first
// seeds are of boxes whose bounds did not hold: what a group leaves of a headroom pool or of a static limit, cells
// that move on at one end before the other, and the second group of a port.
func TestRulesBoundsHold(t *testing.T) {
	effort.Alone(t)
	for _, seed := range []uint64{4593, 45083, 85098, 479574, 406337, 428694, 213398, 421009} {
		boundsHold(t, seed)
	}
	first, end := effort.Seeds(8000)
	for seed := first; seed < end; seed++ {
		boundsHold(t, seed)
	}
}

// boundsHold asks a random box, and a switch of it, the same.
func boundsHold(t *testing.T, seed uint64) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 291))
	p := draw.Switch(r)
	b := around(r, &p)
	if seed%4 == 0 {
		b.Lo, b.Hi = p.Numbers, p.Numbers
	}
	m, o := rules.NewModel(&p), rules.NewBounds(&b)
	multi := r.IntN(3) == 0
	for round := range 3 { // the third and second begin with what is left behind a release
		for range 12 >> round {
			port, pg, dst := 4*r.IntN(3), 3+r.IntN(2), 9+r.IntN(2)
			n, length := r.Int64N(1<<r.IntN(15)), int64(64)
			if multi && r.IntN(2) == 0 {
				length += r.Int64N(1000)
			}
			got, a := m.Send(port, pg, dst, n, length), o.Answer(port, pg, dst, n, length)
			require.True(t, a.Accepted.Has(n-got.Dropped), "seed %d: %d %v\n%+v\n%+v", seed, n-got.Dropped, a.Accepted, p, b)
			for j, n := range got.Marks {
				require.True(t, a.Marks[j].Has(n), "seed %d: mark %d: %d %v\n%+v\n%+v", seed, j, n, a.Marks[j], p, b)
			}
			require.True(t, a.Paused.Has(one(got.Paused)), "seed %d: %v %v\n%+v\n%+v", seed, got.Paused, a.Paused, p, b)
			if seed%4 == 0 && !multi {
				require.Equal(t, a.Accepted.Lo, a.Accepted.Hi, "seed %d: a point", seed)
			}
		}
		dst := 9 + r.IntN(2)
		m.Release(dst)
		o.Release(dst)
		for port := 0; port < 12; port += 4 {
			for pg := 3; pg < 5; pg++ {
				is := m.Paused(port, pg)
				require.True(t, o.Pauses(port, pg).Has(one(is)), "seed %d: %v %v\n%+v\n%+v", seed, is, o.Pauses(port, pg), p, b)
			}
		}
	}
}

func one(b bool) int64 {
	if b {
		return 1
	}
	return 0
}
