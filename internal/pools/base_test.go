package pools_test

import (
	"encoding/csv"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/internal/pools"
	"github.com/cellwarden/cellwarden/thresholds/table"
	"github.com/cellwarden/cellwarden/unit"
)

// records reads a file of testdata without its heading.
func records(t *testing.T, name string) [][]string {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
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
		Ports: f.Ports, Table: r.table, DropOverMax: f.DropOverMax}
}
