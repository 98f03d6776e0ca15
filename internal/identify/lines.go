package identify

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/cellwarden/cellwarden/internal/rules"
)

// maxLine is the longest line of a switch.
const maxLine = 1 << 16

// Lines is a switch that answers in lines of JSON, as `cellwarden probe
// --requests` does.
type Lines struct {
	Cell   int64 // bytes of a cell, of a switch whose watermarks are read; 0: they are not
	to     io.Writer
	from   *bufio.Scanner
	held   []int
	groups map[[2]int]counters // as they were read last
	egress map[int]int64
}

// counters are what a switch counts for a group, and for the egress port of the request.
type counters struct {
	Dropped int64 `json:"dropped_packets"`
	Egress  int64 `json:"egress_dropped_packets"`
	Paused  bool  `json:"paused"`
	// Received counts the packets of the group that reached the switch; nil: all that were sent.
	Received *int64 `json:"received_packets"`
	// Of the group's shared part and headroom, and of the pool, since they were cleared.
	Shared   *int64 `json:"shared_watermark_bytes"`
	Headroom *int64 `json:"headroom_watermark_bytes"`
	Pool     *int64 `json:"pool_watermark_bytes"`
}

// lost returns how many of the packets that were sent after an earlier reading did not reach the switch.
func (c *counters) lost(before *counters, packets int64) int64 {
	if c.Received == nil || before.Received == nil {
		return 0
	}
	return packets - (*c.Received - *before.Received)
}

// marks returns the watermarks in cells; what the switch does not give is at least 0.
func (c *counters) marks(cell int64) (out []rules.Span) {
	for _, n := range [...]*int64{c.Shared, c.Headroom, c.Pool} {
		is := rules.Span{Hi: maxCount}
		if n != nil {
			is = rules.Span{Lo: *n / cell, Hi: (*n + cell - 1) / cell}
		}
		out = append(out, is)
	}
	return out
}

// NewLines returns the switch behind a pair of streams.
func NewLines(to io.Writer, from io.Reader) *Lines {
	s := bufio.NewScanner(from)
	s.Buffer(make([]byte, 4096), maxLine)
	return &Lines{to: to, from: s, groups: map[[2]int]counters{}, egress: map[int]int64{}}
}

// ask sends a request, and reads its answer.
func (l *Lines) ask(request map[string]any) (c *counters, err error) {
	text, err := json.Marshal(request)
	if err != nil {
		return nil, err
	}
	if _, err := fmt.Fprintf(l.to, "%s\n", text); err != nil {
		return nil, fmt.Errorf("the switch takes no request: %w", err)
	}
	if !l.from.Scan() {
		if err := l.from.Err(); err != nil {
			return nil, fmt.Errorf("the answer to %s: %w", text, err)
		}
		return nil, fmt.Errorf("the switch ended without an answer to %s", text)
	}
	var a struct {
		OK       bool      `json:"ok"`
		Again    bool      `json:"again"`
		Error    string    `json:"error"`
		Counters *counters `json:"counters"`
	}
	if err := json.Unmarshal(l.from.Bytes(), &a); err != nil {
		return nil, fmt.Errorf("the answer to %s: %q (want a line of JSON): %w", text,
			l.from.Bytes()[:min(len(l.from.Bytes()), 80)], err)
	}
	switch {
	case !a.OK && a.Again:
		return nil, ErrAgain
	case !a.OK:
		return nil, fmt.Errorf("the switch refuses %s: %q", text, a.Error[:min(len(a.Error), 200)])
	}
	return a.Counters, nil
}

// Begin drains the ports that are stopped.
func (l *Lines) Begin() error {
	for len(l.held) > 0 {
		if err := l.Release(l.held[0]); err != nil {
			return err
		}
	}
	if l.Cell > 0 {
		_, err := l.ask(map[string]any{"op": "clear"})
		return err
	}
	return nil
}

// read notes the counters of a group, and returns how many packets were dropped since they were read last.
func (l *Lines) read(port, pg, dst int, c *counters, err error) (dropped, egress int64, paused bool, _ error) {
	if err == nil && c == nil {
		err = fmt.Errorf("the switch gives no counters of port %d group %d", port, pg)
	}
	if err != nil {
		return 0, 0, false, err
	}
	g := [2]int{port, pg}
	dropped, egress = c.Dropped-l.groups[g].Dropped, c.Egress-l.egress[dst]
	if dropped < 0 || egress < 0 {
		return 0, 0, false, fmt.Errorf("the drops of port %d group %d fell by %d: a counter was cleared meanwhile", port, pg,
			-min(dropped, egress))
	}
	l.groups[g], l.egress[dst] = *c, c.Egress
	return dropped, egress, c.Paused, nil
}

// Send sends packets, for an egress port that is stopped.
func (l *Lines) Send(port, pg, dst int, packets, length int64) (r Reading, err error) {
	if !slices.Contains(l.held, dst) {
		if _, err := l.ask(map[string]any{"op": "hold", "dst": dst}); err != nil {
			return r, err
		}
		l.held = append(l.held, dst)
	}
	request := map[string]any{"op": "counters", "src": port, "pg": pg, "dst": dst}
	c, err := l.ask(request) // what was dropped before is not of these packets
	if _, _, _, err = l.read(port, pg, dst, c, err); err != nil {
		return r, err
	}
	before := l.groups[[2]int{port, pg}]
	request["op"], request["packets"], request["packet_bytes"] = "send", packets, length
	c, err = l.ask(request)
	dropped, egress, paused, err := l.read(port, pg, dst, c, err)
	if err == nil {
		r.Lost = c.lost(&before, packets)
		packets -= r.Lost
	}
	if err == nil && (r.Lost < 0 || dropped > packets || egress > dropped) {
		err = fmt.Errorf("port %d group %d dropped %d of %d packets, egress port %d dropped %d of these: others send meanwhile",
			port, pg, dropped, packets, dst, egress)
	}
	exact := func(n int64) rules.Span {
		return rules.Span{Lo: n, Hi: n}
	}
	r.Dropped, r.Egress, r.Paused = exact(dropped), exact(egress), paused
	if l.Cell > 0 && err == nil {
		if c.Shared == nil && c.Headroom == nil && c.Pool == nil {
			err = fmt.Errorf("the switch gives no watermark of port %d group %d (want shared_watermark_bytes, "+
				"headroom_watermark_bytes or pool_watermark_bytes)", port, pg)
		}
		r.Marks = c.marks(l.Cell)
	}
	return r, err
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
	c, err := l.ask(map[string]any{"op": "counters", "src": port, "pg": pg})
	if err == nil && c == nil {
		err = fmt.Errorf("the switch gives no counters of port %d group %d", port, pg)
	}
	if err != nil {
		return false, err
	}
	return c.Paused, nil
}
