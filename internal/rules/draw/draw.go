// Package draw draws random switches of the space of package rules, for tests.
package draw

import (
	"math/rand/v2"

	"github.com/cellwarden/cellwarden/internal/rules"
)

// Switch returns a random switch of the space whose cells end first: a rule, and numbers as real chips have them,
// smaller ones more often.
func Switch(r *rand.Rand) rules.Point {
	p := rules.Point{Rule: rules.Draw(r.IntN)}
	x := &p.Numbers
	if p.Rule[rules.Form] != rules.FormStatic {
		p.Alpha = int8(r.IntN(6) - 3)
	}
	x[rules.Cell] = []int64{80, 96, 144, 192, 208, 254, 256, 318, 384, 512}[r.IntN(10)]
	x[rules.Overhead] = r.Int64N(min(x[rules.Cell]-64, 64) + 1)
	x[rules.Shared] = 2000 + r.Int64N(1<<(10+r.IntN(6)))
	x[rules.Reserved] = r.Int64N(1 + 1<<r.IntN(6))
	x[rules.Headroom] = 20 + r.Int64N(1<<(5+r.IntN(5)))
	x[rules.Offset] = 1 + r.Int64N(1<<(2+r.IntN(4)))
	x[rules.Leak] = r.Int64N(1 << r.IntN(6))
	if p.Rule[rules.XON] == rules.XONLevel {
		x[rules.Offset] = 10 + r.Int64N(400)
	}
	if p.Rule.Uses(rules.Pool) {
		x[rules.Pool] = x[rules.Headroom] + r.Int64N(8*x[rules.Headroom])
	}
	if p.Rule.Uses(rules.Stage) {
		x[rules.Stage] = r.Int64N(x[rules.Headroom])
		x[rules.Offset] = 1 + r.Int64N(x[rules.Stage]+1)
	}
	if p.Rule.Uses(rules.Static) {
		x[rules.Static] = 100 + r.Int64N(x[rules.Shared]/2)
	}
	return p
}

// Rules returns the switch that a number draws.
func Rules(n uint64) rules.Point { return Switch(rand.New(rand.NewPCG(n, 0))) }
