package report

import (
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/capacity"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/thresholds/method"
)

// PlanCompareDocument is a switch planned by every sizing method that is made for its chip.
type PlanCompareDocument struct {
	Schema string   `json:"schema"`
	Chip   string   `json:"chip"`
	Method string   `json:"method"` // of the topology
	Set    []string `json:"set,omitempty"`
	Fits   bool     `json:"fits"` // by the method of the topology
	// HeadroomShared qualifies Fits: see PlanDocument.
	HeadroomShared string         `json:"headroom_shared,omitempty"`
	Results        []ComparedPlan `json:"results"`
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

// ComparePlans plans an intent by every method that is made for its chip, and by its own.
func ComparePlans(in buffer.Intent) PlanCompareDocument {
	d := PlanCompareDocument{Schema: Schema("plan-compare"), Chip: in.Chip.Name, Method: in.Sizing.Method(),
		Results: []ComparedPlan{}}
	if a, err := buffer.NewAdmission(in); err == nil {
		d.HeadroomShared = headroomShared(a.SharedHeadroom())
	}
	for _, m := range method.Methods() {
		own := m == d.Method
		if !own && (method.MadeFor(m, in.Chip.Name) != method.FitsChip || m == "table") {
			continue // a table is a file that the topology does not name
		}
		one := comparePlan(in, m, own)
		if d.Results = append(d.Results, one); own {
			d.Fits = one.Fits
		}
	}
	return d
}

// comparePlan plans the switch by one method: with the parameters of the topology if it is its own, else with none.
func comparePlan(in buffer.Intent, name string, own bool) ComparedPlan {
	one := ComparedPlan{Method: name, Own: own}
	sizer, err := in.Sizing, error(nil)
	if !own {
		sizer, err = method.NewSizer(name, in.Chip.Name, method.Options{})
	}
	if err != nil {
		one.Refused = err.Error()
		return one
	}
	c := capacity.Compare(in, sizer)
	if c.Err != nil {
		one.Refused = c.Err.Error()
		return one
	}
	one.Fits, one.Ports, one.Why, one.Mix = c.Fits, c.Refused, c.First, c.Mix
	one.Largest, one.Headroom, one.Shared = c.Largest, c.Headroom, c.Shared
	one.Cable, one.Binding = c.Cable.Value(), c.Cable.Binding.String()
	if c.Cable.State == capacity.Found {
		one.CableM = new(Metres(c.Cable.Amount))
	}
	return one
}
