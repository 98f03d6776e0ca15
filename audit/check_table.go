package audit

import (
	"fmt"
	"strings"

	"github.com/cellwarden/cellwarden/finding"
)

// tableInPools checks all rows of the table against the pool that the manager puts their profiles in, also those that
// no port uses: a change of a cable is all that it takes. Rows with the same fault are one finding.
func (c *check) tableInPools() {
	pool := c.sw.losslessIngress()
	if c.Table == nil || pool == nil || c.sw.Dynamic {
		return
	}
	rows := &check{collector: &collector{topology: c.topology}, Source: c.Source, sw: c.sw}
	for i := range c.Table.Rows {
		row := &c.Table.Rows[i]
		l := link{row.Rate, row.Cable}
		if lastRow(c.Table, l) != row {
			continue
		}
		rows.headroomInPool(headroomRow{l.String() + ": ", int64(row.Size), int64(row.XON), int64(row.XOFF), true}, pool,
			finding.Place{File: c.Table.Name, Line: row.Line}, l.String())
	}
	for _, code := range []finding.Code{"profile-xoff-over-pool-xoff", "size-below-xoff", "xon-xoff-over-size"} {
		var of []finding.Finding
		for _, f := range rows.found {
			if f.Code == code {
				of = append(of, f)
			}
		}
		c.foldRows(of)
	}
}

// unused says of a finding about rows that no port has a group of the table: the rows have no effect today.
func (c *check) unused(f *finding.Finding) {
	for _, p := range c.sw.Profiles {
		if p.Row != nil {
			return
		}
	}
	f.SuspectAs(finding.Warning, "no port has a lossless group of the table")
}

// mostRows is the largest number of rows that one finding lists.
const mostRows = 64

// foldRows adds the findings about rows as one: with the numbers of the first, and a list of all.
func (c *check) foldRows(rows []finding.Finding) {
	if len(rows) == 0 {
		return
	}
	f := rows[0]
	if len(rows) > 1 {
		var list []string
		for _, r := range rows[1:min(len(rows), mostRows)] {
			list = append(list, r.Object+": "+r.Numbers())
		}
		if len(rows) > mostRows {
			list = append(list, fmt.Sprintf("%d more", len(rows)-mostRows))
		}
		f.Message += fmt.Sprintf("; %d rows in all (%s)", len(rows), strings.Join(list, "; "))
	}
	c.unused(&f)
	c.found = append(c.found, f)
}
