package peers

import (
	"math/big"

	"github.com/cellwarden/cellwarden/unit"
)

// ns3dc is the "sonic" model of ns3-datacenter with dynamic thresholds. Ingress bytes include headroom. Once a frame is
// in headroom, all following frames go there until it is empty. The first frame that goes there is not compared with
// the size of the headroom.
type ns3dc struct {
	byteCounters
	// Of each port and priority: reserved bytes and headroom. The limit of all headroom is the switch's.
	reserve, headroomLimit, allHeadroomLimit int64
	reserved                                 int64 // of all ports and lossless priorities
	pool, buffer                             int64
	xon, offset                              int64
	num, den                                 *big.Int // alpha
	total, reservedInUse                     int64
}

// newNS3DC returns the rule with all counters at 0.
func newNS3DC(s *Scenario) *ns3dc {
	r := &ns3dc{byteCounters: newByteCounters(), reserve: int64(s.Reserve), headroomLimit: int64(s.Headroom),
		allHeadroomLimit: int64(s.AllHeadroom),
		pool:             int64(s.IngressPool),
		buffer:           int64(s.Buffer), xon: int64(s.XON), offset: int64(s.XONOffset), num: s.Alpha.Num(),
		den: s.Alpha.Denom()}
	r.reserved = r.reserve * int64(s.Ports) * int64(len(s.Lossless))
	return r
}

// threshold is alpha times the free shared bytes.
func (r *ns3dc) threshold() int64 {
	free := r.pool - r.reserved - (r.total - r.allHeadroom - r.reservedInUse)
	if free <= 0 {
		return 0
	}
	t := new(big.Int).Mul(r.num, big.NewInt(free))
	return t.Div(t, r.den).Int64()
}

// fits tells whether the switch admits n bytes.
func (r *ns3dc) fits(k portPriority, n int64) bool {
	spare := r.headroom[k] > 0
	return !(n+r.ingress[k] > r.reserve && n+r.headroom[k] > r.headroomLimit && spare ||
		n+r.allHeadroom > r.allHeadroomLimit && spare || n+r.total > r.pool+r.allHeadroomLimit || n+r.total > r.buffer)
}

// count adds n bytes, which can be negative, to the counters.
func (r *ns3dc) count(k portPriority, n int64) {
	r.reservedInUse -= min(r.ingress[k], r.reserve)
	r.ingress[k] += n
	r.total += n
	r.reservedInUse += min(r.ingress[k], r.reserve)
}

// Arrive admits a frame to the ingress, and to headroom if the threshold is passed.
func (r *ns3dc) Arrive(in, out, priority int, bytes unit.Bytes) (admitted, xoff bool) {
	k, n := portPriority{in, priority}, int64(bytes)
	if !r.fits(k, n) {
		return false, false
	}
	r.count(k, n)
	if r.headroom[k] > 0 || r.ingress[k] > r.threshold() {
		r.headroom[k] += n
		r.allHeadroom += n
	}
	r.egress[portPriority{out, priority}] += n
	return true, r.pauseOnce(k, r.headroom[k] > 0)
}

// Leave gives a frame's bytes back, headroom first.
func (r *ns3dc) Leave(in, out, priority int, bytes unit.Bytes) (xon bool) {
	k, n := portPriority{in, priority}, int64(bytes)
	r.count(k, -n)
	spare := min(r.headroom[k], n)
	r.headroom[k] -= spare
	r.allHeadroom -= spare
	r.egress[portPriority{out, priority}] -= n
	return r.resumeOnce(k, r.headroom[k] == 0 && (r.ingress[k] < r.xon || r.ingress[k]+r.offset <= r.threshold()))
}

// Columns implements [Rule].
func (r *ns3dc) Columns(in, out, priority int) [6]int64 {
	k := portPriority{in, priority}
	return [6]int64{r.ingress[k], r.headroom[k], r.total, r.allHeadroom, r.egress[portPriority{out, priority}],
		r.threshold()}
}
