package fabric

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/unit"
)

// TestRate says that a flow's rate is kept to the picosecond, where a byte
// takes no whole number of them.
func TestRate(t *testing.T) {
	for _, rate := range []unit.BitRate{25 * unit.Gbps, 30 * unit.Gbps, 99 * unit.Gbps, 99_999_999_999} {
		n := incast(1, 1e7)
		n.Flows[0].Rate = rate
		s, err := New(n)
		require.NoError(t, err)
		s.Run(unit.Second)
		f := s.Flow(0)
		require.EqualValues(t, 10000, f.Delivered)
		first := unit.Microsecond + (100*unit.Gbps).TimeFor(1068*8)*2 + 2*unit.Microsecond
		gap := int64(rate.TimeFor(1068 * 8))
		require.Equal(t, first+unit.Time(gap*9999), f.Last, rate)
	}
}
