package topology

import (
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
	if port["delay"] != nil {
		v.Refuse("measured_delay or delay, not both")
	}
	f := v.Fields("round_trip", "one_way", "uncertainty", "source", "date")
	v.Need(f, "uncertainty", "source", "date")
	m := &p.Measured
	*m = thresholds.Measurement{RoundTrip: document.Quantity(f["round_trip"], unit.ParseTime),
		Uncertainty: document.Quantity(f["uncertainty"], unit.ParseTime), Source: f["source"].Label(),
		Date: f["date"].Text()}
	if (f["round_trip"] == nil) == (f["one_way"] == nil) && v.IsMapping() {
		r.Complain(v.Line, v.Path+".round_trip", "missing, or given beside one_way",
			"the time there and back, or that of one way, such as PTP's mean path delay")
		return
	}
	if f["one_way"] != nil { // the uncertainty is that of the value it stands beside
		m.RoundTrip, m.Uncertainty = 2*document.Quantity(f["one_way"], unit.ParseTime), 2*m.Uncertainty
	}
	p.Delay = unit.Given(m.OneWay())
}
