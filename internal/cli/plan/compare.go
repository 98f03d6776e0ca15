package plan

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/cli/inputs"
	"github.com/cellwarden/cellwarden/report"
)

// This file compares the methods for a whole switch: plan --compare.

// runPlanCompare plans a topology by every method that is made for its chip, and by its own. Each method plans the
// whole switch: the headroom of a group is not what decides, but the sum of all.
func runPlanCompare(cmd *cobra.Command, name string, format cli.Output) error {
	file, changes, err := inputs.ReadTopology(cmd, name)
	if err != nil {
		return err
	}
	// Methods that are made for other chips are left out: their numbers would be about other silicon.
	doc := report.ComparePlans(file.Intent)
	doc.Set = changes
	// A method that refuses the topology has no result, so it counts neither as fitting nor as not fitting.
	fitting, sized := 0, 0
	// The own method is among them.
	for _, one := range doc.Results {
		if one.Refused == "" {
			sized++
		}
		if one.Fits {
			fitting++
		}
	}
	// The verdict is that of the topology's own method.
	verdict := "FITS"
	switch {
	case !doc.Fits:
		verdict = "DOES NOT FIT"
	case doc.HeadroomShared != "":
		verdict = "FITS with headroom shared " + doc.HeadroomShared
	}
	r := &cli.Screen{Head: []string{fmt.Sprintf("%s by method %s of the topology%s; %d of %d methods for %s fit", verdict,
		doc.Method, cli.ChangedText(changes), fitting, sized, doc.Chip)},
		Sections: []cli.Section{planCompareSection(doc.Results, file.Intent.Chip.Cell)}}
	// The exit code is that of the topology's own method: the others are for information.
	return r.Print(cmd, format, doc, cli.CodeIf(!doc.Fits, cli.ExitNoFit))
}

// planCompareSection has a row for each method, in cells of the topology's chip. A method that refuses the topology has
// its reason in the last column and dashes before it.
func planCompareSection(results []report.ComparedPlan, cell cells.Size) cli.Section {
	// No rate: the cells are those of ports of several speeds.
	amount := func(n cells.Count) cli.Amount { return cli.Amount{Cells: n, Bytes: cell.Bytes(n)} }
	s := cli.Section{Name: "methods", Title: "The switch by each method, in cells", Columns: []string{"method", "of",
		"frames", "fits", "largest group", "headroom of all groups", "least shared", "longest cable", "note"}}
	for _, x := range results {
		// Only the topology's own method has the parameters of the file. Parameters of one method mean nothing to
		// another.
		of := "its defaults"
		if x.Own {
			of = "the topology"
		}
		if x.Refused != "" {
			s.Row(x.Method, of, "", "-", cli.Number("-"), cli.Number("-"), cli.Number("-"), "-", cli.FirstLine(x.Refused))
			continue
		}
		// A method by which the switch does not fit has the number of ports that are refused.
		fits := "yes"
		if !x.Fits {
			fits = "no: " + cli.Plural(x.Ports, "port", "ports")
		}
		s.Row(x.Method, of, cli.Dash(x.Mix), fits, amount(x.Largest), amount(x.Headroom), amount(x.Shared), x.Cable,
			cli.FirstLine(x.Why))
	}
	// These columns are those of --units both alone.
	s.MB("largest group", "largest MB")
	s.MB("headroom of all groups", "headroom MB")
	s.MB("least shared", "shared MB")
	return s
}
