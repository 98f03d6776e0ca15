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

// The delays of both ends by each of the two sums, in bit times.
func TestTwoSumsOfTheDelays(t *testing.T) {
	for rate, want := range map[unit.BitRate]struct{ ends, texts int64 }{
		10 * unit.Gbps: {61440, 47104}, 25 * unit.Gbps: {81920, 53248}, 40 * unit.Gbps: {120832, 109568},
		50 * unit.Gbps: {150528, 136704}, 100 * unit.Gbps: {403456, 447488}, 200 * unit.Gbps: {463872, 723456},
		400 * unit.Gbps: {926720, 1446400},
	} {
		l := thresholds.Link{Rate: rate, Cable: 5 * unit.Metre, MTU: 9216, LosslessMTU: 4096}
		of := func(sum thresholds.DelaySum) (int64, thresholds.DelaySum) {
			d, err := thresholds.IEEE{Delays: thresholds.Delays{Sum: sum}}.LinkDelays(l)
			require.NoError(t, err)
			return 2*d.Interface + d.Response, d.Sum
		}
		texts, _ := of(thresholds.SumOfTexts)
		ends, _ := of(thresholds.SumOfEnds)
		larger, which := of(thresholds.LargerSum)
		require.Equal(t, want.texts, texts, rate)
		require.Equal(t, want.ends, ends, rate)
		require.Equal(t, max(want.texts, want.ends), larger, rate)
		used := thresholds.SumOfTexts
		if ends > texts {
			used = thresholds.SumOfEnds
		}
		require.Equal(t, used, which, rate)
	}
}

// For a link whose ends have the value of 31B.3.7, the texts' sum is 18 % too small at 25G over 5 m, and a third too
// large at 400G. The explanation has both sums.
func TestExplanationHasBothSums(t *testing.T) {
	for rate, want := range map[unit.BitRate][2]int64{25 * unit.Gbps: {190658, 161986},
		400 * unit.Gbps: {1054208, 1573888}} {
		l := thresholds.Link{Rate: rate, Cable: 5 * unit.Metre, MTU: 9216, LosslessMTU: 4096}
		for used := range 2 {
			e, err := thresholds.IEEE{Delays: thresholds.Delays{Sum: thresholds.DelaySum(used)}}.Explain(l,
				thresholds.Memory{Cell: 208, Overhead: 64})
			require.NoError(t, err)
			require.Len(t, e.Sums, 2)
			sum := int64(0)
			for _, term := range e.Terms {
				sum += term.BitTimes
			}
			require.Equal(t, e.BitTimes, sum)
			for i, name := range []string{"both-ends", "texts"} {
				require.Equal(t, name, e.Sums[i].Name)
				require.Equal(t, want[i], e.Sums[i].BitTimes)
				require.Equal(t, i == used, e.Sums[i].Used)
			}
			require.Equal(t, e.Sums[used].Cells, e.Cells)
		}
	}
}

// A delay of an interface that is given belongs to the texts' sum.
func TestGivenInterfaceDelayLeavesOneSum(t *testing.T) {
	given := thresholds.Delays{EveryInterface: unit.Given(unit.Nanosecond)}
	l := thresholds.Link{Rate: 25 * unit.Gbps, MTU: 9216, LosslessMTU: 4096}
	for _, sum := range []thresholds.DelaySum{thresholds.SumOfEnds, thresholds.SumOfTexts, thresholds.LargerSum} {
		given.Sum = sum
		m := thresholds.IEEE{Delays: given}
		d, err := m.LinkDelays(l)
		require.NoError(t, err)
		require.Equal(t, thresholds.SumOfTexts, d.Sum)
		e, err := m.Explain(l, thresholds.Memory{Cell: 208})
		require.NoError(t, err)
		require.Len(t, e.Sums, 1)
	}
	given.Sum = 7
	require.ErrorContains(t, thresholds.IEEE{Delays: given}.Validate(),
		"want both-ends, texts, larger, nvidia, nvidia-quanta")
	_, err := thresholds.ParseDelaySum("maxima")
	require.ErrorContains(t, err, "want both-ends, texts, larger, nvidia, nvidia-quanta")
}

// The delays of SONiC's formula for NVIDIA: 0.8 KiB and 3.8 KiB, or 0.8 KiB and the quanta of the peer.
func TestDelaysOfNVIDIA(t *testing.T) {
	l := thresholds.Link{Rate: 100 * unit.Gbps, MTU: 9216, LosslessMTU: 4096}
	for sum, want := range map[thresholds.DelaySum]int64{thresholds.SumOfNVIDIA: 6554 + 31130,
		thresholds.SumOfNVIDIAQuanta: 6554 + 394*512} {
		m := thresholds.IEEE{Delays: thresholds.Delays{Sum: sum}}
		d, err := m.LinkDelays(l)
		require.NoError(t, err)
		require.Equal(t, want, 2*d.Interface+d.Response)
		e, err := m.Explain(l, thresholds.Memory{Cell: 96})
		require.NoError(t, err)
		require.Len(t, e.Sums, 3, "both ends, the texts, and the one that is used")
		require.True(t, e.Sums[2].Used)
		require.Len(t, e.Terms, 7)
	}
	l.Response = unit.Given(unit.Microsecond)
	d, err := thresholds.IEEE{Delays: thresholds.Delays{Sum: thresholds.SumOfNVIDIA}}.LinkDelays(l)
	require.NoError(t, err)
	require.EqualValues(t, 100_000, d.Response, "a response that is given is that of the link")
}
