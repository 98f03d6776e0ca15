package peers

import (
	"math/big"

	"github.com/cellwarden/cellwarden/unit"
)

// hpcc is HPCC's switch model. The threshold is a right shift of the free
// shared bytes. Each frame that does not fit below the threshold goes to
// headroom. XOFF is sent as soon as the threshold is reached.
type hpcc struct {
	byteCounters
	// Of each port and priority: reserved bytes, headroom, and resume offset.
	reserve, headroomLimit, offset int64
	// Of the switch: bytes without headroom and reserve, and how many of them
	// are in use.
	pool, shared int64
	shift        uint // alpha is 2^-shift
}

// newHPCC returns the rule with all counters at 0. HPCC's alpha is a power of
// 2, at most 1; another one is rounded up to the next.
func newHPCC(s *Scenario) *hpcc {
	r := &hpcc{byteCounters: newByteCounters(), reserve: int64(s.Reserve), headroomLimit: int64(s.Headroom),
		offset: int64(s.XONOffset)}
	r.pool = int64(s.Buffer) - int64(s.Ports)*int64(s.Headroom+s.Reserve)
	for one := new(big.Rat).Set(s.Alpha); one.Cmp(big.NewRat(1, 1)) < 0; r.shift++ {
		one.Mul(one, big.NewRat(2, 1))
	}
	return r
}

// threshold is the present pause threshold.
func (r *hpcc) threshold() int64 { return (r.pool - r.shared) >> r.shift }

// aboveReserve is the ingress bytes that are not in the reserve.
func (r *hpcc) aboveReserve(k portPriority) int64 { return max(r.ingress[k]-r.reserve, 0) }

// wantsPause is HPCC's CheckShouldPause.
func (r *hpcc) wantsPause(k portPriority) bool {
	return r.headroom[k] > 0 || r.aboveReserve(k) >= r.threshold()
}

// mayResume is HPCC's CheckShouldResume.
func (r *hpcc) mayResume(k portPriority) bool {
	return r.headroom[k] == 0 && (r.aboveReserve(k) == 0 || r.aboveReserve(k)+r.offset <= r.threshold())
}

// Arrive is HPCC's CheckIngressAdmission and UpdateIngressAdmission.
func (r *hpcc) Arrive(in, out, priority int, bytes unit.Bytes) (admitted, xoff bool) {
	k, n := portPriority{in, priority}, int64(bytes)
	if n+r.headroom[k] > r.headroomLimit && n+r.aboveReserve(k) > r.threshold() {
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
	r.egress[portPriority{out, priority}] += n
	return true, r.pauseOnce(k, r.wantsPause(k))
}

// Leave is HPCC's RemoveFromIngressAdmission: headroom is given back first,
// then shared bytes.
func (r *hpcc) Leave(in, out, priority int, bytes unit.Bytes) (xon bool) {
	k, n := portPriority{in, priority}, int64(bytes)
	spare := min(r.headroom[k], n)
	shared := min(n-spare, r.aboveReserve(k))
	r.headroom[k] -= spare
	r.allHeadroom -= spare
	r.ingress[k] -= n - spare
	r.shared -= shared
	r.egress[portPriority{out, priority}] -= n
	return r.resumeOnce(k, r.mayResume(k))
}

// Columns implements [Rule].
func (r *hpcc) Columns(in, out, priority int) [6]int64 {
	k := portPriority{in, priority}
	return [6]int64{r.ingress[k], r.headroom[k], r.shared, r.allHeadroom, r.egress[portPriority{out, priority}],
		r.threshold()}
}
