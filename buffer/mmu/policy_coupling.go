package mmu

import (
	"math/big"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/thresholds"
)

// Coupling describes a buffer in which lossless groups are limited in the
// ingress pool and lossy queues in an egress pool, both by dynamic thresholds.
// Lossy packets use the ingress pool too. So lossy queues lower the limit at
// which lossless groups pause, and lossless groups have no effect on lossy
// queues. The cells of each group and queue when all are full follow in closed
// form.
type Coupling struct {
	Ingress, Egress cells.Count // shared cells of both pools
	LosslessGroups  int         // full groups
	LossyQueues     int         // full queues
	LosslessAlpha   thresholds.Alpha
	LossyAlpha      thresholds.Alpha
}

// Lossy returns the limit of each lossy queue, exactly:
//
//	ae*Be / (1 + ne*ae)
//
// Source: Addanki and others: Reverie (NSDI 2024), buffer-size.py of the
// authors' repository.
func (c Coupling) Lossy() *big.Rat {
	ae := alphaRat(c.LossyAlpha)
	r := new(big.Rat).Mul(ae, wholeRat(c.Egress))
	return r.Quo(r, onePlus(c.LossyQueues, ae))
}

// Lossless returns the limit at which each lossless group pauses, exactly:
//
//	ai*(Bi + ne*ae*(Bi-Be)) / ((1 + ni*ai) * (1 + ne*ae))
//
// It is what a dynamic threshold leaves of the ingress pool when ne lossy
// queues hold what [Coupling.Lossy] returns. A negative limit means that they
// alone fill the ingress pool. The source is the same.
func (c Coupling) Lossless() *big.Rat {
	ai, ae := alphaRat(c.LosslessAlpha), alphaRat(c.LossyAlpha)
	r := new(big.Rat).Mul(wholeRat(cells.Count(c.LossyQueues)), ae)
	r.Mul(r, wholeRat(c.Ingress-c.Egress))
	r.Add(r, wholeRat(c.Ingress)).Mul(r, ai)
	r.Quo(r, onePlus(c.LosslessGroups, ai))
	return r.Quo(r, onePlus(c.LossyQueues, ae))
}

// wholeRat converts a count.
func wholeRat(n cells.Count) *big.Rat { return new(big.Rat).SetInt64(int64(n)) }

// alphaRat returns 2^a.
func alphaRat(a thresholds.Alpha) *big.Rat {
	one := big.NewInt(1)
	power := new(big.Int).Lsh(one, uint(max(a, -a)))
	if a < 0 {
		return new(big.Rat).SetFrac(one, power)
	}
	return new(big.Rat).SetInt(power)
}

// onePlus returns 1 + n*a.
func onePlus(n int, a *big.Rat) *big.Rat {
	r := wholeRat(cells.Count(n))
	return r.Mul(r, a).Add(r, wholeRat(1))
}
