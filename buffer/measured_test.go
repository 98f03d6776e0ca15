package buffer_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// A measurement that is wrong, or stands beside a wrong cable, is refused with its reason and compared with nothing.
func TestMeasurementBesideWrongValues(t *testing.T) {
	right := thresholds.Measurement{RoundTrip: unit.Microsecond, Source: "ptp4l on leaf1", Date: "2026-11-22"}
	for want, change := range map[string]func(*buffer.Port){
		"ports[0].cable":                          func(p *buffer.Port) { p.Cable = -1 },
		"ports[0].medium":                         func(p *buffer.Port) { p.Medium = 99 },
		"ports[0].measured_delay.date":            func(p *buffer.Port) { p.Measured.Date = "" },
		"ports[0].measured_delay: a delay of 1ps": func(p *buffer.Port) { p.Delay = unit.Given[unit.Time](1) },
	} {
		in := dedicated(1, 5*unit.Metre)
		in.Ports[0].Measured, in.Ports[0].Delay = right, unit.Given(right.OneWay())
		_, err := buffer.New(in)
		require.NoError(t, err, "the measurement alone is right")
		change(&in.Ports[0])
		_, err = buffer.New(in)
		require.ErrorContains(t, err, want)
	}
}
