package pg_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/pg"
)

func TestCodePoints(t *testing.T) {
	for text, points := range map[string][]int{"none": nil, "26": {26}, "24-26,48": {48, 24, 25, 26},
		"0-1,62-63": {0, 1, 62, 63}} {
		c := pg.Points(points...)
		require.Equal(t, text, c.String())
		if text != "none" {
			again, err := pg.ParseCodePoints(text)
			require.NoError(t, err)
			require.Equal(t, c, again)
		}
		require.Len(t, c.List(), len(points))
		require.ElementsMatch(t, points, c.List())
		for d := -1; d <= 64; d++ {
			require.Equal(t, contains(points, d), c.Has(d), d)
		}
	}
	for _, text := range []string{"", "64", "5-3", "a", "1,", "-1", "1-", "300", "3-64"} {
		_, err := pg.ParseCodePoints(text)
		require.ErrorContains(t, err, "want 0 to 63", text)
	}
	require.Panics(t, func() { pg.Points(64) })
	require.Panics(t, func() { pg.Points(-1) })
	require.Equal(t, pg.DSCPs, len(pg.CodePoints(1<<64-1).List()))
}

func contains(all []int, d int) bool {
	return slices.Contains(all, d)
}

func TestDSCPMap(t *testing.T) {
	m := pg.DSCPMap{3: pg.Points(26), 6: pg.Points(46, 48)}
	for dscp, want := range map[int]int{26: 3, 46: 6, 48: 6} {
		p, ok := m.Priority(dscp)
		require.True(t, ok)
		require.Equal(t, want, p)
	}
	_, ok := m.Priority(0)
	require.False(t, ok)
}
