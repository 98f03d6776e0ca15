package report

import (
	"strconv"

	"github.com/cellwarden/cellwarden/cells"
)

// RiskDocument is how likely the shared headroom pools of a switch overflow.
type RiskDocument struct {
	Schema    string   `json:"schema"`
	Set       []string `json:"set,omitempty"`
	Behaviour string   `json:"behaviour"` // in a sentence; empty: none was stated
	Target    float64  `json:"target"`
	// Verdict is "dedicated": no pool is shared; "never": not even all groups overflow a pool; "no behaviour": none was
	// stated; "known": overflow_probability is exact; "at most": it is a bound; "not known": groups were not measured.
	Verdict string `json:"verdict"`
	// Refused is the number of ports that the plan refuses; 0: it fits. The risk is that of the sizes that it asks for.
	Refused int `json:"ports_refused"`
	// Overflow is the probability that a pool of the switch overflows, one or more; absent: it is not known.
	Overflow *float64 `json:"overflow_probability,omitempty"`
	// MostPaused is the part of the time for which each group may be paused, independently, so that a pool of the
	// switch overflows with the target at most.
	MostPaused float64 `json:"most_paused_for_target"`
	// Measured says of how many groups there are watermarks; absent without watermarks.
	Measured *struct {
		Groups  int `json:"groups"` // of all pools, each counted once
		Of      int `json:"with_watermarks"`
		NotUsed int `json:"not_lossless"` // groups with watermarks that have no headroom in a pool
	} `json:"measured,omitempty"`
	Pools []RiskPool `json:"pools"` // one for each slice; []: headroom is dedicated
	// Ratio is the largest ratio of the pool for the target; absent without a behaviour.
	Ratio *struct {
		Ratio  int     `json:"ratio"`              // 0: not even 1 is within the target
		Risk   float64 `json:"risk"`               // with it
		Beyond float64 `json:"risk_of_next_ratio"` // 0: no next ratio
		Fits   bool    `json:"fits"`
		Least  int     `json:"least_ratio_that_fits"` // 0: none
	} `json:"ratio,omitempty"`
}

// RiskPool is the pool of a slice.
type RiskPool struct {
	Slice      int         `json:"slice"`
	PoolCells  cells.Count `json:"pool_cells"`
	GroupCells cells.Count `json:"groups_cells"` // all groups at their worst case
	Groups     int         `json:"groups"`
	AtOnce     int         `json:"groups_at_once"`           // as many can pause together, whichever they are
	Smallest   int         `json:"smallest_overflow_groups"` // groups of a smallest set that overflows; 0: none does
	Set        string      `json:"smallest_overflow_set"`    // its groups
	// MostPaused is the part of the time for which each group may be paused, independently, within the target.
	MostPaused float64  `json:"most_paused_for_target"`
	Overflow   *float64 `json:"overflow_probability,omitempty"` // by the behaviour; absent: it is not known
	// Sampled is an estimate with the interval of 95 %.
	Sampled *struct {
		Probability float64 `json:"probability"`
		Low         float64 `json:"low"`
		High        float64 `json:"high"`
		Trials      int     `json:"trials"`
		Seed        uint64  `json:"seed"`
	} `json:"sampled,omitempty"`
}

// Probability prints a part of the time with three digits: in percent from 0.1 % on, else as a power of ten.
func Probability(x float64) string {
	switch {
	case x == 0:
		return "0"
	case x >= 0.001:
		return strconv.FormatFloat(100*x, 'g', 3, 64) + "%"
	}
	return strconv.FormatFloat(x, 'e', 2, 64)
}
