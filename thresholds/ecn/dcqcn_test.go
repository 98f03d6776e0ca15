package ecn_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/internal/effort"
	"github.com/cellwarden/cellwarden/thresholds/ecn"
	"github.com/cellwarden/cellwarden/unit"
)

var paperCurve = ecn.Thresholds{KMin: 5_000, KMax: 200_000, PMax: unit.OnePercent}

func TestDCQCNFixedPoint(t *testing.T) {
	var file struct {
		Cases []struct {
			Rate                     int64 `json:"rate_gbps"`
			Flows                    int
			Probability, Approximate float64
			Queue                    *unit.Bytes `json:"queue_bytes"`
		}
	}
	theory(t, "dcqcn.json", &file)
	require.Len(t, file.Cases, 10)
	for _, c := range file.Cases {
		name := fmt.Sprintf("%dG, %d flows", c.Rate, c.Flows)
		f, err := ecn.DefaultDCQCN(unit.BitRate(c.Rate)*unit.Gbps, c.Flows).FixedPoint(paperCurve)
		require.NoError(t, err)
		require.InEpsilon(t, c.Probability, f.Probability, 1e-12, name)
		require.InEpsilon(t, c.Approximate, f.Approximate, 1e-14, name)
		require.Greater(t, f.Approximate, 1.14*f.Probability, name)
		require.Less(t, f.Approximate, 1.45*f.Probability, name)
		require.Equal(t, c.Queue != nil, f.Valid, name)
		if f.Valid {
			require.Equal(t, *c.Queue, f.Queue, name)
		} else {
			require.Zero(t, f.Queue)
		}
		require.Equal(t, unit.BitRate(c.Rate)*unit.Gbps/unit.BitRate(c.Flows), f.Rate)
	}
	wide := ecn.Thresholds{KMin: 400_000, KMax: 1_600_000, PMax: 20 * unit.OnePercent}
	for flows, want := range map[int]unit.Bytes{8: 408_500, 32: 449_400} { // stated to four digits
		f, err := ecn.DefaultDCQCN(100*unit.Gbps, flows).FixedPoint(wide)
		require.NoError(t, err)
		require.InDelta(t, int64(want), int64(f.Queue), 50)
	}
}

func TestDCQCNMaxFlows(t *testing.T) {
	for rate, want := range map[unit.BitRate]int{40 * unit.Gbps: 14, 100 * unit.Gbps: 37} {
		got, err := ecn.DefaultDCQCN(rate, 1).MaxFlows(paperCurve)
		require.NoError(t, err)
		require.Equal(t, want, got, "%v", rate)
	}
	shallow := paperCurve
	shallow.PMax = unit.HundredthPercent
	none, err := ecn.DefaultDCQCN(40*unit.Gbps, 1).MaxFlows(shallow)
	require.NoError(t, err)
	require.Zero(t, none)
}

// The model's queue: at rest with 4 us of delay, in oscillation with 85 us and ten flows (integrated independently:
// mean 57, deviation 79, maximum 234 KB, utilisation 0.950).
func TestDCQCNStability(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		flows  int
		delay  unit.Time
		stable bool
	}{
		{2, 4 * unit.Microsecond, true},
		{8, 4 * unit.Microsecond, true},
		{14, 4 * unit.Microsecond, true},
		{2, 85 * unit.Microsecond, true},
		{10, 85 * unit.Microsecond, false},
	} {
		name := fmt.Sprintf("%d flows, %v", c.flows, c.delay)
		d := ecn.DefaultDCQCN(40*unit.Gbps, c.flows)
		s, err := d.Stability(paperCurve, c.delay)
		require.NoError(t, err)
		require.Equal(t, c.stable, s.Stable, "%s: %+v", name, s)
		if c.stable {
			f, err := d.FixedPoint(paperCurve)
			require.NoError(t, err)
			require.InDelta(t, int64(f.Queue), int64(s.Mean), 5, name)
			require.LessOrEqual(t, s.Deviation, unit.Bytes(300), name)
			require.InDelta(t, 1, s.Utilisation, 1e-6)
			continue
		}
		require.InDelta(t, 57_000, int64(s.Mean), 2_000)
		require.InDelta(t, 79_000, int64(s.Deviation), 1_000)
		require.InDelta(t, 234_000, int64(s.Max), 1_000)
		require.InDelta(t, 0.950, s.Utilisation, 0.001)
	}
}

func TestDCQCNRefusals(t *testing.T) {
	_, err := ecn.DCQCN{}.FixedPoint(paperCurve)
	for _, complaint := range []string{"rate in bit/s 0", "flows 0", "packet bytes 0", "increase", "byte counter",
		"recovery steps", "gain divisor", "interval in ps 0"} {
		require.ErrorContains(t, err, complaint)
	}
	good := ecn.DefaultDCQCN(40*unit.Gbps, 2)
	_, err = good.FixedPoint(ecn.Thresholds{})
	require.ErrorContains(t, err, "without marking")
	_, err = good.MaxFlows(ecn.Thresholds{KMin: 2, KMax: 1, PMax: 1})
	require.ErrorContains(t, err, "kmin must not be above kmax")
	_, err = good.Stability(paperCurve, unit.Second)
	require.ErrorContains(t, err, "loop delay 1s")
	_, err = good.Stability(ecn.Thresholds{}, 0)
	require.Error(t, err)
}

// A step in place of a slope has no fixed point on it, but the model runs.
func TestDCQCNStep(t *testing.T) {
	step := ecn.Thresholds{KMin: 100_000, KMax: 100_000, PMax: unit.Whole}
	s, err := ecn.DefaultDCQCN(40*unit.Gbps, 8).Stability(step, 0)
	require.NoError(t, err)
	require.Positive(t, s.Utilisation)
	require.LessOrEqual(t, s.Utilisation, 1.0)
}

func ExampleDCQCN() {
	curve := ecn.Thresholds{KMin: 5_000, KMax: 200_000, PMax: unit.OnePercent}
	d := ecn.DefaultDCQCN(40*unit.Gbps, 8)
	f, _ := d.FixedPoint(curve)
	most, _ := d.MaxFlows(curve)
	fmt.Printf("%v each, p %.4f, queue %v; the curve holds %d flows\n", f.Rate, f.Probability, f.Queue, most)
	// Output: 5G each, p 0.0046, queue 93766B; the curve holds 14 flows
}

// Where the integration diverges there is no answer, and no number that looks like one.
func TestStabilityDiverges(t *testing.T) {
	effort.Alone(t)
	curve := ecn.Thresholds{KMin: 5000, KMax: 200_000, PMax: unit.OnePercent}
	_, err := ecn.DefaultDCQCN(800_000_000_000, 100).Stability(curve, unit.Millisecond)
	require.ErrorContains(t, err, "loop delay 1ms: the fluid model diverges at 800G with 100 flows (want a shorter delay)")
	s, err := ecn.DefaultDCQCN(800_000_000_000, 100).Stability(curve, 10*unit.Microsecond)
	require.NoError(t, err)
	require.True(t, s.Stable)
}
