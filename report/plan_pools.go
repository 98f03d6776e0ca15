package report

import "github.com/cellwarden/cellwarden/unit"

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
