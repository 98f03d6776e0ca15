package thresholds_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

func TestLinkDelaysAreTheSum(t *testing.T) {
	for _, rate := range []unit.BitRate{10 * unit.Gbps, 100 * unit.Gbps, 800 * unit.Gbps} {
		l := thresholds.Link{Rate: rate, Cable: 333 * unit.Metre, Medium: thresholds.FibreNVIDIA, Extra: 77,
			MTU: 9216, LosslessMTU: 4096}
		d, err := thresholds.IEEE{}.LinkDelays(l)
		require.NoError(t, err)
		h, err := thresholds.IEEE{}.Size(l, thresholds.Memory{Cell: 208})
		require.NoError(t, err)
		require.Equal(t, h.BitTimes, d.Total())
		require.EqualValues(t, (9216+20)*8, d.Longest)
		require.EqualValues(t, (4096+20)*8, d.Begun)
	}
	_, err := thresholds.IEEE{}.LinkDelays(thresholds.Link{Rate: 7 * unit.Gbps, MTU: 1500, LosslessMTU: 1500})
	require.ErrorContains(t, err, "no source gives the pause response time of 7G")
}
