package report

import (
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
)

// ProbeDocument is at which packet each group of the packet-level model pauses, drops and resumes.
type ProbeDocument struct {
	Schema string `json:"schema"`
	Groups []struct {
		Index    int    `json:"index"`
		XOFF     int64  `json:"xoff_at_packet"`
		Drop     int64  `json:"drop_at_packet"`
		XONBelow int64  `json:"xon_below_packets"`
		Headroom int64  `json:"headroom_packets"`
		Cause    string `json:"drop_cause,omitempty"` // only if the egress has limits
	} `json:"groups"`
	HeadroomPool cells.Count `json:"headroom_pool_cells"`
	Shared       cells.Count `json:"shared_cells"`
	EgressShared cells.Count `json:"egress_shared_cells,omitempty"`
	Chip         string      `json:"chip,omitempty"`
	Group        string      `json:"group,omitempty"` // of a topology
	// Rule is how the chip compares counters with limits, as a chip file states it.
	Rule struct {
		Limit  buffer.LimitRule `json:"limit_rule"`
		XOFF   buffer.XOFFRule  `json:"xoff_rule"`
		XON    buffer.XONRule   `json:"xon_rule"`
		Source string           `json:"source"`
	} `json:"rule"`
	LeakOut int64 `json:"leak_out_packets,omitempty"` // among the packets that are counted
}
