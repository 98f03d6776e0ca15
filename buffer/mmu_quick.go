package buffer

import (
	"math/bits"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/thresholds"
)

// Most packets of most chips find room and nothing happens but that they are
// counted. This file takes these, and no others: what it does not take goes the
// long way, which alone knows all rules. Package internal/golden checks that
// nobody can tell.
//
// A packet is taken if two of its length would fit. Limits only fall while a
// pool fills, so that this implies what every rule asks: that the packet fits
// under the limit before it and after it, and that one more would, so that XOFF
// does not go out early.

// mmuQuick is what the short way has to know of a group or a queue. Its limit,
// dynamic, static or none, is free<<up>>down + base.
type mmuQuick struct {
	reserved cells.Count
	base     cells.Count
	pool     int32 // index into the list of all slices
	port     int32 // the same; below 0: none
	up, down uint8
	ok       bool // the short way may be tried
}

const (
	mmuQuickBytes = 1 << 30 // longer packets go the long way
	mmuQuickAlpha = 20      // so do larger alphas: 2^40 cells times 2^20 does not overflow
	mmuNoMax      = mmuMost << 2
)

// newMMUQuick tells how a member with this limit goes the short way, if at all.
func newMMUQuick(l thresholds.Limit, reserved cells.Count, pool *mmuPool) (k mmuQuick) {
	k.reserved, k.port = reserved, -1
	if pool.policy != nil {
		ruled, ok := pool.policy.(Ruled)
		if !ok {
			return k
		}
		l = ruled.Rule(l, pool.limit, pool.members)
	}
	switch l.Mode() {
	case thresholds.DynamicLimit:
		a := int(l.Alpha())
		k.ok = a <= mmuQuickAlpha
		k.up, k.down = uint8(min(max(a, 0), 63)), uint8(min(max(-a, 0), 63))
	case thresholds.StaticLimit:
		k.ok, k.down, k.base = true, 63, min(l.Cells(), mmuNoMax)
	case thresholds.UnlimitedLimit:
		k.ok, k.down, k.base = true, 63, mmuNoMax
	}
	return k
}

// prepare looks at every group and queue anew.
func (m *MMU) prepare() {
	for i := range m.groups {
		g, slice := &m.groups[i], i/m.sizes.groups
		at := slice*m.sizes.pools + g.Pool
		g.quick = newMMUQuick(g.Limit, g.Reserved, &m.pools[at])
		g.quick.pool = int32(at)
		if g.PortPool > 0 {
			g.quick.port = int32(slice*m.sizes.ports + g.PortPool - 1)
			g.quick.ok = g.quick.ok && m.ports[g.quick.port].Reserved == 0
		}
		g.quick.ok = g.quick.ok && m.inverse != 0
	}
	for i := range m.queues {
		q, slice := &m.queues[i], i/m.sizes.queues
		at := slice*m.sizes.epools + q.Pool
		q.quick = newMMUQuick(q.Limit, q.Reserved, &m.epools[at])
		q.quick.pool = int32(at)
		if q.PortPool > 0 {
			q.quick.port = int32(slice*m.sizes.eports + q.PortPool - 1)
		}
	}
}

// quickCells returns a packet's cells if its group may go the short way, else
// 0. No packet of the short way has none: its length and overhead would be 0.
func (m *MMU) quickCells(k *mmuQuick, p *Packet) cells.Count {
	if !k.ok || uint64(p.Bytes) >= mmuQuickBytes {
		return 0
	}
	n, _ := bits.Mul64(uint64(p.Bytes)+m.roundUp, m.inverse)
	return cells.Count(n)
}

// most returns the port's limit as a number.
func (p *mmuPort) most() cells.Count {
	if p.Max == 0 {
		return mmuNoMax
	}
	return p.Max
}

// room divides n cells into reserved ones and a rest, and tells whether the
// rest and n more would find room.
func (k *mmuQuick) room(pool *mmuPool, ports []mmuPort, reserved, shared, n cells.Count) (own, rest cells.Count, ok bool) {
	own = min(n, max(k.reserved-reserved, 0))
	rest = n - own
	if free := pool.limit - pool.used - rest - n; free < 0 || shared+rest+n > free<<(k.up&63)>>(k.down&63)+k.base {
		return own, rest, rest == 0 && reserved+n+n <= k.reserved
	}
	if k.port >= 0 {
		port := &ports[k.port]
		return own, rest, port.shared+rest+n <= port.most()
	}
	return own, rest, true
}
