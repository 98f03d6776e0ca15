package ecn

import (
	"errors"
	"fmt"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/thresholds"
)

// Ranges of the closed forms; within them every result is exact in int64.
const (
	MaxSharedCells cells.Count = 1 << 30 // of one slice: no chip comes near
)

// Sharing describes groups under one dynamic threshold in the pool of one
// slice. It has the closed forms of Choudhury and Hahne, "Dynamic Queue Length
// Thresholds for Shared-Memory Packet Switches", 1998. Broadcom's chips follow
// them to within two cells (measured test parameters of sonic-mgmt).
type Sharing struct {
	Pool     cells.Count // shared cells of one slice, 0 to MaxSharedCells
	Alpha    thresholds.Alpha
	Reserved cells.Count // PG-min of each group, not part of the pool, 0 to MaxSharedCells
}

// Validate refuses values out of range, with all complaints at once. For values
// that it refuses the results of the other methods are undefined.
func (s Sharing) Validate() error {
	var bad fielderr.List
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

// Together returns the cells that each of n groups holds when all are filled at
// the same rate until they pause: reserved + alpha*B/(1+alpha*n). n is 1 to
// thresholds.MaxGroups; values out of range count as the nearest bound.
func (s Sharing) Together(n int) thresholds.Fraction {
	num, den := s.Alpha.Ratio()
	return thresholds.FractionOf(num*int64(s.Pool), den+num*groups(n)).Plus(s.Reserved)
}

// Unused returns the cells that stay free in the pool when n groups have
// paused: B/(1+alpha*n). It is the price of a threshold that adapts to the
// load.
func (s Sharing) Unused(n int) thresholds.Fraction {
	num, den := s.Alpha.Ratio()
	return thresholds.FractionOf(den*int64(s.Pool), den+num*groups(n))
}

// groups brings n into range.
func groups(n int) int64 { return int64(min(max(n, 1), thresholds.MaxGroups)) }

// InTurn returns the cells that each of n groups holds when they are filled one
// after the other, with packets of one cell, until they pause. A group takes
// one more cell while its shared cells are below floor(alpha*(S-used)), the
// hardware's integer rule. So it stops at
//
//	x = floor((alpha*(S-others) - 1)/(1+alpha)) + 1
//
// and holds x + reserved. For an alpha of 1 or more this is the ceiling of
// alpha*(S-others)/(1+alpha), with which sonic-mgmt's parameters agree. For a
// smaller alpha it can be one cell less, which is the measured XOFF of Trident
// 2 and Tomahawk 2 at alpha 1/8.
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

// Weighted is a number of groups with the same alpha.
type Weighted struct {
	Alpha  thresholds.Alpha
	Groups int // at least 1
}

// Mixed returns, for each kind, the shared cells that one of its groups holds
// when all kinds fill the pool together: q_i = alpha_i*B/(1+sum alpha_j*n_j).
// Reserved cells come in addition. It follows from Choudhury and Hahne's
// argument that every group stops at its alpha times the same rest. More than
// thresholds.MaxGroups groups in all and an alpha or a pool out of range are
// refused.
func Mixed(pool cells.Count, kinds []Weighted) ([]thresholds.Fraction, error) {
	var bad fielderr.List
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

// TwoLevelAlone returns the shared cells that one group gets under
// [thresholds.TwoLevel] when other groups of its port hold some:
//
//	x = (aq*ap*(P-occ) - aq*occ) / (1 + aq*ap + aq)
//
// aq is the alpha of the group, ap that of the port, P the pool, and occ the
// cells of the other groups, all of which are on the same port. Round it up to
// get the cell at which the chip stops (sonic-mgmt, tests/qos/files/mellanox,
// for Spectrum-4). A port above its limit gives 0.
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
