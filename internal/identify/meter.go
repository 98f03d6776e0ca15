package identify

import (
	"errors"
	"fmt"

	"github.com/cellwarden/cellwarden/internal/rules"
	"github.com/cellwarden/cellwarden/internal/testbed"
)

// maxCount is what a counter may have counted.
const maxCount = 1 << 53

// meter is the counters of a switch as they were read last: readings are differences.
type meter struct {
	cell   int64 // bytes of a cell, to which watermarks are converted
	zero   bool  // what was not read counts from 0
	groups map[[2]int]testbed.Counted
	egress map[int]int64
}

// newMeter returns the meter of a switch of which nothing was read.
func newMeter(cell int64) meter {
	return meter{cell: cell, groups: map[[2]int]testbed.Counted{}, egress: map[int]int64{}}
}

// answer is a line of a switch.
type answer struct {
	OK       *bool            `json:"ok"`
	Again    bool             `json:"again"` // nothing was done, and it may be asked again
	Error    string           `json:"error"`
	Detected bool             `json:"detected"`
	Counters *testbed.Counted `json:"counters"`
}

// counted returns the counters of an answer.
func (a *answer) counted() (*testbed.Counted, error) {
	c := a.Counters
	if c == nil {
		return nil, errors.New("no counters in the answer (want those of the group)")
	}
	for _, n := range []*int64{&c.Drops, &c.Egress, c.Received, c.SharedMark, c.HeadroomMark, c.PoolMark} {
		if n != nil && (*n < 0 || *n > maxCount) {
			return nil, fmt.Errorf("a counter or watermark of %d (want 0 to 2^53)", *n)
		}
	}
	return c, nil
}

// note takes over the counters of a group, and of an egress port if there is one.
func (m *meter) note(port, pg int, dst *int, c *testbed.Counted) {
	m.groups[[2]int{port, pg}] = *c
	if dst != nil {
		m.egress[*dst] = c.Egress
	}
}

// sent returns what counters say of packets that were sent since they were read last. What an egress port dropped is
// left out if its drops were not known before.
func (m *meter) sent(port, pg, dst int, packets int64, c *testbed.Counted) (Reading, error) {
	before := m.groups[[2]int{port, pg}]
	r := Reading{Dropped: c.Drops - before.Drops, Paused: c.Paused}
	if c.Received != nil && before.Received != nil {
		r.Lost = packets - (*c.Received - *before.Received)
	}
	if drops, known := m.egress[dst]; known || m.zero {
		r.Egress = c.Egress - drops
	}
	if n := packets - r.Lost; r.Lost < 0 || r.Dropped < 0 || r.Dropped > n || r.Egress < 0 || r.Egress > r.Dropped {
		return r, fmt.Errorf("port %d group %d dropped %d of %d packets, egress port %d %d of these: others sent, or a "+
			"counter was cleared", port, pg, r.Dropped, n, dst, r.Egress)
	}
	m.note(port, pg, &dst, c)
	return r, nil
}

// marks returns watermarks in cells; what the switch does not give is at least 0.
func (m *meter) marks(c *testbed.Counted) (out []rules.Span) {
	for _, n := range [...]*int64{c.SharedMark, c.HeadroomMark, c.PoolMark} {
		is := rules.Span{Hi: maxCount}
		if n != nil {
			is = rules.Span{Lo: *n / m.cell, Hi: (*n + m.cell - 1) / m.cell}
		}
		out = append(out, is)
	}
	return out
}
