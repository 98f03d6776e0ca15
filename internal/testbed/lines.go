package testbed

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/cellwarden/cellwarden/unit"
)

// MaxLine is the longest line of a tester.
const MaxLine = 1 << 16

// request is a line of a tester.
type request struct {
	Op      string `json:"op"`
	Probe   Probe  `json:"probe"`
	Src     int    `json:"src"`
	Dst     *int   `json:"dst"`
	PG      int    `json:"pg"`
	Packets *int64 `json:"packets"`
	Drain   *bool  `json:"drain"`
	Fill    int64  `json:"fill"`
	Holder  *int   `json:"holder"`
	US      *int64 `json:"us"`
	Length  *int64 `json:"packet_bytes"`
}

// answer is a line of the switch.
type answer struct {
	OK       bool          `json:"ok"`
	Error    string        `json:"error,omitempty"`
	Detected *bool         `json:"detected,omitempty"`
	Counters *countersJSON `json:"counters,omitempty"`
	Switch   *switchJSON   `json:"switch,omitempty"`
}

// countersJSON are the counters of a group.
type countersJSON struct {
	PauseFrames int64 `json:"pause_frames"`
	XOFF        int64 `json:"xoff"`
	XON         int64 `json:"xon"`
	Drops       int64 `json:"dropped_packets"`
	Paused      bool  `json:"paused"`
	Held        int64 `json:"held_packets"`
	Egress      int64 `json:"egress_dropped_packets,omitempty"` // of the destination
	Received    int64 `json:"received_packets"`
	// Watermarks since the last clear: of the group's shared part and headroom, and of the pool.
	SharedMark   int64 `json:"shared_watermark_bytes"`
	HeadroomMark int64 `json:"headroom_watermark_bytes"`
	PoolMark     int64 `json:"pool_watermark_bytes"`
}

// switchJSON says what the switch is.
type switchJSON struct {
	Schema   string `json:"schema"`
	Cell     int64  `json:"cell_bytes"`
	Shared   int64  `json:"shared_cells"`
	Headroom int64  `json:"headroom_pool_cells"`
	Packet   int64  `json:"packet_bytes"`
	LeakOut  int64  `json:"leak_out_packets"`
}

// Schema is the name of the format of the lines.
const Schema = "cellwarden.probe-lines/v1"

// Serve answers the lines of a tester until there are no more, or the context ends. A line that is no request gets an
// answer with its error, and changes nothing.
func Serve(ctx context.Context, s *Switch, in io.Reader, out io.Writer) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(make([]byte, 4096), MaxLine)
	encode := json.NewEncoder(out)
	encode.SetEscapeHTML(false)
	for lines.Scan() {
		if err := ctx.Err(); err != nil {
			return err
		}
		line := bytes.TrimSpace(lines.Bytes())
		if len(line) == 0 {
			continue
		}
		if err := encode.Encode(s.line(line)); err != nil {
			return err
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("a line of at most %d bytes is want %w", MaxLine, err)
	}
	return nil
}

// line answers one line.
func (s *Switch) line(line []byte) answer {
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	var r request
	err := d.Decode(&r)
	if err == nil && len(bytes.TrimSpace(line[d.InputOffset():])) > 0 {
		err = errors.New("text after the JSON value")
	}
	if err != nil {
		return answer{Error: err.Error()}
	}
	a, err := s.do(&r)
	if err != nil {
		return answer{Error: err.Error()}
	}
	a.OK = true
	return a
}

// errMissing says that a request lacks a key.
func errMissing(key string) error { return fmt.Errorf("%s: missing: want a number", key) }

// do does what a request says.
func (s *Switch) do(r *request) (a answer, err error) {
	if needsPort := r.Op == "prepare" || r.Op == "hold" || r.Op == "drain" || r.Op == "send" ||
		r.Op == "check"; needsPort &&
		r.Dst == nil {
		return a, errMissing("dst")
	}
	switch r.Op {
	case "prepare":
		return a, errors.Join(s.Drain(*r.Dst), s.Hold(*r.Dst))
	case "hold":
		return a, s.Hold(*r.Dst)
	case "drain":
		return a, s.Drain(*r.Dst)
	case "send":
		if r.Packets == nil {
			return a, errMissing("packets")
		}
		length, err := s.asked(r)
		if err != nil {
			return a, err
		}
		if err := s.SendLong(Group{r.Src, r.PG}, *r.Dst, *r.Packets, length); err != nil {
			return a, err
		}
		return s.counted(a, r)
	case "check":
		return s.check(r)
	case "counters":
		return s.counted(a, r)
	case "wait":
		if r.US == nil {
			return a, errMissing("us")
		}
		return a, s.Wait(*r.US)
	case "reset":
		return a, s.Reset()
	case "clear":
		s.ClearMarks()
		return a, nil
	case "describe":
		c := &s.model.Config
		d := switchJSON{Schema: Schema, Cell: int64(c.Cell), Shared: int64(c.Pools[0].Shared),
			Packet: int64(s.model.Packet), LeakOut: s.model.LeakOut}
		if len(c.HeadroomPools) > 0 {
			d.Headroom = int64(c.HeadroomPools[0])
		}
		a.Switch = &d
		return a, nil
	}
	return a, fmt.Errorf("op %q: want prepare, hold, drain, send, check, counters, clear, wait, reset, describe",
		r.Op[:min(len(r.Op), 40)])
}

// check answers a question.
func (s *Switch) check(r *request) (a answer, err error) {
	if r.Packets == nil {
		return a, errMissing("packets")
	}
	length, err := s.asked(r)
	if err != nil {
		return a, err
	}
	c := Check{Length: length, Probe: r.Probe, Group: Group{r.Src, r.PG}, Dst: *r.Dst, Packets: *r.Packets, Fill: r.Fill, Drain: true}
	if r.Drain != nil {
		c.Drain = *r.Drain
	}
	if r.Holder != nil {
		c.Holder = *r.Holder
	} else if r.Probe == XON {
		return a, errMissing("holder")
	}
	detected, err := s.Check(c)
	if err != nil {
		return a, err
	}
	a.Detected = &detected
	return s.counted(a, r)
}

// asked returns the length of the packets of a request.
func (s *Switch) asked(r *request) (unit.Bytes, error) {
	switch {
	case r.Length == nil:
		return s.model.Packet, nil
	case *r.Length < 1 || *r.Length > 1<<16:
		return 0, fmt.Errorf("packet_bytes %d: want 1 to %d", *r.Length, 1<<16)
	}
	return unit.Bytes(*r.Length), nil
}

// counted adds the counters of the group of a request.
func (s *Switch) counted(a answer, r *request) (answer, error) {
	g := Group{r.Src, r.PG}
	c, err := s.Counters(g)
	shared, headroom, pool := s.Marks(g)
	cell := s.model.Config.Cell
	a.Counters = &countersJSON{c.PauseFrames, c.XOFF, c.XON, c.Drops, c.Paused, c.Held, 0, c.Received, int64(cell.Bytes(shared)),
		int64(cell.Bytes(headroom)), int64(cell.Bytes(pool))}
	if r.Dst != nil {
		a.Counters.Egress = s.EgressDrops(*r.Dst)
	}
	return a, err
}
