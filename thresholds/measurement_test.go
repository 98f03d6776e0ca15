package thresholds_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// measured is a measurement of 300 m of fibre.
var measured = thresholds.Measurement{RoundTrip: 3050 * unit.Nanosecond, Uncertainty: 40 * unit.Nanosecond,
	Source: "ptp4l on leaf1", Date: "2026-05-12"}

// What is counted is half of the round trip with its uncertainty, rounded up; and the headroom has it twice.
func TestMeasuredRoundTripIsCountedWithItsUncertainty(t *testing.T) {
	require.Equal(t, 1545*unit.Nanosecond, measured.OneWay())
	odd := measured
	odd.Uncertainty++
	require.Equal(t, 1545*unit.Nanosecond+1, odd.OneWay())
	link := thresholds.Link{Rate: 400 * unit.Gbps, MTU: 9216, LosslessMTU: 4096, Measured: measured,
		Delay: unit.Given(measured.OneWay())}
	require.NoError(t, link.Validate())
	require.Equal(t, "1.545us measured (20ns of it uncertain)", link.Path())
	kind, source := link.Source()
	require.Equal(t, thresholds.Measured, kind)
	require.Equal(t, "half of a measured round trip with its uncertainty: 3.05us there and back, at most 40ns more "+
		"(ptp4l on leaf1, 2026-05-12)", source)
	exact := link
	exact.Measured, exact.Delay = measured.Exactly(), unit.Given(measured.Exactly().OneWay())
	require.NoError(t, exact.Validate())
	require.EqualValues(t, 40*400/2, link.BitTimes()-exact.BitTimes(), "40 ns at 400G, half of them each way")
	link.Delay = unit.Given(1 * unit.Microsecond)
	require.ErrorContains(t, link.Validate(), "1us is not 1.545us, half of the longest round trip")
}

// Nothing of a measurement may be missing or impossible. A certain one says so by an uncertainty of 0.
func TestMeasurementsThatAreRefused(t *testing.T) {
	certain := measured
	certain.Uncertainty = 0
	require.NoError(t, certain.Validate())
	for want, change := range map[string]func(m *thresholds.Measurement){
		"round_trip: 0ps (want more than 0ps, at most 20ms)": func(m *thresholds.Measurement) { m.RoundTrip = 0 },
		"uncertainty: -1ps": func(m *thresholds.Measurement) { m.Uncertainty = -1 },
		"at most 20ms together": func(m *thresholds.Measurement) {
			m.RoundTrip, m.Uncertainty = 15*unit.Millisecond, 6*unit.Millisecond
		},
		`source: ""`:                     func(m *thresholds.Measurement) { m.Source = "" },
		`date: "12.5.2026" (want a day,`: func(m *thresholds.Measurement) { m.Date = "12.5.2026" },
		`date: "2026-02-29"`:             func(m *thresholds.Measurement) { m.Date = "2026-02-29" },
		`date: "2026-13-01"`:             func(m *thresholds.Measurement) { m.Date = "2026-13-01" },
		`date: "2026-5-1"`:               func(m *thresholds.Measurement) { m.Date = "2026-5-1" },
	} {
		m := measured
		change(&m)
		require.ErrorContains(t, m.Validate(), want)
	}
	leap := measured
	leap.Date = "2028-02-29"
	require.NoError(t, leap.Validate())
}

// No signal is faster than light in vacuum: 299,792,458 m take a second. A cable's is slower by its medium.
func TestMeasurementAgainstALength(t *testing.T) {
	require.EqualValues(t, 2*unit.Microsecond+1385, thresholds.Light(300*unit.Metre).Ceil(), "2 x 300 m / c")
	for _, c := range []struct {
		trip                 unit.Time
		impossible, doubtful bool
	}{{2001384, true, false}, {2001385, false, true}, {2999999, false, true}, {3000000, false, false},
		{9000000, false, false}} {
		m := thresholds.Measurement{RoundTrip: c.trip - 1000, Uncertainty: 1000, Source: "x", Date: "2026-01-01"}
		impossible, doubtful := m.Against(300*unit.Metre, thresholds.Fibre)
		require.Equal(t, []bool{c.impossible, c.doubtful}, []bool{impossible != "", doubtful != ""}, "%v", c.trip)
	}
	impossible, doubtful := measured.Against(0, thresholds.Copper)
	require.Empty(t, impossible+doubtful, "no length to compare with")
}
