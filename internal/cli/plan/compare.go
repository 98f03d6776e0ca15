package plan

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/capacity"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/cli"
	publish "github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/thresholds/method"
)

// This file compares the methods for a whole switch: plan --compare.

// PlanCompareJSON is the comparison as a document.
type PlanCompareJSON struct {
	Schema  string               `json:"schema"`
	Chip    string               `json:"chip"`
	Method  string               `json:"method"` // of the topology
	Set     []string             `json:"set,omitempty"`
	Fits    bool                 `json:"fits"` // by the method of the topology
	Results []planComparedMethod `json:"results"`
}

// planComparedMethod is the switch by one method.
type planComparedMethod struct {
	Method   string          `json:"method"`
	Own      bool            `json:"own"`               // the method of the topology, with its parameters
	Refused  string          `json:"refused,omitempty"` // why the method cannot size the switch
	Fits     bool            `json:"fits"`
	Ports    int             `json:"refused_ports"`
	Why      string          `json:"first_refusal,omitempty"`
	Mix      string          `json:"frame_mix"`
	Largest  cells.Count     `json:"largest_group_cells"`
	Headroom cells.Count     `json:"headroom_cells"` // of all groups
	Shared   cells.Count     `json:"least_shared_cells"`
	Cable    string          `json:"longest_cable"` // of all ports alike; "none": not even the shortest fits
	CableM   *publish.Metres `json:"longest_cable_m,omitempty"`
	Binding  string          `json:"binding"`
}

// runPlanCompare plans a topology by every method that is made for its chip, and by its own.
func runPlanCompare(cmd *cobra.Command, name string, format cli.Output) error {
	file, changes, err := cli.ReadTopology(cmd, name)
	if err != nil {
		return err
	}
	in := file.Intent
	doc := PlanCompareJSON{Schema: "cellwarden.plan-compare/v1", Chip: in.Chip.Name, Method: in.Sizing.Method(),
		Set: changes, Results: []planComparedMethod{}}
	fitting, sized := 0, 0
	for _, m := range method.Methods() {
		own := m == in.Sizing.Method()
		if !own && (method.MadeFor(m, in.Chip.Name) != method.FitsChip || m == "table") {
			continue // a table is a file that the topology does not name
		}
		one := comparedMethod(in.Sizing, own, m, in.Chip.Name, func(s thresholds.Sizer) capacity.Compared {
			return capacity.Compare(in, s)
		})
		doc.Results = append(doc.Results, one)
		if one.Refused == "" {
			sized++
		}
		if one.Fits {
			fitting++
		}
		if own {
			doc.Fits = one.Fits
		}
	}
	verdict := "FITS"
	if !doc.Fits {
		verdict = "DOES NOT FIT"
	}
	r := &cli.Screen{Head: []string{
		fmt.Sprintf("%s by method %s of the topology%s; %d of %d methods for %s fit", verdict, doc.Method,
			cli.ChangedText(changes), fitting, sized, doc.Chip)},
		Sections: []cli.Section{planCompareSection(doc.Results)}}
	if err := r.Write(cmd.OutOrStdout(), format, doc); err != nil {
		return cli.Failure(err)
	}
	if !doc.Fits {
		return cli.Silent(cli.ExitNoFit)
	}
	return nil
}

// comparedMethod plans the switch by one method: with the parameters of the topology if it is its own, else with
// none.
func comparedMethod(topologys thresholds.Sizer, own bool, name, chip string,
	compare func(thresholds.Sizer) capacity.Compared) planComparedMethod {
	one := planComparedMethod{Method: name, Own: own}
	sizer, err := topologys, error(nil)
	if !own {
		sizer, err = method.NewSizer(name, chip, method.Options{})
	}
	if err != nil {
		one.Refused = err.Error()
		return one
	}
	c := compare(sizer)
	if c.Err != nil {
		one.Refused = c.Err.Error()
		return one
	}
	one.Fits, one.Ports, one.Why, one.Mix = c.Fits, c.Refused, c.First, c.Mix
	one.Largest, one.Headroom, one.Shared = c.Largest, c.Headroom, c.Shared
	one.Cable, one.Binding = c.Cable.Value(), c.Cable.Binding.String()
	if c.Cable.State == capacity.Found {
		one.CableM = new(publish.Metres(c.Cable.Amount))
	}
	return one
}

func planCompareSection(results []planComparedMethod) cli.Section {
	s := cli.Section{
		Name:  "methods",
		Title: "The switch by each method",
		Columns: []string{"method", "of", "frames", "fits",
			"largest group", "headroom of all groups", "least shared", "longest cable", "note"},
	}
	for _, x := range results {
		of := "its defaults"
		if x.Own {
			of = "the topology"
		}
		if x.Refused != "" {
			s.Row(x.Method, of, "", "-", cli.Number("-"), cli.Number("-"), cli.Number("-"), "-", cli.FirstLine(x.Refused))
			continue
		}
		fits := "yes"
		if !x.Fits {
			fits = "no: " + cli.Plural(x.Ports, "port", "ports")
		}
		s.Row(x.Method, of, cli.Dash(x.Mix), fits, cli.Count(x.Largest), cli.Count(x.Headroom), cli.Count(x.Shared), x.Cable,
			cli.FirstLine(x.Why))
	}
	return s
}
