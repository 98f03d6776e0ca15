package diagnosis

import (
	"errors"
	"fmt"

	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/unit"
)

// Classes is how many classes a port has, one for each priority.
const Classes = pfc.PerLink

// Reading is the counters of one switch at one time.
type Reading struct {
	At    unit.Time // since a moment of the caller's choice, the same for both readings
	Ports []Port
}

// Port is one port's counters.
type Port struct {
	Name     string
	Rate     unit.BitRate   // of the line
	Lossless pfc.Priorities // classes that shall lose nothing; none: not known
	Classes  [Classes]Counters
}

// Counters count one class of one port. They rise; one that the switch does not
// have stays 0.
type Counters struct {
	PauseSent     int64      // frames that pause the neighbour
	PauseReceived int64      // frames by which the neighbour pauses this port
	Drops         int64      // frames that came in and were dropped
	BytesIn       unit.Bytes // dropped ones among them or not, as the switch counts
	BytesOut      unit.Bytes
	PausedTime    unit.Time // for which this port was kept from sending
}

// fields lists the counters with their names, to compare them one by one.
func (c Counters) fields() [6]Number {
	return [6]Number{
		{"pause_sent", c.PauseSent, "frames"}, {"pause_received", c.PauseReceived, "frames"},
		{"drops", c.Drops, "frames"},
		{"bytes_in", int64(c.BytesIn), "bytes"}, {"bytes_out", int64(c.BytesOut), "bytes"},
		{"paused", int64(c.PausedTime), "ps"},
	}
}

func (c Counters) minus(o Counters) Counters {
	return Counters{c.PauseSent - o.PauseSent, c.PauseReceived - o.PauseReceived, c.Drops - o.Drops,
		c.BytesIn - o.BytesIn, c.BytesOut - o.BytesOut, c.PausedTime - o.PausedTime}
}

// most is the largest counter that is read, so that sums do not overflow.
const most = 1 << 56

// validate returns why two readings cannot be compared.
func validate(before, after Reading) error {
	var bad []error
	need := func(ok bool, format string, args ...any) {
		if !ok {
			bad = append(bad, fmt.Errorf(format, args...))
		}
	}
	need(before.At >= 0, "before.at: %v (accepted: 0 and later)", before.At)
	need(after.At > before.At, "after.at: %v (accepted: later than %v)", after.At, before.At)
	need(len(after.Ports) == len(before.Ports), "after.ports: %d (accepted: the %d of before)", len(after.Ports),
		len(before.Ports))
	for i := range min(len(before.Ports), len(after.Ports)) {
		b, a := &before.Ports[i], &after.Ports[i]
		need(a.Name == b.Name, "after.ports[%d].name: %q (accepted: %q, as before)", i, a.Name, b.Name)
		need(a.Rate > 0, "after.ports[%d].rate: %v (accepted: more than 0)", i, a.Rate)
		for n := range Classes {
			first, second := b.Classes[n].fields(), a.Classes[n].fields()
			for f := range first {
				need(first[f].Value >= 0, "before.ports[%d].classes[%d].%s: %d (accepted: 0 and more)", i, n,
					first[f].Name, first[f].Value)
				need(second[f].Value >= first[f].Value && second[f].Value <= most,
					"after.ports[%d].classes[%d].%s: %d (accepted: %d, as before, to %d)", i, n, second[f].Name,
					second[f].Value, first[f].Value, most)
			}
		}
	}
	return errors.Join(bad...)
}
