package ecn_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/thresholds/ecn"
	"github.com/cellwarden/cellwarden/unit"
)

// Advice marks every packet before a group pauses, has its values in order, and gives the senders a queue to settle at.
func TestAdviceMarksFirst(t *testing.T) {
	for _, n := range []int{1, 2, 8, 16, 64, 400} {
		for _, rate := range []unit.BitRate{10 * unit.Gbps, 100 * unit.Gbps, 800 * unit.Gbps} {
			for _, trip := range []unit.Time{1000, 2 * unit.Microsecond, 100 * unit.Microsecond,
				10 * unit.Millisecond} {
				c := ecn.Check{Sharing: ecn.Sharing{Pool: 13071, Reserved: 6}, Cell: 208, Feeding: 2}
				a, err := c.Advise(n, rate, n+1, trip)
				require.NoError(t, err)
				require.NoError(t, a.Validate())
				require.Positive(t, a.KMin)
				require.LessOrEqual(t, a.KMin, a.BDP)
				require.Equal(t, 4*a.KMin, a.KMax)
				require.LessOrEqual(t, a.KMax, a.Bound)
				c.KMin = a.KMin
				require.True(t, c.MarksFirst(n))
				require.True(t, a.KMin == a.BDP || a.KMin == a.Bound/4)
				point, err := ecn.DefaultDCQCN(rate, n+1).FixedPoint(a.Thresholds)
				require.NoError(t, err)
				if a.PMax < unit.Whole {
					require.True(t, point.Valid)
					require.LessOrEqual(t, point.Queue, (a.KMin+a.KMax)/2+1)
				}
				for _, why := range []string{a.WhyKMin, a.WhyKMax, a.WhyPMax} {
					require.NotEmpty(t, why)
				}
			}
		}
	}
	c := ecn.Check{Sharing: ecn.Sharing{Pool: 13071}, Cell: 208}
	a, err := c.Advise(1, 100*unit.Gbps, 1, 8*unit.Microsecond)
	require.NoError(t, err)
	require.Equal(t, unit.Bytes(100_000), a.BDP)
}

func TestAdviceThatCannotBeGiven(t *testing.T) {
	c := ecn.Check{Sharing: ecn.Sharing{Pool: 0}, Cell: 208}
	_, err := c.Advise(3, 100*unit.Gbps, 1, unit.Microsecond)
	require.ErrorContains(t, err, "no profile marks before")
	for _, bad := range []struct {
		rate  unit.BitRate
		flows int
		trip  unit.Time
	}{{0, 1, 1}, {unit.Gbps, 0, 1}, {unit.Gbps, 1, 0}, {unit.Gbps, 1, unit.Second}} {
		_, err := c.Advise(1, bad.rate, bad.flows, bad.trip)
		require.Error(t, err, bad)
	}
}

// A static limit is the same for any number of groups, while the pool has it for all of them.
func TestStaticLimit(t *testing.T) {
	s := ecn.Sharing{Pool: 1000, Reserved: 6, Static: unit.Given[cells.Count](300), Alpha: 3}
	require.NoError(t, s.Validate())
	require.Equal(t, int64(306), s.Together(1).Floor())
	require.Equal(t, int64(306), s.Together(3).Floor())
	require.Equal(t, int64(256), s.Together(4).Floor())
	require.Equal(t, []cells.Count{306, 306, 306, 106, 6}, inTurn(s, 5))
	c := ecn.Check{Sharing: s, Cell: 100, KMin: 26_000}
	require.Equal(t, 3, c.MaxCongested(), "with four, a group pauses at 25,600 bytes")
	s.Static = unit.Given[cells.Count](0)
	require.Equal(t, int64(6), s.Together(1).Floor(), "an explicit zero is zero")
	s.Static = unit.Given[cells.Count](-1)
	require.ErrorContains(t, s.Validate(), "static limit of -1 cells")
}
