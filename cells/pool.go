package cells

import "fmt"

// Pool is the account of one slice of a chip's memory. Every cell of the slice is in exactly one account, so
//
//	Total = Chip + Reserved() + Headroom() + Shared() + Unused()
//
// always holds. Size is the configured size of the pool. Its shared part is what groups share under their limits. The
// flags say whether Size also includes the headroom and the reserved cells, which differs between vendors: it includes
// the headroom on Trident3 and on Tomahawk 3 to 6, and does not on Tomahawk.
//
// An increase of reserved cells or headroom is taken from unused cells first, then from the shared part. It is refused
// if less than Floor would remain shared. This is the rule of Broadcom's SDKLT for Tomahawk4 (reserved delta: unused
// first, then the pool's shared limit, rejected when negative).
//
// A Pool is a value: copy it to try something out. The zero Pool is a slice without cells.
type Pool struct {
	Total Count // cells of the slice
	Chip  Count // cells that the chip keeps for itself
	Size  Count // configured size of the pool in this slice
	Floor Count // cells that must remain shared

	SizeIncludesHeadroom bool // Size is the sum of shared cells and headroom
	SizeIncludesReserved bool // Size is the sum of shared and reserved cells

	reserved, headroom Count
}

// Whole returns the account of a slice in which all cells except the chip's own form one pool.
func Whole(total, chip Count) Pool {
	return Pool{Total: total, Chip: chip, Size: total - chip, SizeIncludesHeadroom: true, SizeIncludesReserved: true}
}

// Reserved returns the cells that are granted as reserved (PG-min).
func (p *Pool) Reserved() Count { return p.reserved }

// Headroom returns the cells that are granted as headroom, dedicated or as a headroom pool.
func (p *Pool) Headroom() Count { return p.headroom }

// Shared returns the cells that groups share under their limits: the pool's
// size without what the size includes, limited to what the slice has left.
func (p *Pool) Shared() Count { return min(p.configured(), p.free()) }

// Unused returns the cells of no account: not the chip's, not granted, not in the pool.
func (p *Pool) Unused() Count { return p.free() - p.Shared() }

// configured is what the size leaves for sharing.
func (p *Pool) configured() Count {
	n := p.Size
	if p.SizeIncludesHeadroom {
		n -= p.headroom
	}
	if p.SizeIncludesReserved {
		n -= p.reserved
	}
	return n
}

// free is what the memory leaves for sharing.
func (p *Pool) free() Count { return p.Total - p.Chip - p.reserved - p.headroom }

// Reserve grants reserved and headroom cells, both or neither, and returns the number of missing cells; 0 means
// granted. A shortage changes nothing. Negative amounts panic: use Release.
func (p *Pool) Reserve(reserved, headroom Count) (short Count) {
	if reserved < 0 || headroom < 0 {
		panic(fmt.Sprintf("cells: Reserve(%d, %d): negative amount", reserved, headroom))
	}
	trial := *p
	trial.reserved += reserved
	trial.headroom += headroom
	if short = trial.Floor - trial.Shared(); short > 0 {
		return short
	}
	*p = trial
	return 0
}

// Release gives back what Reserve granted: to the shared part up to the pool's size, then to the unused cells. It
// panics if more is given back than was granted.
func (p *Pool) Release(reserved, headroom Count) {
	if reserved < 0 || headroom < 0 || reserved > p.reserved || headroom > p.headroom {
		panic(fmt.Sprintf("cells: Release(%d, %d) of %d and %d granted", reserved, headroom, p.reserved, p.headroom))
	}
	p.reserved -= reserved
	p.headroom -= headroom
}
