package ecn

import (
	"fmt"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/complain"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// Thresholds is a marking profile of an egress queue: below KMin nothing is marked,
// between KMin and KMax a share that rises to PMax, above KMax everything.
// It is WRED's curve, and SAI's ECN_GREEN_MIN, _MAX and _MARK_PROBABILITY.
// The zero Thresholds marks nothing.
type Thresholds struct {
	KMin, KMax unit.Bytes
	PMax       unit.Percent
}

// Validate refuses thresholds that are out of order and probabilities beyond
// one; a typing error here has crashed switch software before.
func (e Thresholds) Validate() error {
	switch {
	case e.KMin < 0 || e.KMax < e.KMin:
		return fmt.Errorf("ecn kmin %v, kmax %v: kmin must not be above kmax", e.KMin, e.KMax)
	case e.KMax > 0 && (e.PMax <= 0 || e.PMax > unit.Whole):
		return fmt.Errorf("ecn pmax %v: it must be above 0%% and at most 100%%", e.PMax)
	case e.KMax == 0 && e.PMax != 0:
		return fmt.Errorf("ecn pmax %v without a kmax: nothing would be marked", e.PMax)
	}
	return nil
}

// Marking returns the probability that a packet is marked when the queue is
// this deep, exactly: 0 up to KMin, PMax*(depth-KMin)/(KMax-KMin) up to KMax
// and at it, 1 above. Where KMin is KMax it is a step. Of a profile that
// Validate refuses the result is undefined; thresholds that lie more than
// 512 TiB apart are reckoned in coarser steps.
func (e Thresholds) Marking(depth unit.Bytes) thresholds.Fraction {
	switch {
	case e.KMax == 0 || depth <= e.KMin:
		return thresholds.FractionOf(0, 1)
	case depth > e.KMax:
		return thresholds.FractionOf(1, 1)
	}
	part, span := int64(depth-e.KMin), int64(e.KMax-e.KMin)
	for span > 1<<49 {
		part, span = part>>1, span>>1
	}
	return thresholds.FractionOf(part*int64(e.PMax), span*int64(unit.Whole))
}

// FillLevel returns the depth in bytes at which a drop or mark profile begins
// that is given as a share of the queue's limit, as Junos has it; rounded up.
func FillLevel(limit unit.Bytes, fill unit.Percent) unit.Bytes {
	return unit.Bytes(fill.Of(int64(limit)))
}

// Check asks whether a switch marks before it pauses. Marking is decided by
// the egress queue, pausing by the ingress group: when n groups congest a pool
// under a dynamic threshold, each pauses at q = reserved + alpha*B/(1+alpha*n)
// ([Sharing.Together]). The m of them that feed one queue have then put m*q
// into it, and marking has begun if that is above KMin:
//
//	KMin < m * (reserved + alpha*B/(1+alpha*n))
//
// The more groups are congested, the lower each threshold and the later, if at
// all, marking begins. (Derived from Choudhury and Hahne's form; the same
// question for fixed numbers of ports is in the DCQCN paper, SIGCOMM 2015.)
//
// Not modelled: limits of the egress queue, averaging of its depth, other
// traffic in pool or queue, and frames still on their way.
type Check struct {
	Sharing            // pool of one slice, alpha, PG-min, in cells
	Cell    cells.Size // bytes per cell
	KMin    unit.Bytes // the queue's depth above which marking begins
	Feeding int        // m, groups that feed the queue; 0 counts as 1
}

// Validate refuses what is out of range, with all complaints at once.
func (c Check) Validate() error {
	var bad complain.List
	bad.Join(c.Sharing.Validate())
	bad.Join(thresholds.Memory{Cell: c.Cell}.Validate())
	if c.KMin < 0 {
		bad.Addf("kmin %v is below 0", c.KMin)
	}
	if c.Feeding < 0 || c.Feeding > thresholds.MaxGroups {
		bad.Add("", fmt.Sprintf("%d groups feeding one queue", c.Feeding), fmt.Sprintf("1 to %d", thresholds.MaxGroups))
	}
	return bad.Err()
}

// feeding is m as a number to reckon with.
func (c Check) feeding() int { return max(c.Feeding, 1) }

// among brings n to at least m: the groups that feed the queue are congested.
func (c Check) among(n int) int { return max(n, c.feeding()) }

// PauseThreshold returns what one group holds when it pauses, with n groups
// congested, in bytes rounded down. An n below m counts as m.
func (c Check) PauseThreshold(n int) unit.Bytes {
	return unit.Bytes(c.Together(c.among(n)).Times(int64(c.Cell)).Floor())
}

// QueueAtPause returns the depth of the queue when its groups pause, with n
// groups congested, in bytes rounded down.
func (c Check) QueueAtPause(n int) unit.Bytes {
	return unit.Bytes(c.Together(c.among(n)).Times(int64(c.Cell) * int64(c.feeding())).Floor())
}

// MarksFirst tells whether marking starts before pausing with n groups
// congested.
func (c Check) MarksFirst(n int) bool { return c.KMin <= c.KMinFor(n) }

// KMinFor returns the largest KMin in bytes with which marking starts before
// pausing, with n groups congested; -1 if none does because nothing is held.
func (c Check) KMinFor(n int) unit.Bytes {
	return unit.Bytes(c.Together(c.among(n)).Times(int64(c.Cell)*int64(c.feeding())).Ceil()) - 1
}

// MaxCongested returns the largest n for which marking starts before pausing.
// 0: for none, not even for the m groups that feed the queue. [thresholds.MaxGroups]: for
// every number that is modelled.
func (c Check) MaxCongested() int {
	low, high := c.feeding()-1, thresholds.MaxGroups // holds at low, or nowhere
	for low < high {
		middle := (low + high + 1) / 2
		if c.MarksFirst(middle) {
			low = middle
		} else {
			high = middle - 1
		}
	}
	if low < c.feeding() {
		return 0
	}
	return low
}

// DCQCNBuffer is the switch of the DCQCN paper's section on buffers (Zhu et
// al., "Congestion Control for Large-Scale RDMA Deployments", SIGCOMM 2015):
// one shared buffer, every port with every priority congested. The paper's
// megabytes and kilobytes are decimal.
type DCQCNBuffer struct {
	Buffer     unit.Bytes // 12,000,000 there
	Ports      int        // 32
	Priorities int        // 8
	Flight     unit.Bytes // headroom of a port and priority: 22,400
}

// Validate refuses a buffer that its headroom fills, and counts out of range.
func (d DCQCNBuffer) Validate() error {
	if d.Ports < 1 || d.Ports > 4096 || d.Priorities < 1 || d.Priorities > 8 || d.Buffer < 0 || d.Buffer > 1<<40 ||
		d.Flight < 0 || d.Flight > 1<<24 {
		return fmt.Errorf(
			"%v for %d ports of %d priorities, %v in flight (accepted: to 1 TiB, 4096 ports, 8 priorities, 16 MiB)",
			d.Buffer, d.Ports, d.Priorities, d.Flight)
	}
	if d.rest() < 0 {
		return fmt.Errorf("the headroom of %d groups is above the buffer of %v", d.Ports*d.Priorities, d.Buffer)
	}
	return nil
}

// rest is what the headroom of every group leaves, in bytes.
func (d DCQCNBuffer) rest() int64 {
	return int64(d.Buffer) - int64(d.Ports)*int64(d.Priorities)*int64(d.Flight)
}

// PFC returns the highest static pause threshold in bytes with which nothing
// is lost: (B - p*n*t_flight)/(p*n) for n ports of p priorities. The paper
// prints 24.47 KB; it is 24,475 bytes.
func (d DCQCNBuffer) PFC() thresholds.Fraction {
	return thresholds.FractionOf(d.rest(), int64(d.Ports)*int64(d.Priorities))
}

// StaticECN returns the bound under which a marking threshold must stay when
// the pause threshold is static: t_PFC/n, because the queue may be filled from
// all n ports at once. The paper prints 0.85 KB; its own 24.475 KB over 32
// ports are 0.765 KB (764.84 bytes).
func (d DCQCNBuffer) StaticECN() thresholds.Fraction {
	pfc := d.PFC()
	return thresholds.FractionOf(pfc.Num, pfc.Den*int64(d.Ports))
}

// DynamicPFC returns the pause threshold in bytes that follows the shared
// occupancy s: beta*(B - p*n*t_flight - s)/p. An s beyond the rest gives 0.
func (d DCQCNBuffer) DynamicPFC(beta thresholds.Alpha, s unit.Bytes) thresholds.Fraction {
	num, den := beta.Ratio()
	return thresholds.FractionOf(num*max(d.rest()-max(int64(s), 0), 0), den*int64(d.Priorities))
}

// DynamicECN returns the bound under which a marking threshold must stay when
// the pause threshold follows the occupancy: beta*(B - p*n*t_flight) over
// p*n*(beta+1), 21,756 bytes for a beta of 8 (21.75 KB in the paper). The
// formula takes an occupancy of p*n*t_ECN, all priorities marking; the paper's
// text has n*t_ECN.
func (d DCQCNBuffer) DynamicECN(beta thresholds.Alpha) thresholds.Fraction {
	num, den := beta.Ratio()
	return thresholds.FractionOf(num*d.rest(), int64(d.Priorities)*int64(d.Ports)*(num+den))
}
