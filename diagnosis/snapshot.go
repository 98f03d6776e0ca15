package diagnosis

import (
	"fmt"
	"strconv"

	"github.com/cellwarden/cellwarden/finding"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/unit"
)

// Classes is the number of classes of a port, one per priority.
const Classes = pfc.PerLink

// Snapshot is the counters of a switch at one time.
type Snapshot struct {
	At    unit.Time // since a moment that the caller chooses, the same for both readings
	Ports []Port
}

// Port is the counters of one port.
type Port struct {
	Name     string
	Rate     unit.BitRate   // of the line
	Lossless pfc.Priorities // classes that should be lossless; none: not known
	Classes  [Classes]Counters
}

// Counters are those of one class of a port. They only increase. A counter that the switch does not have stays 0.
type Counters struct {
	PauseSent     int64      // frames that pause the neighbour
	PauseReceived int64      // frames by which the neighbour pauses this port
	Drops         int64      // frames that arrived and were dropped
	BytesIn       unit.Bytes // with or without the dropped frames, as the switch counts
	BytesOut      unit.Bytes
	PausedTime    unit.Time // time for which this port was paused
}

// fields lists the counters with their names, to compare them one by one.
func (c Counters) fields() [6]finding.Number {
	return [6]finding.Number{
		counted("pause_sent", c.PauseSent, "frames"), counted("pause_received", c.PauseReceived, "frames"),
		counted("drops", c.Drops, "frames"), counted("bytes_in", int64(c.BytesIn), "bytes"),
		counted("bytes_out", int64(c.BytesOut), "bytes"), counted("paused", int64(c.PausedTime), "ps"),
	}
}

// minus returns the differences.
func (c Counters) minus(o Counters) Counters {
	return Counters{c.PauseSent - o.PauseSent, c.PauseReceived - o.PauseReceived, c.Drops - o.Drops,
		c.BytesIn - o.BytesIn, c.BytesOut - o.BytesOut, c.PausedTime - o.PausedTime}
}

// most is the largest accepted counter, so that sums do not overflow.
const most = 1 << 56

// validate returns why two readings cannot be compared.
func validate(before, after Snapshot) error {
	var bad fielderr.List
	bad.Check(before.At >= 0, "before.at", before.At, "0 and later")
	bad.Check(after.At > before.At, "after.at", after.At, "later than %v", before.At)
	ports := len(before.Ports)
	bad.Check(len(after.Ports) == ports, "after.ports", len(after.Ports), "%d, as before", ports)
	for i := range min(ports, len(after.Ports)) {
		b, a := &before.Ports[i], &after.Ports[i]
		port := fmt.Sprintf("ports[%d]", i)
		bad.Check(a.Name == b.Name, "after."+port+".name", strconv.Quote(a.Name), "%q, as before", b.Name)
		bad.Check(a.Rate > 0, "after."+port+".rate", a.Rate, "more than 0")
		for n := range Classes {
			first, second := b.Classes[n].fields(), a.Classes[n].fields()
			for f := range first {
				was, is := first[f].Value, second[f].Value
				if was >= 0 && was <= is && is <= most {
					continue
				}
				path := fmt.Sprintf("%s.classes[%d].%s", port, n, first[f].Name)
				bad.Check(was >= 0, "before."+path, was, "0 and more")
				bad.Check(was <= is && is <= most, "after."+path, is, "%d, the earlier value, to %d", was, most)
			}
		}
	}
	return bad.Err()
}
