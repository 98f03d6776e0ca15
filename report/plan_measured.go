package report

import (
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/unit"
)

// SONiCPools is the pool sizes that SONiC's buffer manager computes by itself. They can differ from the plan.
type SONiCPools struct {
	Memory unit.Bytes `json:"mmu_bytes"`
	// everything that is subtracted, also the shared headroom
	Reserved       unit.Bytes `json:"reserved_bytes"`
	Pool           unit.Bytes `json:"ingress_lossless_pool_bytes"` // if it is the only ingress pool without a size
	EachOfTwo      unit.Bytes `json:"each_of_two_ingress_pools_bytes"`
	SharedHeadroom unit.Bytes `json:"shared_headroom_bytes"`
	Overcommits    bool       `json:"overcommits"` // the pool is below zero
}

// MeasuredHeadroom is what the watermarks of a switch say of its plan. Each dump of watermarks is one period: the
// switch cleared them before.
type MeasuredHeadroom struct {
	Periods    int             `json:"periods"`
	Groups     []MeasuredGroup `json:"groups"`
	Pools      []MeasuredPool  `json:"headroom_pools,omitempty"`
	Assumption string          `json:"assumption"` // on which the risks rest
}

// MeasuredGroup is the headroom of one lossless group that was used.
type MeasuredGroup struct {
	Port    string      `json:"port"`
	Group   int         `json:"group"`
	Class   string      `json:"class"`
	Granted cells.Count `json:"granted_cells"`
	// State is unknown (no watermark), full (all was used, or packets were dropped), used, or never used.
	State   string       `json:"state"`
	Periods int          `json:"periods"`                // with a watermark of this group
	Used    *cells.Count `json:"used_cells,omitempty"`   // the largest watermark
	Unused  *cells.Count `json:"unused_cells,omitempty"` // what could be given back; absent: unknown
	// Risk is the probability that the next period needs more than the largest watermark, at most.
	Risk float64 `json:"risk_per_period,omitempty"`
}

// MeasuredPool is the shared headroom pool of a slice, by the watermarks of its groups.
type MeasuredPool struct {
	Slice int         `json:"slice"`
	Cells cells.Count `json:"cells"`
	// Overflow is of the pool as it is planned. Groups without a watermark count with their worst case: with them it is
	// a bound, and 1 says nothing.
	Overflow float64 `json:"overflow_probability"`
	Measured int     `json:"groups_measured"` // groups with a watermark
	Groups   int     `json:"groups"`
	// Together is the cells that all groups bring if their watermarks of one period were at the same time, in the worst
	// period; TogetherRisk is the probability that the next period brings more, at most.
	Together     cells.Count `json:"together_cells"`
	TogetherRisk float64     `json:"together_risk"`
	// Smaller are pools that are as small as a risk allows.
	Smaller []struct {
		Risk     float64     `json:"risk"`
		Cells    cells.Count `json:"cells"`
		GiveBack cells.Count `json:"give_back_cells"` // 0: nothing
	} `json:"smaller"`
}
