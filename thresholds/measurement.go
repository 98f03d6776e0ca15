package thresholds

import (
	"fmt"

	"github.com/cellwarden/cellwarden/internal/exact"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/unit"
)

// Measurement is a measured round trip of a cable, as PTP gives it: the time there and back between the points at which
// both ends take the time. The zero Measurement means that nothing was measured.
//
// A headroom contains the cable twice: the pause frame crosses it, and then the last data. So the round trip decides,
// and not how it is divided into the two ways: what one way is longer because the fibres differ, the other is shorter.
// PTP's mean path delay is half of the round trip. What the points do not contain, the interfaces and the response
// time, a sizing method adds as it does for a cable.
type Measurement struct {
	RoundTrip   unit.Time // there and back
	Uncertainty unit.Time // by so much the true round trip may be longer
	Source      string    // who or what measured: "ptp4l on leaf1"
	Date        string    // when: "2026-11-22"
}

// maxMeasurementText is the longest source of a measurement: messages and tables show it.
const maxMeasurementText = 80

// IsGiven tells whether there is a measurement.
func (m Measurement) IsGiven() bool { return m != Measurement{} }

// Longest returns the longest round trip that the measurement allows.
func (m Measurement) Longest() unit.Time { return m.RoundTrip + m.Uncertainty }

// OneWay returns the delay of one direction that the headroom counts: half of the longest round trip, rounded up to a
// picosecond.
func (m Measurement) OneWay() unit.Time { return (m.Longest() + 1) / 2 }

// Exactly returns the measurement without its uncertainty.
func (m Measurement) Exactly() Measurement {
	m.Uncertainty = 0
	return m
}

// String prints "3.05us there and back, at most 20ns more (ptp4l on leaf1, 2026-11-22)".
func (m Measurement) String() string {
	return fmt.Sprintf("%v there and back, at most %v more (%s, %s)", m.RoundTrip, m.Uncertainty, m.Source, m.Date)
}

// Validate returns everything that is wrong with a measurement that is given, or nil.
func (m Measurement) Validate() error {
	var bad fielderr.List
	bad.Check(m.RoundTrip > 0 && m.RoundTrip <= 2*MaxDelay, "round_trip", m.RoundTrip, "more than 0ps, at most %v",
		2*MaxDelay)
	bad.Check(m.Uncertainty >= 0 && m.Uncertainty <= 2*MaxDelay, "uncertainty", m.Uncertainty, "0ps to %v", 2*MaxDelay)
	bad.Check(m.Longest() <= 2*MaxDelay, "round_trip and uncertainty", m.Longest(), "at most %v together", 2*MaxDelay)
	bad.Check(m.Source != "" && len(m.Source) <= maxMeasurementText, "source", fielderr.Quote(m.Source),
		"who or what measured, at most %d bytes", maxMeasurementText)
	bad.Check(isDate(m.Date), "date", fielderr.Quote(m.Date), "a day, such as 2026-11-22")
	return bad.Err()
}

// isDate tells whether a text is a day of the form 2026-11-22.
func isDate(text string) bool {
	var year, month, day int
	n, err := fmt.Sscanf(text, "%4d-%2d-%2d", &year, &month, &day)
	return err == nil && n == 3 && text == fmt.Sprintf("%04d-%02d-%02d", year, month, day) && year > 0 && month >= 1 &&
		month <= 12 && day >= 1 && day <= daysOf(year, month)
}

// daysOf returns the number of days of a month, in the Gregorian calendar.
func daysOf(year, month int) int {
	switch month {
	case 4, 6, 9, 11:
		return 30
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	}
	return 31
}

// The speed of light in vacuum is 299,792,458 m/s by the definition of the metre (SI brochure, 9th edition). No signal
// of a cable is faster.
const lightMetresPerSecond = 299_792_458

// light returns the time that light takes in vacuum for a length there and back, exactly, in picoseconds.
func light(l unit.Length) exact.Ratio {
	return exact.Whole(2*l).Times(int64(unit.Second)/int64(unit.Metre), lightMetresPerSecond)
}

// Against compares the measurement with the length of its cable. impossible says why the cable cannot have this length:
// the longest round trip is shorter than light takes. doubtful says that it is shorter than the medium's signal takes
// at the speed that is assumed for it: the length, the measurement or the assumption is wrong. Both are empty if it
// fits.
func (m Measurement) Against(cable unit.Length, medium Medium) (impossible, doubtful string) {
	light, usual := unit.Time(light(cable).Ceil()), unit.Time(medium.Delay(cable).Times(2, 1).Ceil())
	switch longest := m.Longest(); {
	case longest < light:
		return fmt.Sprintf("%v there and back, which is less than the %v of light over %v in vacuum", longest, light,
			cable), ""
	case longest < usual:
		return "", fmt.Sprintf("the measured %v there and back is less than the %v of %v of %v: the length, the "+
			"measurement or the speed of the medium is wrong", longest, usual, cable, medium)
	}
	return "", ""
}
