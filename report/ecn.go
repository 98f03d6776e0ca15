package report

import (
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/unit"
)

// ECNDocument says whether a queue marks (ECN) before its groups send XOFF (PFC). The row of the number of groups that
// was asked for is among its own keys.
type ECNDocument struct {
	Schema string   `json:"schema"`
	Set    []string `json:"set,omitempty"` // changes of the topology
	// Verdict is "ecn first" or "pfc first", for the number of congested groups.
	Verdict string `json:"verdict"`
	Class   string `json:"class,omitempty"` // of the topology
	// All says what the congested groups are all of, where no number of them was asked for.
	All       string      `json:"congested,omitempty"`
	PoolCells cells.Count `json:"pool_cells_per_slice"`
	Slices    int         `json:"slices"`
	CellBytes cells.Size  `json:"cell_bytes"`
	Alpha     string      `json:"alpha"` // empty: a static limit
	DynamicTh int         `json:"dynamic_th"`
	// EveryAlpha says that the verdict is the same for every alpha; the numbers are those of the largest.
	EveryAlpha bool         `json:"for_every_alpha"`
	Static     *cells.Count `json:"static_limit_cells,omitempty"`
	Reserved   cells.Count  `json:"reserved_cells"`
	KMin       unit.Bytes   `json:"kmin_bytes"`
	Feeding    int          `json:"feeding_groups"`
	ECNRow
	MaxGroups int `json:"max_congested_groups"`
	// AnyNumber says that the reserved cells alone exceed kmin. max_congested_groups is then the end of the range.
	AnyNumber bool     `json:"any_number_of_groups"`
	Table     []ECNRow `json:"table"`
	DCQCN     *DCQCN   `json:"dcqcn,omitempty"`
	// Advice is a marking profile for this congestion; absent: not asked for.
	Advice *struct {
		Bound   unit.Bytes `json:"largest_kmin_bytes"`
		BDP     unit.Bytes `json:"bandwidth_delay_bytes"`
		KMin    unit.Bytes `json:"kmin_bytes"`
		KMax    unit.Bytes `json:"kmax_bytes"`
		PMax    string     `json:"pmax"`
		WhyKMin string     `json:"kmin_reason"`
		WhyKMax string     `json:"kmax_reason"`
		WhyPMax string     `json:"pmax_reason"`
		None    string     `json:"none_because"` // empty: there is one
	} `json:"advice,omitempty"`
	Notes []string `json:"notes"` // where values come from, and what is assumed
}

// ECNRow is the answer for one number of congested groups.
type ECNRow struct {
	Groups    int         `json:"congested_groups"`
	Threshold unit.Bytes  `json:"pfc_threshold_bytes"` // of one group, rounded down
	Cells     cells.Count `json:"pfc_threshold_cells"` // in cells, rounded down
	Queue     unit.Bytes  `json:"queue_at_pause_bytes"`
	First     bool        `json:"ecn_before_pfc"`
	KMin      unit.Bytes  `json:"kmin_that_marks_first_bytes"` // the largest; -1: none
	Marking   *string     `json:"marking_at_pause_percent,omitempty"`
}

// DCQCN is the state in which DCQCN senders settle.
type DCQCN struct {
	Rate        int64      `json:"rate_bps"`
	Flows       int        `json:"flows"`
	FlowRate    int64      `json:"flow_rate_bps"`
	Probability float64    `json:"marking_probability"`
	Approximate float64    `json:"marking_probability_approximate"`
	Queue       unit.Bytes `json:"queue_bytes"` // 0 if not valid
	Valid       bool       `json:"valid"`       // the probability is not above pmax
	MaxFlows    int        `json:"max_flows"`
	// Loop is the stability of the fluid model.
	Loop *struct {
		Delay       unit.Time  `json:"delay_ps"`
		Step        unit.Time  `json:"step_ps"`
		Mean        unit.Bytes `json:"queue_mean_bytes"`
		Deviation   unit.Bytes `json:"queue_deviation_bytes"`
		Max         unit.Bytes `json:"queue_max_bytes"`
		Utilisation float64    `json:"utilisation"`
		Stable      bool       `json:"stable"`
	} `json:"loop,omitempty"`
}
