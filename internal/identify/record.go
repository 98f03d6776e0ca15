package identify

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/cellwarden/cellwarden/internal/rules"
)

// MaxSteps is how many requests a record may have.
const MaxSteps = 4096

// The largest numbers of a record: a port, the packets of one request, and what a counter may have counted.
const maxPort, maxPackets, maxCount = 1 << 20, 1 << 25, 1 << 53

// Record reads requests of [Lines] and their answers, a line each in turn, as sessions. A session begins with an
// empty switch, and ends when nothing waits any more. name is the file, for errors, which name the line. Watermarks
// are readings of a session that begins with clear or reset; cell is the bytes of a cell.
func Record(name string, data []byte, cell int64) ([]Session, error) {
	r := recorder{cell: cell, held: map[int]bool{}, groups: map[[2]int]counters{}, egress: map[int]int64{}}
	line, steps := 0, 0
	var q *asked
	for text := range bytes.Lines(data) {
		line++
		if text = bytes.TrimSpace(text); len(text) == 0 {
			continue
		}
		if len(text) > maxLine {
			return nil, fmt.Errorf("%s:%d: %d bytes: want at most %d", name, line, len(text), maxLine)
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

// asked is a request of a record.
type asked struct {
	Op      string `json:"op"`
	Src     int    `json:"src"`
	PG      int    `json:"pg"`
	Dst     *int   `json:"dst"`
	Packets *int64 `json:"packets"`
	Length  *int64 `json:"packet_bytes"`
	US      int64  `json:"us"`
	// Of check: what was looked for, whether the port was drained before, and of pfc_xon the packets of the fill, of
	// which the others waited for holder.
	Probe  string `json:"probe"`
	Drain  *bool  `json:"drain"`
	Fill   int64  `json:"fill"`
	Holder *int   `json:"holder"`
}

// request reads a request.
func request(text []byte) (*asked, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	var q asked
	if err := d.Decode(&q); err != nil || len(bytes.TrimSpace(text[d.InputOffset():])) > 0 {
		return nil, fmt.Errorf("%.60q (want a request of probe --requests)", text)
	}
	switch needsDst := slices.Contains([]string{"hold", "drain", "prepare", "send", "check"}, q.Op); {
	case !needsDst && !slices.Contains([]string{"counters", "clear", "wait", "reset", "describe"}, q.Op):
		return nil, fmt.Errorf("op %.40q (want hold, drain, prepare, send, check, counters, clear, wait, reset or describe)", q.Op)
	case needsDst && q.Dst == nil:
		return nil, errors.New("dst: missing (want a number)")
	case q.Dst != nil && (*q.Dst < 0 || *q.Dst > maxPort):
		return nil, fmt.Errorf("dst %d (want 0 to %d)", *q.Dst, maxPort)
	case q.Src < 0 || q.Src >= rules.Ports || q.PG < 0 || q.PG > 7:
		return nil, fmt.Errorf("src %d, pg %d (want 0 to %d, 0 to 7)", q.Src, q.PG, rules.Ports-1)
	case (q.Op == "send" || q.Op == "check") && (q.Packets == nil || *q.Packets < 0 || *q.Packets > maxPackets):
		return nil, fmt.Errorf("packets (want 0 to %d)", maxPackets)
	case q.Op != "check" && q.Probe != "":
		return nil, fmt.Errorf("probe %.40q (want it with check alone)", q.Probe)
	case q.Op == "check" && !slices.Contains([]string{"pfc_xoff", "ingress_drop", "egress_drop", "pfc_xon"}, q.Probe):
		return nil, fmt.Errorf("probe %.40q (want pfc_xoff, ingress_drop, egress_drop or pfc_xon)", q.Probe)
	case q.Probe == "pfc_xon" && (q.Holder == nil || *q.Holder < 0 || *q.Holder > maxPort || *q.Holder == *q.Dst ||
		q.Fill < *q.Packets || q.Fill > maxPackets):
		return nil, fmt.Errorf("holder, fill %d (want another port than dst, and packets to %d)", q.Fill, maxPackets)
	case q.Length != nil && (*q.Length < 1 || *q.Length > 1<<16):
		return nil, fmt.Errorf("packet_bytes %d (want 1 to %d)", *q.Length, 1<<16)
	}
	return &q, nil
}

// recorder is a switch of which a record is read.
type recorder struct {
	sessions []Session
	session  Session
	held     map[int]bool        // egress ports that are stopped; true: packets wait for it
	groups   map[[2]int]counters // as they were read last
	egress   map[int]int64
	zero     bool // what was not read counts from 0
	cell     int64
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
func (r *recorder) answered(q *asked, text []byte) error {
	var a struct {
		OK       *bool     `json:"ok"`
		Counters *counters `json:"counters"`
		Detected bool      `json:"detected"`
	}
	if err := json.Unmarshal(text, &a); err != nil || a.OK == nil {
		return fmt.Errorf("%.60q (want the answer of the request before: a line of JSON with ok)", text)
	}
	switch {
	case !*a.OK && q.Probe == "pfc_xon":
		return errors.New("a check of pfc_xon that failed (want the record without it, or one from reset on)")
	case !*a.OK:
		return nil // a request that was refused changed nothing
	}
	switch q.Op {
	case "prepare":
		r.drain(*q.Dst)
		r.hold(*q.Dst)
	case "hold":
		r.hold(*q.Dst)
	case "drain":
		r.drain(*q.Dst)
	case "reset":
		r.end()
		r.held, r.groups, r.egress, r.zero = map[int]bool{}, map[[2]int]counters{}, map[int]int64{}, true
		r.cleared = true
	case "clear":
		r.cleared = len(r.session) == 0
	case "send", "counters", "check":
		if a.Counters == nil {
			return errors.New("no counters in the answer (want those of the group)")
		}
		for _, n := range []*int64{a.Counters.Shared, a.Counters.Headroom, a.Counters.Pool} {
			if n != nil && (*n < 0 || *n > maxCount) {
				return fmt.Errorf("a watermark of %d bytes (want 0 to 2^53)", *n)
			}
		}
		if c := a.Counters; c.Dropped < 0 || c.Dropped > maxCount || c.Egress < 0 || c.Egress > maxCount ||
			c.Received != nil && (*c.Received < 0 || *c.Received > maxCount) {
			return fmt.Errorf("dropped_packets %d, egress_dropped_packets %d (want 0 to 2^53)", c.Dropped, c.Egress)
		}
		switch {
		case q.Probe == "pfc_xon":
			return r.resumed(q, a.Counters, a.Detected)
		case q.Op == "check" && (q.Drain == nil || *q.Drain):
			r.drain(*q.Dst)
			r.hold(*q.Dst)
		}
		if q.Op != "counters" { // the counters say more than what a check has detected
			return r.sent(q, a.Counters)
		}
		r.read(q, a.Counters)
	}
	return nil
}

// resumed adds a check of pfc_xon: a group is filled, a part of its packets leaves, and it is paused then, or not.
func (r *recorder) resumed(q *asked, c *counters, resumes bool) error {
	for _, dst := range []int{*q.Dst, *q.Holder} {
		r.drain(dst)
		r.hold(dst)
	}
	x := Step{Port: q.Src, PG: q.PG, Length: shortest}
	if q.Length != nil {
		x.Length = *q.Length
	}
	for i, n := range []int64{*q.Packets, q.Fill - *q.Packets} { // what was dropped of them was not read one by one
		if x.Packets, x.Dst = n, []int{*q.Dst, *q.Holder}[i]; n > 0 {
			x.Accepted, x.Egress = rules.Span{Hi: n}, rules.Span{Hi: n}
			r.session, r.held[x.Dst] = append(r.session, x), true
		}
	}
	r.groups[[2]int{q.Src, q.PG}], r.egress[*q.Dst] = *c, c.Egress
	delete(r.egress, *q.Holder)
	r.session = append(r.session, Step{Release: true, Dst: *q.Dst, Paused: []Pause{{q.Src, q.PG, !resumes}}})
	delete(r.held, *q.Dst)
	r.drain(*q.Holder)
	return nil
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
func (r *recorder) read(q *asked, c *counters) {
	r.groups[[2]int{q.Src, q.PG}] = *c
	if q.Dst != nil {
		r.egress[*q.Dst] = c.Egress
	}
	if n := len(r.session); n > 0 && r.session[n-1].Release {
		x := &r.session[n-1]
		x.Paused = append(x.Paused, Pause{q.Src, q.PG, c.Paused})
	}
}

// sent adds packets to the session.
func (r *recorder) sent(q *asked, c *counters) error {
	g, dst, n := [2]int{q.Src, q.PG}, *q.Dst, *q.Packets
	before, known := r.groups[g]
	if !known && !r.zero {
		return fmt.Errorf("the drops of port %d group %d before these packets are not known (want counters before send)",
			q.Src, q.PG)
	}
	egress, seen := r.egress[dst]
	if _, held := r.held[dst]; !held {
		return fmt.Errorf("egress port %d is not stopped (want hold before send)", dst)
	}
	dropped := c.Dropped - before.Dropped
	lost := c.lost(&before, n)
	n -= lost
	x := Step{Port: q.Src, PG: q.PG, Dst: dst, Packets: n, Length: shortest, Egress: rules.Span{Hi: n},
		Paused: []Pause{{q.Src, q.PG, c.Paused}}}
	if q.Length != nil {
		x.Length = *q.Length
	}
	if seen || r.zero {
		x.Egress = rules.Span{Lo: c.Egress - egress, Hi: c.Egress - egress}
	}
	if lost < 0 || dropped < 0 || dropped > n || x.Egress.Lo < 0 || (seen || r.zero) && x.Egress.Hi > dropped {
		return fmt.Errorf("port %d group %d dropped %d of %d packets, egress port %d %d of these: others sent, or a counter "+
			"was cleared", q.Src, q.PG, dropped, n, dst, x.Egress.Lo)
	}
	x.Accepted = rules.Span{Lo: n - dropped, Hi: n - dropped}
	if r.cleared && !slices.ContainsFunc(r.session, func(x Step) bool { return x.Release }) {
		x.Marks = c.marks(r.cell)
	}
	r.session, r.held[dst] = append(r.session, x), true
	r.groups[g], r.egress[dst] = *c, c.Egress
	return nil
}
