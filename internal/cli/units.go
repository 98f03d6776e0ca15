package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/unit"
)

// This file prints cells in other units: bytes, MB beside the cells, and the time that a port takes to send them.

// The values of --units.
const (
	InBoth  = "both" // cells, and MB and the time beside them
	InCells = "cells"
	InBytes = "bytes"
	InTime  = "us" // microseconds, at the speed of a port
)

// allUnits are the values of --units.
var allUnits = []string{InBoth, InCells, InBytes, InTime}

// UnitsFlag adds --units to a command.
func UnitsFlag(c *cobra.Command, o *Output) {
	WordFlag(c, &o.units, "units", "", allUnits, "unit of the tables: both (cells with MB and times beside them; default "+
		"of -o table), cells (default of all others), bytes, us (what a port of one speed has in time, all else in cells)")
}

// Units is the unit of the tables: that of --units, or the default of the format. Both is the default of a table for
// people only where the verb has --units: other verbs have no amounts.
func (o *Output) Units() string {
	switch {
	case o.units != "":
		return o.units
	case o.Format == "table" && o.of != nil && o.of.Flags().Lookup("units") != nil:
		return InBoth
	}
	return InCells
}

// Amount is a number of cells in a table, which prints in the unit of --units. Bytes are those of the cells and not
// of what is stored in them.
type Amount struct {
	Cells  cells.Count
	Bytes  unit.Bytes   // the same
	Rate   unit.BitRate // of the port that has the cells; 0: several have them, and there is no time
	Change bool         // what is more than before has a sign
}

// String prints the cells.
func (a Amount) String() string { return string(a.In(InCells)) }

// In prints the amount in a unit. An amount without a rate stays in cells where times are asked for, and the header
// then says cells.
func (a Amount) In(units string) Number {
	out := Count(a.Cells)
	switch {
	case units == InBytes:
		out = Count(a.Bytes)
	case units == InTime && a.Rate > 0:
		out = a.time()
	}
	return a.signed(out)
}

// time is how long the port takes to send the cells.
func (a Amount) time() Number { return Number(DrainText(a.Bytes, a.Rate)) }

// megabytes prints the amount in MB.
func (a Amount) megabytes() Number {
	if a.Bytes < 0 {
		return "-" + Megabytes(-a.Bytes)
	}
	return a.signed(Megabytes(a.Bytes))
}

// signed adds the sign of a change. A negative number has its sign already, and 0 none.
func (a Amount) signed(n Number) Number {
	if a.Change && a.Cells > 0 {
		return "+" + n
	}
	return n
}

// Text prints the amount in a sentence: "1,292 cells, 0.27 MB, 21.49us at 100G"; 0 is 0 in every unit. A sentence has
// all three with InBoth, since it is read by a person alone.
func (a Amount) Text(units string) string {
	n := string(a.In(units))
	switch {
	case units == InBytes:
		return n + " bytes"
	case units == InTime && a.Rate > 0:
		return fmt.Sprintf("%s at %v", n, a.Rate)
	}
	n += " cells"
	if units != InBoth || a.Cells == 0 {
		return n
	}
	n += fmt.Sprintf(", %s MB", a.megabytes())
	if a.Rate > 0 {
		n += fmt.Sprintf(", %s at %v", a.time(), a.Rate)
	}
	return n
}

// beside is a column of the same amounts as another one, which --units both adds. column is the header of the column
// that it stands behind, or whose amounts the last column of the table has.
type beside struct {
	column, name string
	of           func(Amount) Number
	last         bool
}

// MB adds a column beside all others with --units both: the amounts of a column in MB. The column is added only when
// the report is printed, because the unit is not known before.
func (s *Section) MB(column, name string) {
	s.beside = append(s.beside, beside{column, name, Amount.megabytes, false})
}

// LastMB adds the column of MB behind all columns of the table.
func (s *Section) LastMB(column, name string) {
	s.beside = append(s.beside, beside{column, name, Amount.megabytes, true})
}

// Time adds a column beside all others with --units both: how long a port takes to send the amounts of a column.
func (s *Section) Time(column, name string) {
	s.beside = append(s.beside, beside{column, name, Amount.time, false})
}

// InUnits prints the amounts of all tables in a unit.
func (r *Screen) InUnits(units string) {
	for i := range r.Sections {
		r.Sections[i].inUnits(units)
	}
}

// inUnits prints the amounts of a table in a unit. Its title and its columns name that unit in place of cells, if all
// amounts are printed in it. Values become texts, so a second call changes nothing.
func (s *Section) inUnits(units string) {
	if units == InBoth {
		end := len(s.Columns)
		for _, b := range slices.Backward(s.beside) { // the last one of a column is the farthest from it
			s.addBeside(b, end)
		}
	}
	// amounts counts the cells of the table that are amounts, and timed those with a rate.
	amounts, timed := 0, 0
	rows := slices.Clone(s.Rows)
	if s.Total != nil {
		rows = append(rows, s.Total)
	}
	for _, row := range rows {
		for i, v := range row {
			if a, ok := v.(Amount); ok {
				if amounts++; a.Rate > 0 {
					timed++
				}
				row[i] = a.In(units)
			}
		}
	}
	word := "cells"
	switch {
	case amounts > 0 && units == InBytes:
		word = "bytes"
	case amounts > 0 && units == InTime && timed == amounts:
		word = "time"
	}
	s.Title = strings.Replace(s.Title, "cells", word, 1)
	for i, c := range s.Columns {
		if c == "cells" || strings.HasPrefix(c, "cells ") || strings.HasSuffix(c, " cells") {
			s.Columns[i] = strings.Replace(c, "cells", word, 1)
		}
	}
}

// addBeside adds a column to a table, behind the column of the same amounts, or at the end of the table. A cell that is
// no amount has an empty one beside it.
func (s *Section) addBeside(b beside, end int) {
	column := slices.Index(s.Columns, b.column)
	at := column + 1
	if b.last {
		at = end
	}
	s.Columns = slices.Insert(slices.Clone(s.Columns), at, b.name)
	*s = s.mapped(func(row []any) []any {
		n := Number("")
		if a, ok := row[column].(Amount); ok {
			n = b.of(a)
		}
		return slices.Insert(slices.Clone(row), at, any(n))
	})
}
