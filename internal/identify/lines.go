package identify

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"syscall"

	"github.com/cellwarden/cellwarden/internal/rules"
	"github.com/cellwarden/cellwarden/internal/testbed"
)

// Lines is a switch that answers in lines of JSON, as `cellwarden probe --requests` does.
type Lines struct {
	to    io.Writer
	from  *bufio.Scanner
	held  []int
	meter meter
}

// NewLines returns the switch behind a pair of streams. cell is the bytes of a cell of a switch whose watermarks are
// read; 0: they are not.
func NewLines(to io.Writer, from io.Reader, cell int64) *Lines {
	s := bufio.NewScanner(from)
	s.Buffer(make([]byte, 4096), testbed.MaxLine)
	return &Lines{to: to, from: s, meter: newMeter(cell)}
}

// ErrEnded is the error of a switch that takes and answers no more.
var ErrEnded = errors.New("the switch ended without an answer")

// ask sends a request, and reads its answer.
func (l *Lines) ask(request map[string]any) (*answer, error) {
	text, err := json.Marshal(request)
	if err != nil {
		return nil, err
	}
	// Whether a switch that has ended takes one more request depends on when: both ways are one error.
	_, err = fmt.Fprintf(l.to, "%s\n", text)
	switch {
	case errors.Is(err, syscall.EPIPE), errors.Is(err, os.ErrClosed), errors.Is(err, io.ErrClosedPipe):
		return nil, fmt.Errorf("%w to %s", ErrEnded, text)
	case err != nil:
		return nil, fmt.Errorf("the switch takes no request: %w", err)
	case l.from.Scan():
	case l.from.Err() != nil:
		return nil, fmt.Errorf("the answer to %s: %w", text, l.from.Err())
	default:
		return nil, fmt.Errorf("%w to %s", ErrEnded, text)
	}
	var a answer
	if err := json.Unmarshal(l.from.Bytes(), &a); err != nil {
		return nil, fmt.Errorf("the answer to %s: %.80q (want a line of JSON): %w", text, l.from.Bytes(), err)
	}
	switch {
	case a.OK != nil && *a.OK:
		return &a, nil
	case a.Again:
		return nil, ErrAgain
	}
	return nil, fmt.Errorf("the switch refuses %s: %.200q", text, a.Error)
}

// read sends a request whose answer has the counters of a group.
func (l *Lines) read(request map[string]any) (*testbed.Counted, error) {
	a, err := l.ask(request)
	if err != nil {
		return nil, err
	}
	c, err := a.counted()
	if err != nil {
		return nil, fmt.Errorf("port %d group %d: %w", request["src"], request["pg"], err)
	}
	return c, nil
}

// Begin drains the ports that are stopped.
func (l *Lines) Begin() error {
	for len(l.held) > 0 {
		if err := l.Release(l.held[0]); err != nil {
			return err
		}
	}
	if l.meter.cell > 0 {
		_, err := l.ask(map[string]any{"op": "clear"})
		return err
	}
	return nil
}

// Send sends packets, for an egress port that is stopped.
func (l *Lines) Send(port, pg, dst int, packets, length int64) (r Answer, err error) {
	if !slices.Contains(l.held, dst) {
		if _, err := l.ask(map[string]any{"op": "hold", "dst": dst}); err != nil {
			return r, err
		}
		l.held = append(l.held, dst)
	}
	request := map[string]any{"op": "counters", "src": port, "pg": pg, "dst": dst}
	c, err := l.read(request) // what was dropped before is not of these packets
	if err != nil {
		return r, err
	}
	l.meter.note(port, pg, &dst, c)
	request["op"], request["packets"], request["packet_bytes"] = "send", packets, length
	if c, err = l.read(request); err != nil {
		return r, err
	}
	if r, err = l.meter.sent(port, pg, dst, packets, c); err != nil || l.meter.cell == 0 {
		return r, err
	}
	if c.SharedMark == nil && c.HeadroomMark == nil && c.PoolMark == nil {
		return r, fmt.Errorf("the switch gives no watermark of port %d group %d (want shared_watermark_bytes, "+
			"headroom_watermark_bytes or pool_watermark_bytes)", port, pg)
	}
	r.Marks = l.meter.marks(c)
	return r, nil
}

// Release starts an egress port.
func (l *Lines) Release(dst int) error {
	_, err := l.ask(map[string]any{"op": "drain", "dst": dst})
	if err == nil {
		l.held = slices.DeleteFunc(l.held, func(d int) bool { return d == dst })
	}
	return err
}

// Paused tells whether a group is paused.
func (l *Lines) Paused(port, pg int) (bool, error) {
	c, err := l.read(map[string]any{"op": "counters", "src": port, "pg": pg})
	return err == nil && c.Paused, err
}

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
func (m *meter) sent(port, pg, dst int, packets int64, c *testbed.Counted) (Answer, error) {
	before := m.groups[[2]int{port, pg}]
	r := Answer{Dropped: c.Drops - before.Drops, Paused: c.Paused}
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
