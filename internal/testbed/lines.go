package testbed

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/pg"
	"github.com/cellwarden/cellwarden/unit"
)

// MaxLine is the longest line of a tester.
const MaxLine = 1 << 16

// Request is a line of a tester.
type Request struct {
	Op      string `json:"op"`
	Probe   Probe  `json:"probe"` // of check
	Src     int    `json:"src"`
	Dst     *int   `json:"dst"`
	PG      int    `json:"pg"`
	Packets *int64 `json:"packets"`
	Drain   *bool  `json:"drain"` // of check; absent: the port is drained before
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
	Counted
}

// Counted are the counters of a group that any switch behind lines may have; it may lack those that are pointers.
type Counted struct {
	Drops    int64  `json:"dropped_packets"`
	Paused   bool   `json:"paused"`
	Held     int64  `json:"held_packets"`
	Egress   int64  `json:"egress_dropped_packets,omitempty"` // of the destination
	Received *int64 `json:"received_packets"`
	// Watermarks since the last clear: of the group's shared part and headroom, and of the pool.
	SharedMark   *int64 `json:"shared_watermark_bytes"`
	HeadroomMark *int64 `json:"headroom_watermark_bytes"`
	PoolMark     *int64 `json:"pool_watermark_bytes"`
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

// Pipe serves a switch behind a pair of streams. end closes them and waits until it is served no more.
func Pipe(ctx context.Context, s *Switch) (to io.WriteCloser, from io.Reader, end func() error) {
	ctx, cancel := context.WithCancel(ctx)
	in, to := io.Pipe()
	from, out := io.Pipe()
	done := make(chan error, 1) // with room for the error, the goroutine ends whether or not end is called
	go func() {
		err := Serve(ctx, s, in, out)
		_ = out.CloseWithError(err) // who waits for an answer gets the error, or the end of the stream without one
		done <- err
	}()
	return to, from, func() error { cancel(); _ = to.Close(); return <-done }
}

// line answers one line.
func (s *Switch) line(line []byte) answer {
	r, err := ParseRequest(line)
	if err != nil {
		return answer{Error: err.Error()}
	}
	a, err := s.do(r)
	if err != nil {
		return answer{Error: err.Error()}
	}
	a.OK = true
	return a
}

// ParseRequest reads a line of a tester. It refuses keys that no request has, and a request without what it needs.
func ParseRequest(line []byte) (*Request, error) {
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	r := &Request{}
	if err := d.Decode(r); err != nil {
		return nil, err
	}
	if len(bytes.TrimSpace(line[d.InputOffset():])) > 0 {
		return nil, errors.New("text after the JSON value")
	}
	return r, r.check()
}

// check refuses what no switch does.
func (r *Request) check() error {
	sends, check := r.Op == "send", r.Op == "check"
	port := func(n *int) bool { return n == nil || *n >= 0 && *n <= MaxPort }
	switch {
	case !slices.Contains(ops, r.Op):
		return fmt.Errorf("op %q: want %s", r.Op[:min(len(r.Op), 40)], strings.Join(ops, ", "))
	case r.Dst == nil && slices.Contains(ops[:5], r.Op):
		return errMissing("dst")
	case r.Packets == nil && (sends || check):
		return errMissing("packets")
	case r.Packets != nil && (*r.Packets < 0 || *r.Packets > MaxPackets):
		return fmt.Errorf("packets %d: want 0 to %d", *r.Packets, MaxPackets)
	case r.Length != nil && (*r.Length < 1 || *r.Length > 1<<16):
		return fmt.Errorf("packet_bytes %d: want 1 to %d", *r.Length, 1<<16)
	case r.US == nil && r.Op == "wait":
		return errMissing("us")
	case check && r.Probe.known() != nil:
		return r.Probe.known()
	case !check && r.Probe != "":
		return fmt.Errorf("probe %.40q: want it with check alone", r.Probe)
	case r.Probe == XON && r.Holder == nil:
		return errMissing("holder")
	case r.Src < 0 || r.Src > MaxPort || !port(r.Dst) || !port(r.Holder):
		return fmt.Errorf("port: want 0 to %d", MaxPort)
	case r.PG < 0 || r.PG >= pg.PerPort:
		return errPG
	case r.Probe == XON && (r.Fill < *r.Packets || r.Fill > MaxPackets || *r.Holder == *r.Dst):
		return fmt.Errorf("packets %d of fill %d, holder %d: want at most fill, fill of at most %d, and another port than dst",
			*r.Packets, r.Fill, *r.Holder, MaxPackets)
	}
	return nil
}

// group is the group that a request is about.
func (r *Request) group() Group { return Group{r.Src, r.PG} }

// length is the length of the packets of a request; 0: that of the switch.
func (r *Request) length() unit.Bytes {
	if r.Length == nil {
		return 0
	}
	return unit.Bytes(*r.Length)
}

// ops are the requests, those with an egress port first.
var ops = []string{"prepare", "hold", "drain", "send", "check", "counters", "clear", "wait", "reset", "describe"}

// errMissing says that a request lacks a key.
func errMissing(key string) error { return fmt.Errorf("%s: missing: want a number", key) }

// do does what a request says.
func (s *Switch) do(r *Request) (a answer, err error) {
	switch r.Op {
	case "prepare":
		return a, errors.Join(s.Drain(*r.Dst), s.Hold(*r.Dst))
	case "hold":
		return a, s.Hold(*r.Dst)
	case "drain":
		return a, s.Drain(*r.Dst)
	case "send":
		if err := s.Send(r.group(), *r.Dst, *r.Packets, r.length()); err != nil {
			return a, err
		}
		return s.counted(a, r)
	case "check":
		return s.check(r)
	case "counters":
		return s.counted(a, r)
	case "wait":
		return a, s.Wait(*r.US)
	case "reset":
		return a, s.Reset()
	case "clear":
		s.ClearMarks()
		return a, nil
	default: // describe
		c := &s.model.Config
		d := switchJSON{Schema: Schema, Cell: int64(c.Cell), Shared: int64(c.Pools[0].Shared),
			Packet: int64(s.model.Packet), LeakOut: s.model.LeakOut}
		if len(c.HeadroomPools) > 0 {
			d.Headroom = int64(c.HeadroomPools[0])
		}
		a.Switch = &d
		return a, nil
	}
}

// check answers a question.
func (s *Switch) check(r *Request) (a answer, err error) {
	detected, err := s.Check(r)
	if err != nil {
		return a, err
	}
	a.Detected = &detected
	return s.counted(a, r)
}

// counted adds the counters of the group of a request.
func (s *Switch) counted(a answer, r *Request) (answer, error) {
	g := r.group()
	c, err := s.Counters(g)
	shared, headroom, pool := s.Marks(g)
	bytes := func(n cells.Count) *int64 { return new(int64(s.model.Config.Cell.Bytes(n))) }
	a.Counters = &countersJSON{c.PauseFrames, c.XOFF, c.XON,
		Counted{c.Drops, c.Paused, c.Held, 0, &c.Received, bytes(shared), bytes(headroom), bytes(pool)}}
	if r.Dst != nil {
		a.Counters.Egress = s.EgressDrops(*r.Dst)
	}
	return a, err
}
