package internal_test

import (
	"encoding/csv"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/asic"
	"github.com/cellwarden/cellwarden/internal/pools"
	"github.com/cellwarden/cellwarden/thresholds/table"
	"github.com/cellwarden/cellwarden/unit"
)

// records reads a file of testdata without its heading.
func records(t *testing.T, name string) [][]string {
	t.Helper()
	text, err := os.ReadFile("pools/testdata/" + name)
	require.NoError(t, err)
	r := csv.NewReader(strings.NewReader(string(text)))
	r.Comment = '#'
	all, err := r.ReadAll()
	require.NoError(t, err)
	return all[1:]
}

// role is what roles.csv has about a folder.
type role struct {
	table *table.Table
	ratio int
	ports []pools.Ports // none: not known
}

// roles reads roles.csv with its tables, by platform, hwsku and topologies.
func roles(t *testing.T) map[string]role {
	t.Helper()
	number := func(text string) int64 {
		v, err := strconv.ParseInt(text, 10, 64)
		require.NoError(t, err)
		return v
	}
	tables := map[string]*table.Table{}
	for _, c := range records(t, "tables.csv") {
		if tables[c[0]] == nil {
			tables[c[0]] = &table.Table{Name: "table " + c[0]}
		}
		rate, err := unit.ParseBitRate(c[1])
		require.NoError(t, err)
		cable, err := unit.ParseLength(c[2])
		require.NoError(t, err)
		tables[c[0]].Rows = append(tables[c[0]].Rows, table.Row{Rate: rate, Cable: cable,
			Size: unit.Bytes(number(c[3])), XON: unit.Bytes(number(c[4])), XOFF: unit.Bytes(number(c[5]))})
	}
	out := map[string]role{}
	for _, c := range records(t, "roles.csv") {
		r := role{table: tables[c[3]]}
		require.NotNil(t, r.table, c)
		if c[4] != "" {
			r.ratio = int(number(c[4]))
		}
		var err error
		r.ports, err = pools.ParsePorts(c[5])
		require.NoError(t, err)
		out[strings.Join(c[:3], ",")] = r
	}
	return out
}

// key is the folder's in roles.
func key(f *pools.Folder) string {
	return f.Platform + "," + f.HwSKU + "," + strings.Join(f.Topologies, " ")
}

// question is what a folder's pools are computed from, without roles.
func question(f *pools.Folder, r role) *pools.Question {
	return &pools.Question{Chip: f.Chip, Memory: f.EgressLossless, Kind: f.Kind(), Topology: f.Topologies[0],
		Ports: f.Ports, Table: r.table, DropOverMax: f.DropOverMax, HwSKU: f.HwSKU}
}

// TestPoolsParts divides the pool of a Trident 3 as Broadcom did (sonic-buildimage fe7ea6695d): 24 ports down with two
// lossless groups and 8 up with four make 80 of 18 cells; the shared limit is 118,212 cells, the headroom limit 8,040.
func TestPoolsParts(t *testing.T) {
	const cell = 256
	ports, err := pools.ParsePorts("24x50G@40m 8x100G@300m")
	require.NoError(t, err)
	pools.Tunnel("t0", ports)
	q := &pools.Question{Chip: "trident3", Memory: 33030144, Cell: cell, Topology: "t0", Ports: ports,
		HwSKU: "Arista-7050CX3-32S-D48C8", Table: &table.Table{Name: "pg_profile_lookup.ini", Rows: []table.Row{
			{Rate: 50 * unit.Gbps, Cable: 40 * unit.Metre, Size: 4608, XON: 4608, XOFF: 160000},
			{Rate: 100 * unit.Gbps, Cable: 300 * unit.Metre, Size: 4608, XON: 4608, XOFF: 160000}}}}
	e, err := pools.Expect(q, pools.Known(), "arista", "x86_64-arista_7050cx3_32s")
	require.NoError(t, err)
	parts := map[string][2]int64{}
	all := unit.Bytes(0)
	for _, i := range e.Parts(q) {
		parts[i.What] = [2]int64{int64(i.Count), int64(i.Each / cell)}
		all += i.Total()
	}
	require.Equal(t, map[string][2]int64{
		"in the size: limit of the headroom pool (xoff)":                     {1, 8040},
		"in the size: minimum of a lossless group":                           {80, 18},
		"in the size: limit of shared cells, what is left of it":             {1, 118212},
		"beside the size: what the chip keeps, and what nothing is known of": {1, 129024 - 127692},
	}, parts)
	require.Equal(t, q.Memory, all)
	q.Chip = "teralynx7" // another vendor's
	require.Empty(t, e.Parts(q))
}

// The parts of every known pool of Broadcom's add up to the memory; a pool that is larger has none.
func TestPoolsPartsAddUp(t *testing.T) {
	seen := 0
	for i := range pools.Known() {
		f := &pools.Known()[i]
		chip, err := asic.Load(f.Chip)
		if err != nil || f.Size == 0 {
			continue
		}
		q := &pools.Question{Chip: f.Chip, Memory: chip.Cell.Bytes(chip.TotalCells()), Cell: unit.Bytes(chip.Cell),
			Topology: f.Topologies[0], Ports: f.Ports, HwSKU: f.HwSKU}
		e, err := pools.Expect(q, pools.Known(), f.Vendor, f.Platform)
		require.NoError(t, err)
		all := unit.Bytes(0)
		for _, i := range e.Parts(q) {
			require.GreaterOrEqual(t, i.Each, unit.Bytes(0))
			all += i.Total()
		}
		if all > 0 {
			seen++
			require.Equal(t, q.Memory, all, f.HwSKU)
		}
	}
	require.Greater(t, seen, 60)
}
