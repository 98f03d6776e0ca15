package ecn

import (
	"fmt"
	"sort"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// Check compares marking with pausing. The egress queue decides about marking, the ingress group about pausing. When n
// groups congest a pool under a dynamic threshold, each pauses at q = reserved + alpha*B/(1+alpha*n), or at its static
// limit ([Sharing.Together]). The m groups that feed one queue have then put m*q into it. Marking has begun if
//
//	KMin < m * (reserved + alpha*B/(1+alpha*n))
//
// The more groups are congested, the lower is each threshold, and the later marking begins, if at all. (Derived from
// Choudhury and Hahne's form. The DCQCN paper, SIGCOMM 2015, asks the same question for fixed numbers of ports.)
//
// Not modelled: limits of the egress queue, averaging of its depth, other
// traffic in the pool or the queue, and frames in flight.
type Check struct {
	Sharing            // pool of one slice, alpha and PG-min, in cells
	Cell    cells.Size // bytes per cell
	KMin    unit.Bytes // queue depth above which marking begins
	Feeding int        // m, the groups that feed the queue; 0 counts as 1
}

// Validate refuses values out of range, with all complaints at once.
func (c Check) Validate() error {
	var bad fielderr.List
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

// feeding returns m.
func (c Check) feeding() int { return max(c.Feeding, 1) }

// among returns n, or m if that is larger: the groups that feed the queue are congested.
func (c Check) among(n int) int { return max(n, c.feeding()) }

// PauseThreshold returns what a group holds when it pauses with n groups
// congested, in bytes, rounded down. An n below m counts as m.
func (c Check) PauseThreshold(n int) unit.Bytes {
	return unit.Bytes(c.Together(c.among(n)).Times(int64(c.Cell), 1).Floor())
}

// QueueAtPause returns the depth of the queue when its groups pause with n groups congested, in bytes, rounded down.
func (c Check) QueueAtPause(n int) unit.Bytes {
	return unit.Bytes(c.Together(c.among(n)).Times(int64(c.Cell)*int64(c.feeding()), 1).Floor())
}

// MarksFirst tells whether marking begins before pausing with n groups congested.
func (c Check) MarksFirst(n int) bool { return c.KMin <= c.KMinFor(n) }

// KMinFor returns the largest KMin in bytes with which marking begins before
// pausing with n groups congested, or -1 if no group holds cells.
func (c Check) KMinFor(n int) unit.Bytes {
	return unit.Bytes(c.Together(c.among(n)).Times(int64(c.Cell)*int64(c.feeding()), 1).Ceil()) - 1
}

// MaxCongested returns the largest n for which marking begins before pausing. 0: for no number, not even for the m
// groups that feed the queue. [thresholds.MaxGroups]: for every number.
func (c Check) MaxCongested() int {
	m := c.feeding()
	n := sort.Search(thresholds.MaxGroups-m+1, func(i int) bool { return !c.MarksFirst(m + i) })
	if n == 0 {
		return 0
	}
	return m + n - 1
}
