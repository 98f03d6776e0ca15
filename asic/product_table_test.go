package asic

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/csvcell"
)

// The table names chips of the catalogue, and each name once.
func TestProductTable(t *testing.T) {
	chips := map[string]bool{}
	for _, name := range Names() {
		chips[name] = true
	}
	require.Len(t, products(), 3)
	for as, all := range products() {
		require.Contains(t, []string{"word", "platform", "hwsku"}, as)
		seen := map[string]bool{}
		for _, p := range all {
			require.True(t, chips[p.Chip], p.Name)
			require.NotEmpty(t, p.Name, p.Chip)
			require.NotEmpty(t, p.Source, p.Name)
			require.False(t, seen[p.Name], "%s %s", as, p.Name)
			seen[p.Name] = true
			if as == "word" {
				require.Equal(t, strings.ToUpper(p.Name), p.Name, "a text is compared in upper case")
			}
		}
	}
	for _, row := range csvcell.Rows(productTable) {
		require.Contains(t, []string{"yes", "no"}, row[2])
	}
}

// The table of numbers has each key of a chip once, and says nothing that the catalogue itself says.
func TestNumberTable(t *testing.T) {
	seen := map[string]bool{}
	for _, row := range csvcell.Rows(numberTable) {
		at := row[0] + " " + row[1]
		require.False(t, seen[at], at)
		require.NotEmpty(t, row[2], at)
		if row[3] == "" {
			require.Equal(t, "max_port_gbps", row[1])
			require.True(t, seen[row[0]+" bandwidth_gbps"], at)
		}
		seen[at] = true
	}
	for _, c := range slices.Concat(xgs(), dnx(), spectrum(), siliconOne(), cloudScale(), marvell(), tofino()) {
		for _, f := range buffer.ChipFields() {
			require.False(t, seen[c.Name+" "+f.Key] && !f.IsZero(&c), "%s %s", c.Name, f.Key)
		}
	}
}
