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

// PoolsDocument is the pools that a device folder of SONiC would ship for a switch, and beside each the pool that the
// buffer manager of a running switch computes.
type PoolsDocument struct {
	Schema string     `json:"schema"`
	Folder string     `json:"hwsku_folder,omitempty"`
	Chip   string     `json:"chip"`
	Memory unit.Bytes `json:"memory_bytes"`
	Ports  string     `json:"ports"` // COUNTxSPEED/LANES
	Pools  []struct {
		Topology string `json:"topology,omitempty"`
		// Sum names what the sizes come from: a sum that folders of the chip show, or what other folders ship.
		Sum   string `json:"sum"`
		Roles string `json:"roles,omitempty"` // COUNTxSPEED/LANES@CABLE
		Ratio int    `json:"shared_headroom_ratio,omitempty"`
		// The sizes; of an interval the likeliest, 0 where none is.
		IngressLossless unit.Bytes `json:"ingress_lossless_pool_bytes"`
		XOFF            unit.Bytes `json:"ingress_lossless_pool_xoff_bytes"`
		IngressLossy    unit.Bytes `json:"ingress_lossy_pool_bytes,omitempty"`
		EgressLossless  unit.Bytes `json:"egress_lossless_pool_bytes,omitempty"`
		EgressLossy     unit.Bytes `json:"egress_lossy_pool_bytes,omitempty"`
		// Allowed is what other folders allow, where they do not decide it: smallest and largest.
		Allowed []unit.Bytes `json:"ingress_lossless_pool_allowed_bytes,omitempty"`
		// Running is what a running switch in the dynamic model computes for the same; absent: it computes nothing.
		Running *SONiCPools `json:"running,omitempty"`
		Items   []struct {
			What   string     `json:"what"`
			Count  int        `json:"count"`
			Each   unit.Bytes `json:"each_bytes"`
			Source string     `json:"source"`
		} `json:"items"`
	} `json:"pools"`
	Notes []string `json:"notes"`
}
