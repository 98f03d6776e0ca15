package reference

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/asic"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/cli/inputs"
	"github.com/cellwarden/cellwarden/internal/grouped"
)

// asic prints the chip catalogue.

// ASICCommand has the verbs about both catalogues. By itself it prints its help: there is no usual one of the three.
func ASICCommand() *cobra.Command {
	c := cli.Command("asic", cli.UnknownVerb, func(cmd *cobra.Command, _ []string) error { return cmd.Help() })
	c.SuggestionsMinimumDistance = 2
	// list and show are about chips, profiles about what a kind of gNMI switch accepts.
	c.AddCommand(asicListCommand(), asicShowCommand(), profilesCommand())
	return c
}

// asicListCommand prints every chip of the catalogue. Its JSON is a list of chip files.
func asicListCommand() *cobra.Command {
	var format cli.Output
	c := cli.Command("asic list", cli.Args(0, 0), func(cmd *cobra.Command, _ []string) error {
		// There is no --units here, since the list has cells and bytes side by side.
		chips := asic.All()
		return chipList(chips).Print(cmd, format, chips, cli.ExitFine)
	})
	cli.OutputFlag(c, &format)
	return c
}

// asicShowCommand prints one chip. Its JSON is a chip file, which a user edits for a chip of their own; a chip file
// that is given as NAME is printed too, which shows how it was read.
func asicShowCommand() *cobra.Command {
	var format cli.Output
	c := cli.Command("asic show", cli.Args(1, 1), func(cmd *cobra.Command, args []string) error {
		// LoadCells would refuse a chip whose cells are not sourced; its other numbers are worth showing.
		chip, err := inputs.LoadChip(cli.Named(cmd), args[0])
		if err != nil {
			return cli.ExitWith(cli.ExitUsage, err)
		}
		return chipReport(&chip, format.Units()).Print(cmd, format, chip, cli.ExitFine)
	})
	cli.OutputFlag(c, &format)
	cli.UnitsFlag(c, &format)
	return c
}

// chipList shows the chips that can be planned with, apart from them those whose pool a topology has to give, and those
// whose sizes are not sourced. Sizes are bytes and cells of the whole chip. Which of the three tables a chip is in says
// what can be done with it.
func chipList(chips []buffer.Chip) *cli.Screen {
	// The three tables have the same columns, so that they read as one list in three parts.
	columns := []string{"name", "chip", "cell bytes", "slices", "cells", "bytes"}
	planned := cli.Section{Title: "Chips", Columns: columns}
	known := cli.Section{Name: "known", Title: "Known chips whose cells are not sourced: no plan can be made with them",
		Columns: columns}
	pooled := cli.Section{Name: "pooled", Columns: columns,
		Title: "Chips with memory beside them whose pool is not sourced: a topology gives it (chip.pool_bytes)"}
	for _, c := range chips {
		to, memory := &planned, c.Cell.Bytes(c.TotalCells())
		// Such a chip may have a known memory and no known division of it into cells.
		if len(c.Slices) == 0 {
			to, memory = &known, c.MemoryBytes
			if c.MemoryKind == "SRAM+HBM" {
				to = &pooled
			}
		}
		// No number of a chip is 0 by its nature, but for its overhead: 0 is one without a source.
		to.Row(c.Name, c.Title, cli.Nonzero(int64(c.Cell)), cli.Nonzero(len(c.Slices)), cli.Nonzero(c.TotalCells()),
			cli.Nonzero(memory))
	}
	// What can be planned with comes first, then what a topology can complete.
	return &cli.Screen{Sections: []cli.Section{planned, pooled, known}}
}

// chipReport shows the fields of buffer.ChipFields, place by place, with their sources. Every line has its source,
// which is the point of the command: a reader decides by it whether to believe the number.
func chipReport(c *buffer.Chip, units string) *cli.Screen {
	// A row is one number and not one key: a slice has a row for each thing that takes cells of it.
	s := cli.Table("", "Numbers", "what", "value", "source")
	fields := buffer.ChipFields()
	// The table of fields has the order of the JSON; a place groups them for readers, and within it the order stays.
	slices.SortStableFunc(fields, func(a, b buffer.ChipField) int { return cmp.Compare(a.Place, b.Place) })
	for i := range fields {
		showField(&s, c, &fields[i], units)
	}
	r := &cli.Screen{Head: []string{fmt.Sprintf("%s: %s", c.Name, c.Title)}, Sections: []cli.Section{s}}
	if len(c.HeadroomDefaults) > 0 {
		r.Sections = append(r.Sections, showDefaults(c))
	}
	r.Note(c.Notes...)
	return r
}

// sourced names a missing source: an empty cell would look as if the number needed none.
func sourced(s string) string { return cmp.Or(s, "not sourced") }

// showField adds the line of a field, or its lines. Most fields are shown as the table says; a few need the whole chip.
// A field that is hidden for this chip has no line, such as the memory beside a chip that has none.
func showField(s *cli.Section, c *buffer.Chip, f *buffer.ChipField, units string) {
	source := sourced(f.Source(c))
	switch {
	case f.Hidden(c):
	case f.Key == "overhead_bytes":
		showOverhead(s, c, f)
	case f.Key == "slices":
		showSlices(s, c, f, units)
	case f.Key == "pipes":
		showPipes(s, c, f)
	case f.Key == "min_dynamic_th": // with max_dynamic_th: a table of alphas
		s.Row(f.Label, alphaRange(c), source)
	case len(f.Parts) > 0:
		for _, line := range partLines(c, f) {
			s.Row(f.Label, line, source)
		}
	default:
		s.Row(f.Label, fieldValue(c, f, units), source)
	}
}

// fieldValue prints a number with its unit, or a text; if it is zero, what the table has for that, or a dash.
func fieldValue(c *buffer.Chip, f *buffer.ChipField, units string) string {
	switch {
	case f.IsZero(c):
		return cmp.Or(f.None, "-")
	case f.IsText():
		return f.Text(c)
	// Cells follow --units; every other unit stays.
	case f.Unit == "cells":
		return cellsText(c, cells.Count(f.Number(c)), units)
	}
	return strings.TrimSpace(fmt.Sprintf("%s %s", cli.Count(f.Number(c)), f.Unit))
}

// partLines prints a sentence for each part that the chip has, or a dash. The table of fields has the sentence, with a
// place for the number.
func partLines(c *buffer.Chip, f *buffer.ChipField) []string {
	var lines []string
	for i := range f.Parts {
		if part := &f.Parts[i]; !part.IsZero(c) {
			lines = append(lines, fmt.Sprintf(part.Show, part.Number(c)))
		}
	}
	if lines == nil {
		return []string{"-"}
	}
	return lines
}

// showOverhead shows zero bytes where a plan is made with that number. Of a chip that cannot be planned with, zero
// means that the number is not sourced.
func showOverhead(s *cli.Section, c *buffer.Chip, f *buffer.ChipField) {
	if len(c.Slices) > 0 || c.Overhead > 0 {
		s.Row(f.Label, c.Overhead.String(), sourced(f.Source(c)))
	} else {
		s.Row(f.Label, "-", sourced(""))
	}
}

// showSlices shows the cells of the chip, of each slice, and of each item that the chip keeps for itself. The chip's
// own cells are listed by what takes them, since they are missing from every plan.
func showSlices(s *cli.Section, c *buffer.Chip, f *buffer.ChipField, units string) {
	source := sourced(f.Source(c))
	all := string(cli.Nonzero(c.TotalCells()))
	// In cells the number stands alone, as in the other lines.
	if units != cli.InCells && c.TotalCells() > 0 {
		all = cellsText(c, c.TotalCells(), units)
	}
	s.Row(f.Label, all, source)
	for i := range c.Slices {
		s.Row(fmt.Sprintf("slice %d", i), cellsText(c, c.Slices[i].Cells, units), source)
		for _, t := range c.Slices[i].Takes {
			s.Row(fmt.Sprintf("slice %d, chip's own: %s", i, t.Item), cellsText(c, t.Cells, units), sourced(t.Source))
		}
	}
}

// cellsText prints cells of a chip in a unit. No rate: cells of a chip are those of many ports.
func cellsText(c *buffer.Chip, n cells.Count, units string) string {
	return cli.Amount{Cells: n, Bytes: c.Cell.Bytes(n)}.Text(units)
}

// showDefaults lists the headroom that the vendor's software reserves by default. A row is for ports of one speed.
// Oversubscribed is for ports that together are faster than the chip takes at full rate.
func showDefaults(c *buffer.Chip) cli.Section {
	s := cli.Table("", "Default headroom of a lossless group, in cells", "speed", "line rate", "oversubscribed", "source")
	for _, d := range c.HeadroomDefaults {
		// A missing number is a dash in every unit, and an amount of 0 would have one of them.
		amount := func(n cells.Count) any {
			if n == 0 {
				return cli.Nonzero(n)
			}
			return cli.Amount{Cells: n, Bytes: c.Cell.Bytes(n), Rate: d.Speed}
		}
		s.Row(d.Speed.String(), amount(d.LineRate), amount(d.Oversubscribed), sourced(c.Sources.HeadroomDefaults))
	}
	// Both columns appear with --units both alone.
	s.MB("line rate", "MB")
	s.Time("line rate", "time")
	return s
}

// alphaRange prints the chip's alphas, "-" if none is known. The exponents stand beside the factors, because SAI and
// SONiC configure them.
func alphaRange(c *buffer.Chip) string {
	// 0 to 0 is a range too, that of a chip with alpha 1 alone: without a source it is no range.
	if c.MinAlpha == 0 && c.MaxAlpha == 0 && c.Sources.Alpha == "" {
		return "-"
	}
	// A chip has a few at most (thresholds.MinAlpha to MaxAlpha are 21), so that each is written out.
	all := make([]string, 0, c.MaxAlpha-c.MinAlpha+1)
	// An alpha is its exponent, and String prints the factor.
	for a := c.MinAlpha; a <= c.MaxAlpha; a++ {
		all = append(all, a.String())
	}
	return fmt.Sprintf("%s (dynamic_th %d to %d)", strings.Join(all, " "), c.MinAlpha, c.MaxAlpha)
}

// showPipes shows the ingress pipes whose ports are charged in the same slices in one line. A chip of many pipes has
// few different ones, so a line for each would hide them. A pipe is named by its number, from 0.
func showPipes(s *cli.Section, c *buffer.Chip, f *buffer.ChipField) {
	var alike grouped.By[string, []string]
	for i, p := range c.Pipes {
		// A copy, because joining sorts, and the chip belongs to the catalogue.
		names := alike.Of(cli.Join(slices.Clone(p)))
		*names = append(*names, fmt.Sprint(i))
	}
	for feeds, names := range alike.All() {
		s.Row(f.Label+" "+buffer.FoldPorts(*names), "slices "+feeds, sourced(f.Source(c)))
	}
}
