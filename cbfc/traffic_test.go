package cbfc_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/cbfc"
)

func TestTrafficClasses(t *testing.T) {
	for want, of := range map[string][]int{"none": {}, "3": {3}, "0-2": {0, 1, 2}, "3,8-11,63": {3, 8, 9, 10, 11, 63}} {
		s := cbfc.Traffic(of...)
		require.Equal(t, want, s.String())
		require.Equal(t, of, s.List())
	}
	require.Equal(t, "0-63", (^cbfc.TrafficClasses(0)).String())
	require.Panics(t, func() { cbfc.Traffic(64) })
	require.Panics(t, func() { cbfc.Traffic(-1) })
}

// Alone is what a sender of single credits reaches when nobody else sends: never more, and at most one less, because
// the threshold is compared before the packet.
func TestAloneIsWhatASenderReaches(t *testing.T) {
	for _, c := range []cbfc.Profile{{Reserved: 7}, {Reserved: 7, Mode: cbfc.UpTo, Most: 20}, {Mode: cbfc.UpTo},
		{Mode: cbfc.UpTo, Most: 5000}, {Mode: cbfc.Dynamic}, {Reserved: 3, Mode: cbfc.Dynamic, N: 3},
		{Reserved: 3, Mode: cbfc.Dynamic, N: -3}, {Mode: cbfc.Dynamic, N: cbfc.LeastN}, {Mode: cbfc.Dynamic, N: cbfc.MostN}} {
		p := cbfc.Pool{Size: 1000, Profiles: []cbfc.Profile{c, {Reserved: 100}}}
		require.NoError(t, p.Validate())
		used := []cbfc.Credits{0, 0}
		for p.May(0, 1, used) {
			used[0]++
		}
		require.GreaterOrEqual(t, used[0], p.Alone(0), "%+v", c)
		require.LessOrEqual(t, used[0], p.Alone(0)+1, "%+v", c)
		require.LessOrEqual(t, p.Alone(0), p.Most(0), "%+v", c)
	}
}
