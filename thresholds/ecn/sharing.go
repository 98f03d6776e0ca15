package ecn

import (
	"errors"
	"fmt"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/complain"
	"github.com/cellwarden/cellwarden/thresholds"
)

// Ranges of the closed forms; within them every result is exact in int64.
const (
	MaxSharedCells cells.Count = 1 << 30 // of one slice: no chip comes near
)

// Sharing is groups under one dynamic threshold in one slice's pool: the
// closed forms of Choudhury and Hahne, "Dynamic Queue Length Thresholds for
// Shared-Memory Packet Switches", 1998. Broadcom's silicon follows them to
// within two cells (sonic-mgmt's measured test parameters).
type Sharing struct {
	Pool     cells.Count // shared cells of one slice, 0 to MaxSharedCells
	Alpha    thresholds.Alpha
	Reserved cells.Count // PG-min of each group, its own beside the pool, 0 to MaxSharedCells
}

// Validate refuses what no chip has, with all complaints at once. The methods
// below may be called for what it accepts; for anything else they are
// undefined.
func (s Sharing) Validate() error {
	var bad complain.List
	if s.Pool < 0 || s.Pool > MaxSharedCells {
		bad.Add("", fmt.Sprintf("pool of %d cells", s.Pool), fmt.Sprintf("0 to %d", MaxSharedCells))
	}
	if !s.Alpha.Valid() {
		bad.Add("", fmt.Sprintf("alpha 2^%d", int(s.Alpha)),
			fmt.Sprintf("%v to %v", thresholds.MinAlpha, thresholds.MaxAlpha))
	}
	if s.Reserved < 0 || s.Reserved > MaxSharedCells {
		bad.Add("", fmt.Sprintf("%d reserved cells", s.Reserved), fmt.Sprintf("0 to %d", MaxSharedCells))
	}
	return bad.Err()
}

// Together returns the cells that each of n groups holds when all are filled
// at the same rate until they pause: reserved + alpha*B/(1+alpha*n). n is 1 to
// thresholds.MaxGroups; anything outside is brought to the nearer end.
func (s Sharing) Together(n int) thresholds.Fraction {
	num, den := s.Alpha.Ratio()
	return thresholds.FractionOf(num*int64(s.Pool), den+num*groups(n)).Plus(s.Reserved)
}

// Unused returns the cells that the pool keeps when n groups have paused:
// B/(1+alpha*n). It is the price of a threshold that follows the load.
func (s Sharing) Unused(n int) thresholds.Fraction {
	num, den := s.Alpha.Ratio()
	return thresholds.FractionOf(den*int64(s.Pool), den+num*groups(n))
}

func groups(n int) int64 { return int64(min(max(n, 1), thresholds.MaxGroups)) }

// InTurn returns the cells that each of n groups holds when one after the
// other is filled with packets of one cell until it pauses. A group takes one
// more cell while what it shares is below floor(alpha*(S-used)), the integer
// rule of the hardware, so that it stops at
//
//	x = floor((alpha*(S-others) - 1)/(1+alpha)) + 1
//
// and holds x + reserved. For alpha of 1 and more that is the ceiling of
// alpha*(S-others)/(1+alpha) with which sonic-mgmt's parameters agree; for a
// smaller alpha it may be one cell less, and the measured XOFF of Trident 2
// and Tomahawk 2 at alpha 1/8 is that.
func (s Sharing) InTurn(n int) []cells.Count {
	num, den := s.Alpha.Ratio()
	held := make([]cells.Count, groups(n))
	left := int64(s.Pool)
	for i := range held {
		var x int64
		if num*left >= den {
			x = (num*left-den)/(num+den) + 1
		}
		held[i] = s.Reserved + cells.Count(x)
		left -= x
	}
	return held
}

// Weighted is groups of one alpha among groups of others.
type Weighted struct {
	Alpha  thresholds.Alpha
	Groups int // how many, at least 1
}

// Mixed returns for each kind the shared cells that one of its groups holds
// when all kinds fill the pool together: q_i = alpha_i*B/(1+sum alpha_j*n_j).
// Reserved cells come on top. It follows from Choudhury and Hahne's argument:
// every group stops at its alpha times the same rest. More than thresholds.MaxGroups
// groups in all, an alpha or a pool out of range are refused.
func Mixed(pool cells.Count, kinds []Weighted) ([]thresholds.Fraction, error) {
	var bad complain.List
	bad.Join(Sharing{Pool: pool}.Validate())
	total := 0
	scaled := int64(1) << -thresholds.MinAlpha // the sum, in parts of 2^MinAlpha
	for i, k := range kinds {
		if !k.Alpha.Valid() || k.Groups < 1 || k.Groups > thresholds.MaxGroups-total {
			bad.Add(fmt.Sprintf("kinds[%d]", i), fmt.Sprintf("%d groups of alpha 2^%d", k.Groups, int(k.Alpha)),
				fmt.Sprintf("1 to %d in all, alpha %v to %v", thresholds.MaxGroups, thresholds.MinAlpha,
					thresholds.MaxAlpha))
			continue
		}
		total += k.Groups
		scaled += int64(k.Groups) << (k.Alpha - thresholds.MinAlpha)
	}
	if err := bad.Err(); err != nil {
		return nil, err
	}
	out := make([]thresholds.Fraction, len(kinds))
	for i, k := range kinds {
		out[i] = thresholds.FractionOf(int64(pool)<<(k.Alpha-thresholds.MinAlpha), scaled)
	}
	return out, nil
}

// TwoLevelAlone returns the shared cells that one group comes to hold under
// [TwoLevel] while other groups of its port hold some already:
//
//	x = (aq*ap*(P-occ) - aq*occ) / (1 + aq*ap + aq)
//
// with aq the group's and ap the port's alpha, P the pool and occ the cells of
// the others, none of which stands on another port. Round it up for the cell
// at which the chip stops (sonic-mgmt, tests/qos/files/mellanox, for
// Spectrum-4). A port that is over its limit leaves 0.
func TwoLevelAlone(group, port thresholds.Alpha, pool, others cells.Count) (thresholds.Fraction, error) {
	s := Sharing{Pool: pool, Alpha: group, Reserved: others}
	if err := errors.Join(s.Validate(), Sharing{Alpha: port}.Validate()); err != nil {
		return thresholds.Fraction{}, err
	}
	gn, gd := group.Ratio()
	pn, pd := port.Ratio()
	left := pn*int64(pool-others) - pd*int64(others) // the port's rest, in parts of pd
	if pool < others || left <= 0 {
		return thresholds.Fraction{}, nil
	}
	return thresholds.FractionOf(gn*left, gd*pd+gn*pn+gn*pd), nil
}
