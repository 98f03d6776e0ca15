package identify

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/cellwarden/cellwarden/internal/rules"
	"github.com/cellwarden/cellwarden/internal/testbed"
)

// MaxSteps is how many requests a record may have.
const MaxSteps = 4096

// Record reads requests of [Lines] and their answers, a line each in turn, as sessions. A session begins with an
// empty switch, and ends when nothing waits any more. name is the file, for errors, which name the line. Watermarks
// are readings of a session that begins with clear or reset; cell is the bytes of a cell.
func Record(name string, data []byte, cell int64) ([]Session, error) {
	r := recorder{meter: newMeter(cell), held: map[int]bool{}}
	line, steps := 0, 0
	var q *testbed.Request
	for text := range bytes.Lines(data) {
		line++
		if text = bytes.TrimSpace(text); len(text) == 0 {
			continue
		}
		if len(text) > testbed.MaxLine {
			return nil, fmt.Errorf("%s:%d: %d bytes: want at most %d", name, line, len(text), testbed.MaxLine)
		}
		var err error
		if q == nil {
			if steps++; steps > MaxSteps {
				return nil, fmt.Errorf("%s:%d: want at most %d requests", name, line, MaxSteps)
			}
			q, err = request(text)
		} else {
			err = r.answered(q, text)
			q = nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, line, err)
		}
	}
	if q != nil {
		return nil, fmt.Errorf("%s:%d: a request without an answer: want a line with it behind each request", name, line)
	}
	r.end()
	if len(r.sessions) == 0 {
		return nil, fmt.Errorf("%s: no packets were sent: want requests and their answers, a line each in turn", name)
	}
	return r.sessions, nil
}

// request reads a request of a switch that the space has.
func request(text []byte) (*testbed.Request, error) {
	q, err := testbed.ParseRequest(text)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%.200s (want a request of probe --requests)", err)
	case q.Src >= rules.Ports:
		return nil, fmt.Errorf("src %d (want 0 to %d)", q.Src, rules.Ports-1)
	}
	return q, nil
}

// recorder is a switch of which a record is read.
type recorder struct {
	sessions []Session
	session  Session
	held     map[int]bool // egress ports that are stopped; true: packets wait for it
	meter    meter
	cleared  bool // watermarks are of the session
}

// end ends a session.
func (r *recorder) end() {
	if len(r.session) > 0 {
		r.sessions = append(r.sessions, r.session)
	}
	r.session, r.cleared = nil, false
	for d := range r.held {
		r.held[d] = false
	}
}

// answered takes over a request and its answer.
func (r *recorder) answered(q *testbed.Request, text []byte) error {
	var a answer
	if err := json.Unmarshal(text, &a); err != nil || a.OK == nil {
		return fmt.Errorf("%.60q (want the answer of the request before: a line of JSON with ok)", text)
	}
	switch {
	case !*a.OK && q.Probe == testbed.XON:
		return errors.New("a check of pfc_xon that failed (want the record without it, or one from reset on)")
	case !*a.OK:
		return nil // a request that was refused changed nothing
	}
	switch q.Op {
	case "prepare":
		r.prepare(*q.Dst)
	case "hold":
		r.hold(*q.Dst)
	case "drain":
		r.drain(*q.Dst)
	case "reset":
		r.end()
		r.held, r.meter, r.cleared = map[int]bool{}, newMeter(r.meter.cell), true
		r.meter.zero = true
	case "clear":
		r.cleared = len(r.session) == 0
	case "send", "counters", "check":
		c, err := a.counted()
		switch {
		case err != nil:
			return err
		case q.Op == "counters":
			r.read(q, c)
			return nil
		case q.Probe == testbed.XON:
			r.resumed(q, c, a.Detected)
			return nil
		case q.Op == "check" && (q.Drain == nil || *q.Drain):
			r.prepare(*q.Dst)
		}
		return r.sent(q, c) // the counters say more than what a check has detected
	}
	return nil
}

// step returns the step that sends packets of a request.
func step(q *testbed.Request, dst int, packets int64) Step {
	x := Step{Port: q.Src, PG: q.PG, Dst: dst, Packets: packets, Length: shortest}
	if q.Length != nil {
		x.Length = *q.Length
	}
	return x
}

// resumed adds a check of pfc_xon: a group is filled, a part of its packets leaves, and it is paused then, or not.
func (r *recorder) resumed(q *testbed.Request, c *testbed.Counted, resumes bool) {
	r.prepare(*q.Dst)
	r.prepare(*q.Holder)
	for _, x := range []Step{step(q, *q.Dst, *q.Packets), step(q, *q.Holder, q.Fill-*q.Packets)} {
		if x.Packets > 0 { // what was dropped of them was not read one by one
			x.Accepted.Hi = x.Packets
			r.session, r.held[x.Dst] = append(r.session, x), true
		}
	}
	r.meter.note(q.Src, q.PG, q.Dst, c)
	delete(r.meter.egress, *q.Holder)
	r.session = append(r.session, Step{Release: true, Dst: *q.Dst, Paused: []Pause{{q.Src, q.PG, !resumes}}})
	delete(r.held, *q.Dst)
	r.drain(*q.Holder)
}

// prepare drains an egress port, and stops it.
func (r *recorder) prepare(dst int) {
	r.drain(dst)
	r.hold(dst)
}

// hold stops an egress port.
func (r *recorder) hold(dst int) {
	if _, is := r.held[dst]; !is {
		r.held[dst] = false
	}
}

// drain starts an egress port. The session ends if nothing waits for others.
func (r *recorder) drain(dst int) {
	waits := r.held[dst]
	delete(r.held, dst)
	if !waits {
		return
	}
	for _, more := range r.held {
		if more {
			r.session = append(r.session, Step{Release: true, Dst: dst})
			return
		}
	}
	r.end()
}

// read notes counters; after an egress port was started, whether a group is paused is a reading.
func (r *recorder) read(q *testbed.Request, c *testbed.Counted) {
	r.meter.note(q.Src, q.PG, q.Dst, c)
	if n := len(r.session); n > 0 && r.session[n-1].Release {
		x := &r.session[n-1]
		x.Paused = append(x.Paused, Pause{q.Src, q.PG, c.Paused})
	}
}

// sent adds packets to the session.
func (r *recorder) sent(q *testbed.Request, c *testbed.Counted) error {
	if _, known := r.meter.groups[[2]int{q.Src, q.PG}]; !known && !r.meter.zero {
		return fmt.Errorf("the drops of port %d group %d before these packets are not known (want counters before send)",
			q.Src, q.PG)
	}
	if _, held := r.held[*q.Dst]; !held {
		return fmt.Errorf("egress port %d is not stopped (want hold before send)", *q.Dst)
	}
	got, err := r.meter.sent(q.Src, q.PG, *q.Dst, *q.Packets, c)
	if err != nil {
		return err
	}
	x := step(q, *q.Dst, *q.Packets)
	x.answer(&got)
	x.Paused = []Pause{{q.Src, q.PG, got.Paused}}
	if r.cleared && !r.session.releases() {
		x.Marks = r.meter.marks(c)
	}
	r.session, r.held[*q.Dst] = append(r.session, x), true
	return nil
}
