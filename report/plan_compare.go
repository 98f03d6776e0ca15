package report

import "github.com/cellwarden/cellwarden/cells"

// PlanCompareDocument is a switch planned by every sizing method that is made for its chip.
type PlanCompareDocument struct {
	Schema  string         `json:"schema"`
	Chip    string         `json:"chip"`
	Method  string         `json:"method"` // of the topology
	Set     []string       `json:"set,omitempty"`
	Fits    bool           `json:"fits"` // by the method of the topology
	Results []ComparedPlan `json:"results"`
}

// ComparedPlan is the switch by one method.
type ComparedPlan struct {
	Method   string      `json:"method"`
	Own      bool        `json:"own"`               // the method of the topology, with its parameters
	Refused  string      `json:"refused,omitempty"` // why the method cannot size the switch
	Fits     bool        `json:"fits"`
	Ports    int         `json:"refused_ports"`
	Why      string      `json:"first_refusal,omitempty"`
	Mix      string      `json:"frame_mix"`
	Largest  cells.Count `json:"largest_group_cells"`
	Headroom cells.Count `json:"headroom_cells"` // of all groups
	Shared   cells.Count `json:"least_shared_cells"`
	Cable    string      `json:"longest_cable"` // of all ports alike; "none": not even the shortest fits
	CableM   *Metres     `json:"longest_cable_m,omitempty"`
	Binding  string      `json:"binding"`
}
