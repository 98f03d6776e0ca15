package risk_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/capacity/risk"
	"github.com/cellwarden/cellwarden/cells"
)

// A curve has what the pools of each ratio have, and a larger ratio is a larger risk.
func TestCurveIsPointByPoint(t *testing.T) {
	_, in := pools(t)
	ratios := risk.Ratios(32)
	behaves := risk.Apart(func(p *risk.Pool) (float64, error) { return p.Independent(0.001) })
	points, err := risk.Curve(in, ratios, behaves)
	require.NoError(t, err)
	paused, err := risk.PausedCurve(in, ratios, 1e-6)
	require.NoError(t, err)
	require.Len(t, points, len(ratios))
	require.Len(t, paused, len(ratios))
	require.Zero(t, points[0].Value, "the pool of ratio 1 holds all groups")
	require.Equal(t, 1.0, paused[0].Value)
	for i, ratio := range ratios {
		require.Equal(t, ratio, points[i].Ratio)
		all := in
		all.Pool.SharedHeadroom, all.Pool.SharedHeadroomRatio = 0, ratio
		of, err := risk.Pools(all)
		require.NoError(t, err)
		want, err := behaves(of)
		require.NoError(t, err)
		require.Equal(t, want.Probability, points[i].Value, ratio)
		most, err := risk.MostPaused(of, 1e-6)
		require.NoError(t, err)
		require.Equal(t, most, paused[i].Value, ratio)
		if i > 0 {
			require.GreaterOrEqual(t, points[i].Value, points[i-1].Value)
			require.LessOrEqual(t, paused[i].Value, paused[i-1].Value)
		}
	}
}

func TestRatiosOfAPicture(t *testing.T) {
	require.Equal(t, []int{1}, risk.Ratios(0))
	require.Equal(t, []int{1, 2, 3}, risk.Ratios(3))
	require.Equal(t, []int{1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 18, 22, 27, 32}, risk.Ratios(32))
	require.Less(t, len(risk.Ratios(100_000)), 40)
}

// Watermarks of the ports of one pool say nothing of another pool whose groups bring as much.
func TestPoolsOfSeveralPortsWithWatermarks(t *testing.T) {
	pools := []risk.Pool{
		{Slice: 0, Cells: 5, Groups: []risk.Group{{"Ethernet1", 3, 6}}},
		{Slice: 1, Cells: 5, Groups: []risk.Group{{"Ethernet2", 3, 6}}},
	}
	measured := map[string][]cells.Count{risk.Group{Port: "Ethernet1", Group: 3}.Key(): {1}}
	measure := risk.Apart(func(p *risk.Pool) (float64, error) { return p.Measured(measured) })
	for i, want := range []float64{0, 1} {
		x, err := measure(pools[i : i+1])
		require.NoError(t, err)
		require.Equal(t, want, x.Probability)
	}
	x, err := measure(pools)
	require.NoError(t, err)
	require.Equal(t, 1.0, x.Probability)
}
