package cells

import "fmt"

// Pool is the ledger of one slice of the global cell pool. Every cell of the
// slice stands in exactly one account, so that
//
//	Total = Chip + Reserved() + Headroom() + Shared() + Unused()
//
// holds at all times. The pool proper, what a NOS configures as its size, is
// the shared part; the flags say whether its size also includes the headroom
// and the reserved minima, which differs from vendor to vendor: it includes
// the headroom on Trident3 and on Tomahawk 3 to 6, and does not on Tomahawk.
//
// An increase of reserved or headroom is taken from unused cells, then from
// the shared part, and is refused when that would leave less than Floor. This
// is the rule of Broadcom's SDKLT for Tomahawk4 (reserved delta: unused first,
// then the pool's shared limit, rejected when negative).
//
// A Pool is a value: copying it is how a caller tries something out. The zero
// Pool is a slice without cells.
type Pool struct {
	Total Count // cells of the slice
	Chip  Count // cells that the chip keeps for itself, charged first
	Size  Count // configured size of the pool in this slice
	Floor Count // cells that must remain shared

	SizeIncludesHeadroom bool // Size is shared and headroom together
	SizeIncludesReserved bool // Size is shared and the reserved minima together

	reserved, headroom Count
}

// Whole returns the ledger of a slice whose whole memory, less what the chip
// keeps, is one pool.
func Whole(total, chip Count) Pool {
	return Pool{Total: total, Chip: chip, Size: total - chip, SizeIncludesHeadroom: true, SizeIncludesReserved: true}
}

// Reserved returns the cells granted as PG-min.
func (p *Pool) Reserved() Count { return p.reserved }

// Headroom returns the cells granted as headroom, dedicated or as a shared
// headroom pool.
func (p *Pool) Headroom() Count { return p.headroom }

// Shared returns the cells that groups share under their limits: the pool's
// size less what the size includes, as far as the slice still has cells.
func (p *Pool) Shared() Count { return min(p.configured(), p.free()) }

// Unused returns the cells that belong to nobody: beyond the chip's own, the
// grants and the pool.
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

// free is what the slice's memory leaves for sharing.
func (p *Pool) free() Count { return p.Total - p.Chip - p.reserved - p.headroom }

// Reserve grants reserved and headroom cells, both at once or neither, and
// returns how many cells it is short of; zero means granted. A shortage
// changes nothing. Negative amounts panic: giving back is Release.
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

// Release gives back what Reserve granted: first to the pool, up to its size,
// then to the unused cells. Giving back more than was granted panics.
func (p *Pool) Release(reserved, headroom Count) {
	if reserved < 0 || headroom < 0 || reserved > p.reserved || headroom > p.headroom {
		panic(fmt.Sprintf("cells: Release(%d, %d) of %d and %d granted", reserved, headroom, p.reserved, p.headroom))
	}
	p.reserved -= reserved
	p.headroom -= headroom
}
