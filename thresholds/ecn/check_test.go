package ecn_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/exact"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/thresholds/ecn"
	"github.com/cellwarden/cellwarden/unit"
)

func TestMarking(t *testing.T) {
	curve := ecn.Thresholds{KMin: 100, KMax: 300, PMax: 5 * unit.OnePercent}
	for _, c := range []struct {
		depth unit.Bytes
		want  exact.Ratio
	}{
		{-1, exact.Of(0, 1)},
		{100, exact.Of(0, 1)},
		{200, exact.Of(1, 40)},
		{300, exact.Of(1, 20)},
		{301, exact.Of(1, 1)},
	} {
		require.Equal(t, c.want, curve.Marking(c.depth), "%v", c.depth)
	}
	step := ecn.Thresholds{KMin: 100, KMax: 100, PMax: unit.Whole}
	require.Equal(t, int64(0), step.Marking(100).Ceil())
	require.Equal(t, int64(1), step.Marking(101).Floor())
	require.Equal(t, int64(0), ecn.Thresholds{}.Marking(1<<40).Ceil(), "the zero profile marks nothing")
	huge := ecn.Thresholds{KMax: 1 << 62, PMax: unit.Whole}
	require.Equal(t, exact.Of(1, 2), huge.Marking(1<<61))
}

// sonic-mgmt's marking test: a queue of Kmax and ten packets of 1 KB drains one
// by one; 46.5 marked packets are expected, nine of them certain.
func TestMarkingAccuracy(t *testing.T) {
	curve := ecn.Thresholds{KMin: 500_000, KMax: 2_000_000, PMax: 5 * unit.OnePercent}
	var expected float64
	certain := 0
	for i := unit.Bytes(1); i <= 2010; i++ {
		p := curve.Marking(2_010_000 - 1000*i).Float()
		expected += p
		if p == 1 {
			certain++
		}
	}
	require.Equal(t, 9, certain)
	require.InDelta(t, 46.525, expected, 1e-9)
}

// Tomahawk as method.SONiC configures it: 10,875,072 bytes of pool over four slices.
func tomahawk(kmin unit.Bytes, feeding int) ecn.Check {
	return ecn.Check{Sharing: ecn.Sharing{Pool: 13071, Reserved: 6}, Cell: 208, KMin: kmin, Feeding: feeding}
}

func TestECNBeforePFC(t *testing.T) {
	for _, c := range []struct {
		name  string
		check ecn.Check
		most  int
	}{
		{"Kmin 250,000 up to nine groups", tomahawk(250_000, 1), 9},
		{"Kmin 1,048,576 for one alone", tomahawk(1_048_576, 1), 1},
		{"a Kmin beyond every threshold", tomahawk(1_360_632, 1), 0},
		{"a byte less", tomahawk(1_360_631, 1), 1},
		{"two that feed the queue", tomahawk(250_000, 2), 20},
		{"Kmin below the reserved cells", tomahawk(1247, 1), thresholds.MaxGroups},
		{"no m is one", tomahawk(250_000, 0), 9},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.NoError(t, c.check.Validate())
			require.Equal(t, c.most, c.check.MaxCongested())
			if c.most > 0 {
				require.True(t, c.check.MarksFirst(c.most))
			}
			if c.most < thresholds.MaxGroups {
				require.False(t, c.check.MarksFirst(c.most+1))
			}
			for _, n := range []int{1, 9, 10, 200} { // KMinFor is the largest that holds
				fixed := c.check
				fixed.KMin = c.check.KMinFor(n)
				require.True(t, fixed.MarksFirst(n))
				fixed.KMin++
				require.False(t, fixed.MarksFirst(n))
			}
		})
	}
	require.Equal(t, unit.Bytes(1_360_632), tomahawk(0, 1).PauseThreshold(1))
	require.Equal(t, unit.Bytes(273_124), tomahawk(0, 1).PauseThreshold(9))
	require.Equal(t, unit.Bytes(546_249), tomahawk(0, 2).QueueAtPause(9), "the exact 2*273,124.8 rounded once")
	require.Equal(t, unit.Bytes(-1), ecn.Check{Cell: 208}.KMinFor(1))
	require.Zero(t, ecn.Check{Cell: 208}.MaxCongested())
	bad := ecn.Check{Sharing: ecn.Sharing{Pool: -1}, KMin: -1, Feeding: -1}
	for _, complaint := range []string{"pool of -1", "cell of 0 bytes", "kmin -1B", "-1 groups feeding"} {
		require.ErrorContains(t, bad.Validate(), complaint)
	}
}

// Junos's text on DCQCN: two ports receive lossless traffic for one. The lossless pool is 9 % of the shared buffer, the
// queue may have 50 % of it. A fill level of 10 % marks; 50 % never does.
func TestJunosTwoIngressOneEgress(t *testing.T) {
	const cell, buffer = cells.Size(208), cells.Count(34625) // 7202 KB
	pool := cells.Count((9 * unit.OnePercent).Of(int64(buffer)))
	queue := unit.Bytes((50 * unit.OnePercent).Of(int64(cell.Bytes(buffer))))
	check := func(fill unit.Percent) ecn.Check {
		return ecn.Check{Sharing: ecn.Sharing{Pool: pool}, Cell: cell, KMin: ecn.FillLevel(queue, fill), Feeding: 2}
	}
	require.True(t, check(10*unit.OnePercent).MarksFirst(2))
	require.False(t, check(50*unit.OnePercent).MarksFirst(2))
	require.Zero(t, check(50*unit.OnePercent).MaxCongested())
	for m := 2; m <= thresholds.MaxGroups; m *= 2 { // however many feed the queue
		all := check(50 * unit.OnePercent)
		all.Feeding = m
		require.Zero(t, all.MaxCongested(), "%d groups", m)
	}
}

func ExampleCheck() {
	c := ecn.Check{Sharing: ecn.Sharing{Pool: 13071, Reserved: 6}, Cell: 208, KMin: 250_000, Feeding: 1}
	fmt.Println("holds for", c.MaxCongested(), "groups; ten pause at", c.PauseThreshold(10), "and need a kmin of",
		c.KMinFor(10))
	// Output: holds for 9 groups; ten pause at 248408B and need a kmin of 248408B
}

func TestECNValidate(t *testing.T) {
	require.NoError(t, ecn.Thresholds{}.Validate())
	require.NoError(t, ecn.Thresholds{KMin: 250000, KMax: 1048576, PMax: 5 * unit.OnePercent}.Validate())
	require.ErrorContains(t, ecn.Thresholds{KMin: 2, KMax: 1, PMax: 1}.Validate(), "kmin must not be above kmax")
	require.ErrorContains(t, ecn.Thresholds{KMin: 1, KMax: 2}.Validate(), "pmax")
	require.ErrorContains(t, ecn.Thresholds{KMin: 1, KMax: 2, PMax: unit.Whole + 1}.Validate(), "pmax")
}
