package peers

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"strconv"

	"github.com/cellwarden/cellwarden/unit"
)

// Scenario is an incast from a log of the other simulators: hosts on one switch that send without congestion control.
type Scenario struct {
	Name        string       `json:"scenario"`
	Model       string       `json:"model"` // simulator of the log: "hpcc" or "ns3dc"
	Hosts       int          `json:"hosts"`
	Ports       int          `json:"ports"` // number of ports for which the rule sets aside reserve and headroom
	Rate        unit.BitRate `json:"-"`
	Payload     unit.Bytes   `json:"payload_bytes"`
	Header      unit.Bytes   `json:"header_bytes"`
	PauseFrame  unit.Bytes   `json:"pfc_frame_wire_bytes"`
	Delay       []unit.Time  `json:"-"` // of each host's link
	Flows       []Flow       `json:"-"`
	Buffer      unit.Bytes   `json:"buffer_bytes"`
	Headroom    unit.Bytes   `json:"headroom_per_pg_bytes"` // of each port and priority
	AllHeadroom unit.Bytes   `json:"total_headroom_bytes"`
	IngressPool unit.Bytes   `json:"ingress_pool_bytes"`
	Alpha       *big.Rat     `json:"-"`
	XON         unit.Bytes   `json:"xon_bytes"`
	XONOffset   unit.Bytes   `json:"xon_offset_bytes"`
	Reserve     unit.Bytes   `json:"reserve_bytes_per_pg"` // of each port and priority
	Lossless    []int        `json:"pgs_with_headroom"`    // priorities with headroom
	Stop        unit.Time    `json:"-"`
}

// Flow is what one host sends to another.
type Flow struct {
	From, To, Priority int
	Payload            unit.Bytes
	Start              unit.Time
}

// file is the form of scenario.json: a scenario, its rate and times as numbers, and keys that only explain, which are
// accepted and not used.
type file struct {
	Scenario
	Rate  int64            `json:"link_rate_bps"`
	Delay map[string]int64 `json:"link_delay_ps"`
	Flows []fileFlow       `json:"flows"`
	Alpha json.Number      `json:"alpha"`
	Stop  int64            `json:"stop_ps"`

	Note       string                 `json:"note"`
	Wire       int64                  `json:"wire_bytes"`
	Short      string                 `json:"last_or_short_packet_wire"`
	Senders    []int                  `json:"senders"`
	Primer     int                    `json:"primer_host"`
	Receiver   int                    `json:"receiver_host"`
	PortOfHost string                 `json:"switch_port_of_host"`
	Scheduler  string                 `json:"egress_scheduler"`
	TieCheck   map[string]json.Number `json:"tie_check"`
}

// fileFlow is a flow in scenario.json.
type fileFlow struct {
	From     int   `json:"src"`
	To       int   `json:"dst"`
	Priority int   `json:"pg"`
	Payload  int64 `json:"payload_total"`
	Start    int64 `json:"start_ps"`
}

// Parse reads a scenario.json. It refuses unknown keys and impossible numbers, with all complaints at once.
func Parse(name string, data []byte) (*Scenario, error) {
	var f file
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&f); err != nil {
		return nil, fmt.Errorf("%s: %w", name, atLine(data, d, err))
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: more data follows the scenario", name)
	}
	s := f.scenario()
	if err := f.check(s); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return s, nil
}

// atLine adds the line to an error of the JSON decoder.
func atLine(data []byte, d *json.Decoder, err error) error {
	at := d.InputOffset()
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		at = syntax.Offset
	case errors.As(err, &kind):
		at = kind.Offset
	}
	line := 1 + bytes.Count(data[:min(max(at, 0), int64(len(data)))], []byte("\n"))
	return fmt.Errorf("line %d: %w", line, err)
}

// scenario converts the numbers. check refuses those that are out of range.
func (f *file) scenario() *Scenario {
	s := &f.Scenario
	s.Rate, s.Stop = unit.BitRate(f.Rate), unit.Time(f.Stop)
	s.Alpha, _ = new(big.Rat).SetString(f.Alpha.String())
	if s.Hosts > 0 && s.Hosts <= mostHosts {
		s.Delay = make([]unit.Time, s.Hosts)
	}
	for _, g := range f.Flows {
		s.Flows = append(s.Flows, Flow{g.From, g.To, g.Priority, unit.Bytes(g.Payload), unit.Time(g.Start)})
	}
	return s
}

const (
	mostHosts = 1024
	mostBytes = 1 << 40
	mostTime  = int64(1000 * unit.Second)
)

// check refuses what cannot be simulated, and fills in the delays.
func (f *file) check(s *Scenario) error {
	var bad []error
	within := func(key string, v, low, high int64) {
		if v < low || v > high {
			bad = append(bad, fmt.Errorf("%s: %d (want %d to %d)", key, v, low, high))
		}
	}
	within("hosts", int64(f.Hosts), 2, mostHosts)
	within("ports", int64(f.Ports), 1, mostHosts+1)
	within("link_rate_bps", f.Rate, int64(unit.Mbps), int64(100*unit.Tbps))
	within("payload_bytes", int64(f.Payload), 1, 1<<20)
	within("header_bytes", int64(f.Header), 0, 1<<10)
	within("pfc_frame_wire_bytes", int64(f.PauseFrame), 1, 1<<10)
	for _, b := range []struct {
		key string
		v   unit.Bytes
	}{{"buffer_bytes", f.Buffer}, {"headroom_per_pg_bytes", f.Headroom}, {"total_headroom_bytes", f.AllHeadroom},
		{"ingress_pool_bytes", f.IngressPool},
		{"xon_bytes", f.XON}, {"xon_offset_bytes", f.XONOffset}, {"reserve_bytes_per_pg", f.Reserve}} {
		within(b.key, int64(b.v), 0, mostBytes)
	}
	within("stop_ps", f.Stop, 1, mostTime)
	if s.Alpha == nil || s.Alpha.Cmp(big.NewRat(1, 1<<20)) < 0 || s.Alpha.Cmp(big.NewRat(1<<20, 1)) > 0 {
		bad = append(bad, fmt.Errorf("alpha: %q (want 2^-20 to 2^20)", f.Alpha))
	}
	for _, p := range f.Lossless {
		within("pgs_with_headroom", int64(p), 0, 7)
	}
	for i, g := range f.Flows {
		within(fmt.Sprintf("flows[%d].src", i), int64(g.From), 0, int64(f.Hosts)-1)
		within(fmt.Sprintf("flows[%d].dst", i), int64(g.To), 0, int64(f.Hosts)-1)
		within(fmt.Sprintf("flows[%d].pg", i), int64(g.Priority), 0, 7)
		within(fmt.Sprintf("flows[%d].payload_total", i), g.Payload, 1, mostBytes)
		within(fmt.Sprintf("flows[%d].start_ps", i), g.Start, 0, mostTime)
	}
	for key, v := range f.Delay {
		h, err := strconv.Atoi(key)
		if err != nil || h < 0 || h >= len(s.Delay) {
			bad = append(bad, fmt.Errorf("link_delay_ps[%q] (want hosts 0 to %d)", key, len(s.Delay)-1))
			continue
		}
		within(fmt.Sprintf("link_delay_ps[%q]", key), v, 0, mostTime)
		s.Delay[h] = unit.Time(v)
	}
	return errors.Join(bad...)
}
