package topology

import (
	"fmt"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/document"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// measured reads the measured delay of a port. A measurement says its uncertainty, its source and its date: without
// them nobody can tell later what a headroom rests on. The length of the cable may stand beside it, to be compared with
// it.
func (r *reader) measured(port map[string]*document.Value, p *buffer.Port) {
	v := port["measured_delay"]
	// Both would say how long a bit travels, and nothing could tell which of the two is right.
	if port["delay"] != nil {
		v.Refuse("measured_delay or delay, not both")
	}
	f := v.Fields("round_trip", "one_way", "uncertainty", "source", "date")
	v.Need(f, "uncertainty", "source", "date")
	// An uncertainty of 0 has to be written: a missing one would count as exact, which no measurement is.
	m := &p.Measured
	*m = thresholds.Measurement{Source: f["source"].Label(), Date: f["date"].Text()}
	// The complaint is at a key that may not be there, so that a reader of it sees which of both names to write first.
	if (f["round_trip"] == nil) == (f["one_way"] == nil) && v.IsMapping() {
		r.Complain(v.Line, v.Path()+".round_trip", "missing, or given beside one_way",
			"the time there and back, or that of one way, such as PTP's mean path delay")
		return
	}
	value, read := f["round_trip"], document.Quantity[unit.Time]
	if f["one_way"] != nil { // the uncertainty is that of the value beside it
		value, read = f["one_way"], twice
	}
	// A value of one way counts twice, and so does its uncertainty. PTP's mean path delay is such a value (IEEE
	// 1588).
	before := v.Complaints()
	m.RoundTrip, m.Uncertainty = read(value, unit.ParseTime), read(f["uncertainty"], unit.ParseTime)
	if v.Complaints() != before {
		*m = thresholds.Measurement{} // nothing is to be said of what could not be read
		return
	}
	if m.Validate() == nil { // else the measurement is refused, and not a delay that the file does not have
		p.Delay = unit.Given(m.OneWay())
	}
}

// twice reads a time of one way and returns it for there and back. A time beyond what a link has is refused as it
// stands: twice of it could be no time at all.
func twice(v *document.Value, parse func(string) (unit.Time, error)) unit.Time {
	t := document.Quantity(v, parse)
	if t > thresholds.MaxDelay {
		v.Refuse(fmt.Sprintf("at most %v one way", thresholds.MaxDelay))
		return 0
	}
	return 2 * t
}
