package asic

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The table names chips of the catalogue, and each name once.
func TestProductTable(t *testing.T) {
	chips := map[string]bool{}
	for _, name := range Names() {
		chips[name] = true
	}
	for as, all := range products() {
		seen := map[string]bool{}
		for _, p := range all {
			require.True(t, chips[p.Chip], p.Name)
			require.NotEmpty(t, p.Source, p.Name)
			require.False(t, seen[p.Name], "%d %s", as, p.Name)
			seen[p.Name] = true
		}
	}
}
