package behaviour_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/asic/behaviour"
	"github.com/cellwarden/cellwarden/unit"
)

func TestSiliconOne(t *testing.T) {
	for _, c := range []struct {
		name   string
		family behaviour.SiliconOne
		in     behaviour.SiliconOneProfile
		want   behaviour.SiliconOneThresholds
	}{
		{"gb, under the queue's maximum of 5,684,352", behaviour.SiliconOneGB,
			behaviour.SiliconOneProfile{Pool: 67108864, XOFF: 444000, XON: 3 * unit.MiB},
			behaviour.SiliconOneThresholds{Requested: 5240352, Pause: 5240352, Drop: 5684352, Resume: 3145728}},
		{"gb, small alpha", behaviour.SiliconOneGB,
			behaviour.SiliconOneProfile{Pool: 67108864, Alpha: -5, XOFF: 444000},
			behaviour.SiliconOneThresholds{Requested: 2097152, Pause: 2097152, Drop: 2541152}},
		{"gr rounds down to 5 bits", behaviour.SiliconOneGR,
			behaviour.SiliconOneProfile{Pool: 1 << 30, XOFF: 444000, XON: 10 * unit.MiB},
			// 22,737,408 - 444,000 is 58,055 units of 384: 28 * 2^11
			behaviour.SiliconOneThresholds{Requested: 22293408, Pause: 57344 * 384, Drop: 57344*384 + 444000,
				Resume: 26624 * 384}},
		{"gr2 is a share of the pool", behaviour.SiliconOneGR2,
			behaviour.SiliconOneProfile{Pool: 100_000_000, PoolXOFF: 20_000_000, Alpha: -1, XOFF: 100_000,
				XONOffset: 50_000},
			// 80,000,000/3 is 52,083 units of 512: 25 * 2^11; less 50,000: 51,102, 24 * 2^11
			behaviour.SiliconOneThresholds{Requested: 26666666, Pause: 51200 * 512, Drop: 51200*512 + 100_000,
				Resume: 49152 * 512}},
		{"p200 rounds its headroom up to 4 bits", behaviour.SiliconOneP200,
			behaviour.SiliconOneProfile{Pool: 100_000_000, PoolXOFF: 20_000_000, Alpha: -1, XOFF: 100_000},
			// 196 units: 13 * 2^4
			behaviour.SiliconOneThresholds{Requested: 26666666, Pause: 51200 * 512, Drop: 51200*512 + 208*512,
				Resume: 51200 * 512}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := c.family.Thresholds(c.in)
			require.NoError(t, err)
			require.Equal(t, c.want, got)
		})
	}
}

func TestSiliconOneHeadroomPackets(t *testing.T) {
	// gr2: 64 bytes are two pieces of 32 and two more.
	require.Equal(t, int64(781), behaviour.SiliconOneGR2.HeadroomPackets(100_000, 64))
	require.Equal(t, int64(704), behaviour.SiliconOneP200.HeadroomPackets(355_000, 64),
		"694 units are rounded up to 11 * 2^6")
}

func TestSiliconOneRefusals(t *testing.T) {
	for f := behaviour.SiliconOneGB; f <= behaviour.SiliconOneP200; f++ {
		again, err := behaviour.ParseSiliconOne(f.String())
		require.NoError(t, err)
		require.Equal(t, f, again)
	}
	_, err := behaviour.ParseSiliconOne("q200")
	require.ErrorContains(t, err, "accepted: gb, gr, gr2, p200")
	_, err = behaviour.SiliconOne(9).Thresholds(behaviour.SiliconOneProfile{Pool: -1, PoolXOFF: 5, Alpha: 20})
	require.ErrorContains(t, err, "family 9")
	require.ErrorContains(t, err, "alpha 2^20")
	require.ErrorContains(t, err, "-1B")
	require.ErrorContains(t, err, "shared headroom 5B")
	_, err = behaviour.SiliconOneGB.Thresholds(behaviour.SiliconOneProfile{Pool: 1, XOFF: 6_000_000})
	require.ErrorContains(t, err, "leaves nothing")
}
