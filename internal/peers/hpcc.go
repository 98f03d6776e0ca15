package peers

import (
	"math/big"
	"slices"

	"github.com/cellwarden/cellwarden/unit"
)

// hpcc is HPCC's switch model. The threshold is a right shift of the free shared bytes. Each frame that does not fit
// below the threshold goes to headroom. XOFF is sent as soon as the threshold is reached.
type hpcc struct {
	byteCounters
	HPCC
	// Of the switch: bytes without headroom and reserve, and how many of them are in use.
	pool, shared int64
}

// HPCC is the sizes of a switch with HPCC's rule, in bytes.
type HPCC struct {
	Buffer, Reserve, Offset int64   // of the switch; of each port and priority: reserved bytes, and resume offset
	Headroom                []int64 // of each priority of a port, by port
	Shift                   []uint  // alpha is 2^-shift, by port
}

// NewHPCC returns HPCC's rule with all counters at 0. Reserve and headroom are
// set aside once for each port, as HPCC does it.
func NewHPCC(h HPCC) Rule { return newHPCC(h) }

func newHPCC(h HPCC) *hpcc {
	r := &hpcc{byteCounters: newByteCounters(), HPCC: h, pool: h.Buffer}
	for _, headroom := range h.Headroom {
		r.pool -= headroom + h.Reserve
	}
	return r
}

// HPCC returns HPCC's rule with the sizes of the scenario. HPCC's alpha is a power of 2, at most 1; another one is
// rounded up to the next. Ports are numbered from 1.
func (s *Scenario) HPCC() Rule {
	var shift uint
	for one := new(big.Rat).Set(s.Alpha); one.Cmp(big.NewRat(1, 1)) < 0; shift++ {
		one.Mul(one, big.NewRat(2, 1))
	}
	h := HPCC{Buffer: int64(s.Buffer), Reserve: int64(s.Reserve), Offset: int64(s.XONOffset),
		Headroom: slices.Repeat([]int64{int64(s.Headroom)}, s.Ports),
		Shift:    slices.Repeat([]uint{shift}, max(s.Ports, s.Hosts+1))}
	r := newHPCC(h)
	r.Headroom = slices.Repeat([]int64{int64(s.Headroom)}, len(h.Shift))
	return r
}

// threshold is the present pause threshold.
func (r *hpcc) threshold(port int) int64 { return (r.pool - r.shared) >> r.Shift[port] }

// aboveReserve is the ingress bytes that are not in the reserve.
func (r *hpcc) aboveReserve(k portPriority) int64 { return max(r.ingress[k]-r.Reserve, 0) }

// wantsPause is HPCC's CheckShouldPause.
func (r *hpcc) wantsPause(k portPriority) bool {
	return r.headroom[k] > 0 || r.aboveReserve(k) >= r.threshold(k.port)
}

// mayResume is HPCC's CheckShouldResume.
func (r *hpcc) mayResume(k portPriority) bool {
	return r.headroom[k] == 0 && (r.aboveReserve(k) == 0 || r.aboveReserve(k)+r.Offset <= r.threshold(k.port))
}

// Arrive is HPCC's CheckIngressAdmission and UpdateIngressAdmission.
func (r *hpcc) Arrive(in, out, priority int, bytes unit.Bytes) (admitted, xoff bool) {
	k, n := portPriority{in, priority}, int64(bytes)
	if n+r.headroom[k] > r.Headroom[in] && n+r.aboveReserve(k) > r.threshold(in) {
		return false, false
	}
	switch now := r.ingress[k] + n; {
	case now <= r.Reserve:
		r.ingress[k] = now
	case now-r.Reserve > r.threshold(in):
		r.headroom[k] += n
		r.allHeadroom += n
	default:
		r.ingress[k] = now
		r.shared += min(n, now-r.Reserve)
	}
	r.egress[portPriority{out, priority}] += n
	return true, r.pauseOnce(k, r.wantsPause(k))
}

// Leave is HPCC's RemoveFromIngressAdmission: headroom is given back first, then shared bytes.
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
		r.threshold(in)}
}
