package ecn

import (
	"fmt"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/complain"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

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
