package peer

import (
	"math/big"

	"github.com/cellwarden/cellwarden/unit"
)

// place is a port and a priority.
type place struct{ port, priority int }

// books are the byte counters that both rules keep.
type books struct {
	ingress, headroom, egress map[place]int64
	paused                    map[place]bool
	allHeadroom               int64
}

func newBooks() books {
	return books{map[place]int64{}, map[place]int64{}, map[place]int64{}, map[place]bool{}, 0}
}

// gate remembers that XOFF was sent and tells whether it is new.
func (b *books) gate(k place, pause bool) bool {
	if !pause || b.paused[k] {
		return false
	}
	b.paused[k] = true
	return true
}

// open tells whether XON is due, and remembers it.
func (b *books) open(k place, resume bool) bool {
	if !resume || !b.paused[k] {
		return false
	}
	b.paused[k] = false
	return true
}

// hpcc is HPCC's switch model: the threshold is a shift of what the shared part
// has left; each frame that does not fit under it goes to headroom by itself;
// XOFF is sent as soon as the threshold is reached.
type hpcc struct {
	books
	reserve, most, offset int64 // of each port and priority; headroom; resume offset
	pool, shared          int64 // of the switch: without headroom and reserve; in use
	shift                 uint
}

func newHPCC(s *Scenario) *hpcc {
	r := &hpcc{books: newBooks(), reserve: int64(s.Reserve), most: int64(s.Headroom), offset: int64(s.XONOffset)}
	r.pool = int64(s.Buffer) - int64(s.Ports)*int64(s.Headroom+s.Reserve)
	for one := new(big.Rat).Set(s.Alpha); one.Cmp(big.NewRat(1, 1)) < 0; r.shift++ {
		one.Mul(one, big.NewRat(2, 1))
	}
	return r
}

func (r *hpcc) threshold() int64    { return (r.pool - r.shared) >> r.shift }
func (r *hpcc) above(k place) int64 { return max(r.ingress[k]-r.reserve, 0) }
func (r *hpcc) wants(k place) bool  { return r.headroom[k] > 0 || r.above(k) >= r.threshold() }
func (r *hpcc) resumes(k place) bool {
	return r.headroom[k] == 0 && (r.above(k) == 0 || r.above(k)+r.offset <= r.threshold())
}

func (r *hpcc) Arrive(in, out, priority int, bytes unit.Bytes) (admitted, xoff bool) {
	k, n := place{in, priority}, int64(bytes)
	if n+r.headroom[k] > r.most && n+r.above(k) > r.threshold() {
		return false, false
	}
	switch now := r.ingress[k] + n; {
	case now <= r.reserve:
		r.ingress[k] = now
	case now-r.reserve > r.threshold():
		r.headroom[k] += n
		r.allHeadroom += n
	default:
		r.ingress[k] = now
		r.shared += min(n, now-r.reserve)
	}
	r.egress[place{out, priority}] += n
	return true, r.gate(k, r.wants(k))
}

func (r *hpcc) Leave(in, out, priority int, bytes unit.Bytes) (xon bool) {
	k, n := place{in, priority}, int64(bytes)
	spare := min(r.headroom[k], n)
	shared := min(n-spare, r.above(k))
	r.headroom[k] -= spare
	r.allHeadroom -= spare
	r.ingress[k] -= n - spare
	r.shared -= shared
	r.egress[place{out, priority}] -= n
	return r.open(k, r.resumes(k))
}

func (r *hpcc) Columns(in, out, priority int) [6]int64 {
	k := place{in, priority}
	return [6]int64{r.ingress[k], r.headroom[k], r.shared, r.allHeadroom, r.egress[place{out, priority}], r.threshold()}
}

// ns3dc is ns3-datacenter's "sonic" model with dynamic thresholds: ingress
// bytes include headroom; once a frame is in headroom all that follow go there
// until it is empty; the first that goes there is never checked against its
// size.
type ns3dc struct {
	books
	reserve, most, all   int64 // of each port and priority; headroom of one and of the switch
	reserved             int64 // of all
	pool, buffer         int64
	xon, offset          int64
	num, den             *big.Int // alpha
	total, reservedInUse int64
}

func newNS3DC(s *Scenario) *ns3dc {
	r := &ns3dc{books: newBooks(), reserve: int64(s.Reserve), most: int64(s.Headroom), all: int64(s.AllHeadroom),
		pool:   int64(s.IngressPool),
		buffer: int64(s.Buffer), xon: int64(s.XON), offset: int64(s.XONOffset), num: s.Alpha.Num(),
		den: s.Alpha.Denom()}
	r.reserved = r.reserve * int64(s.Ports) * int64(len(s.Lossless))
	return r
}

func (r *ns3dc) threshold() int64 {
	free := r.pool - r.reserved - (r.total - r.allHeadroom - r.reservedInUse)
	if free <= 0 {
		return 0
	}
	t := new(big.Int).Mul(r.num, big.NewInt(free))
	return t.Div(t, r.den).Int64()
}

func (r *ns3dc) fits(k place, n int64) bool {
	spare := r.headroom[k] > 0
	return !(n+r.ingress[k] > r.reserve && n+r.headroom[k] > r.most && spare ||
		n+r.allHeadroom > r.all && spare || n+r.total > r.pool+r.all || n+r.total > r.buffer)
}

// count adds n bytes, which may be below 0, to what a place holds.
func (r *ns3dc) count(k place, n int64) {
	r.reservedInUse -= min(r.ingress[k], r.reserve)
	r.ingress[k] += n
	r.total += n
	r.reservedInUse += min(r.ingress[k], r.reserve)
}

func (r *ns3dc) Arrive(in, out, priority int, bytes unit.Bytes) (admitted, xoff bool) {
	k, n := place{in, priority}, int64(bytes)
	if !r.fits(k, n) {
		return false, false
	}
	r.count(k, n)
	if r.headroom[k] > 0 || r.ingress[k] > r.threshold() {
		r.headroom[k] += n
		r.allHeadroom += n
	}
	r.egress[place{out, priority}] += n
	return true, r.gate(k, r.headroom[k] > 0)
}

func (r *ns3dc) Leave(in, out, priority int, bytes unit.Bytes) (xon bool) {
	k, n := place{in, priority}, int64(bytes)
	r.count(k, -n)
	spare := min(r.headroom[k], n)
	r.headroom[k] -= spare
	r.allHeadroom -= spare
	r.egress[place{out, priority}] -= n
	return r.open(k, r.headroom[k] == 0 && (r.ingress[k] < r.xon || r.ingress[k]+r.offset <= r.threshold()))
}

func (r *ns3dc) Columns(in, out, priority int) [6]int64 {
	k := place{in, priority}
	return [6]int64{r.ingress[k], r.headroom[k], r.total, r.allHeadroom, r.egress[place{out, priority}], r.threshold()}
}
