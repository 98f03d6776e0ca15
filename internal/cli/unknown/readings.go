package unknown

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/calibrate"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/identify"
	"github.com/cellwarden/cellwarden/internal/measured"
	"github.com/cellwarden/cellwarden/internal/rules"
	"github.com/cellwarden/cellwarden/internal/testbed"
)

// This file takes readings that were taken before, without a switch.

// learn reads the file of --readings, and looks at what it leaves open. An error of the file is wrong input (exit
// code 2). No switch is asked: the Stop is Contradiction, Effort, Egress or, if none of these, identify.Read.
func (f *identifyFlags) learn(cmd *cobra.Command, e *identify.Identification) (identify.Stop, error) {
	name, data, err := cli.ReadInput(cmd, f.readings)
	if err != nil {
		return "", cli.ExitWith(cli.ExitUsage, err)
	}
	sessions, err := sessionsOf(name, data, &f.o)
	if err != nil {
		return "", cli.ExitWith(cli.ExitUsage, err)
	}
	stop := e.Learn(sessions)
	// An interrupted search returns a Stop as well, which would be no verdict.
	return stop, cli.Failure(f.o.Until())
}

// sessionsOf reads requests and answers, or fills. The first line decides: a request has op, and a file of fills does
// not begin with one. Errors name the file, and the line where there is one.
func sessionsOf(name string, data []byte, o *identify.Options) ([]identify.Session, error) {
	first, _, _ := bytes.Cut(bytes.TrimSpace(data), []byte("\n"))
	// A record is a line of JSON for each request and answer in turn, so the first line is a request.
	if bytes.Contains(first, []byte(`"op"`)) {
		return identify.Record(name, data, o.Known[rules.Cell].Lo)
	}
	// Without the size of a cell, dumps with watermarks in cells are refused: identify takes no watermarks.
	m, err := measured.Read(name, data, 0)
	if err != nil {
		return nil, err
	}
	// What else such a file can have would be passed over in silence.
	if len(m.Points)+len(m.Stored)+len(m.Uses)+len(m.Links)+len(m.Known) > 0 || len(m.Fills) == 0 {
		return nil, fmt.Errorf("%s: want fills, and nothing else: what is configured is in FILE", name)
	}
	var out []identify.Session
	for i := range m.Fills {
		s, err := session(&m.Fills[i], o)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m.Fills[i].From, err)
		}
		out = append(out, s)
	}
	return out, nil
}

// filled is a group of a fill: what was read of it, nil if that was not read, and its steps so far, which send so many
// packets.
type filled struct {
	identify.Step
	xoff, drop *calibrate.Range
	marks      []rules.Span
	sent       int64
	steps      identify.Session
}

// session returns the requests that a fill was, with its readings as answers. The groups are of ports 4 apart, which
// are in one slice. So all groups have one pool, whether the switch has 1, 2 or 4 slices. Packets are counted per
// group from 1. The error has the group, also from 1, and what is not understood.
func session(f *calibrate.Fill, o *identify.Options) (s identify.Session, err error) {
	groups := make([]filled, max(f.Groups, 1))
	for i := range f.Readings {
		r := &f.Readings[i]
		if err := groups[r.Group].read(r, o.Known[rules.Cell].Lo); err != nil {
			return nil, fmt.Errorf("group %d: %w", r.Group+1, err)
		}
	}
	// The first of --sources, and each fourth after it.
	if most := (len(o.Ports) + 3) / 4; len(groups) > most {
		return nil, fmt.Errorf("%d groups (want at most %d, one for each fourth port of --sources)", len(groups), most)
	}
	// The requests below fill one group after the other, each until it drops. A fill in rotation, or up to the pauses,
	// is another sequence. A single group has no order.
	if f.Lossy || !f.ToDrop && len(groups) > 1 {
		return nil, errors.New("want lossless groups in the order each-to-drop")
	}
	for i := range groups {
		g := &groups[i]
		g.Step = identify.Step{Port: o.Ports[4*i], PG: o.PGs[0], Dst: o.Dsts[0], Length: int64(f.Packet)}
		// A lossless group pauses before it drops, and to relies on that order.
		if g.xoff != nil && g.drop != nil && g.drop.Lo <= g.xoff.Hi {
			return nil, fmt.Errorf("group %d: drop %d (want more than xoff)", i+1, g.drop.Lo)
		}
		if g.xoff != nil {
			// One packet before the interval the group is not paused, and with its last packet it is. Between them nothing was
			// read.
			g.to(g.xoff.Lo-1, false, true)
			g.to(g.xoff.Hi, true, true)
		}
		if g.drop != nil {
			g.to(g.drop.Lo-1, false, false)
			g.to(g.drop.Hi, false, false)
		} else if i+1 < len(groups) || g.marks != nil { // it was filled until it dropped, at a packet that was not written down
			// 2^24 packets stand for as many as that took. How many of them were accepted stays open.
			g.to(g.sent+1<<24, false, false)
		}
		if n := len(g.steps); n > 0 {
			g.steps[n-1].Marks = g.marks
		}
		s = append(s, g.steps...)
	}
	return s, nil
}

// read takes over a reading. A watermark is in cells, or in bytes of whole cells; that of the pool was not read.
func (g *filled) read(r *calibrate.FillReading, cell int64) error {
	to := &g.xoff
	switch r.What {
	case calibrate.XOFF:
	case calibrate.Drop:
		to = &g.drop
	case calibrate.SharedMark, calibrate.HeadroomMark:
		is := rules.Span(r.Is)
		if r.Bytes {
			is = rules.Span{Lo: (is.Lo + cell - 1) / cell, Hi: is.Hi / cell}
		}
		if g.marks == nil {
			g.marks = []rules.Span{{Hi: calibrate.NoBound}, {Hi: calibrate.NoBound}}
		}
		g.marks[r.What-calibrate.SharedMark] = is
		return nil
	default:
		return fmt.Errorf("%v (want xoff, drop and watermarks alone)", r.What)
	}
	// 2^25 packets is the most that a request of a record may have. A count without an upper bound is refused here, too.
	if r.Is.Lo < 1 || r.Is.Hi > testbed.MaxPackets {
		return fmt.Errorf("%v (want 1 to %d packets)", r.What, testbed.MaxPackets)
	}
	*to = &r.Is
	return nil
}

// to sends packets up to the one of a number; read tells whether it was read if the group is paused then. Without a
// reading of drops, any number of the packets may have been accepted. A packet that was sent already needs no step.
func (g *filled) to(packet int64, paused, read bool) {
	if packet <= g.sent {
		return
	}
	x := g.Step
	x.Packets = packet - g.sent
	x.Accepted.Hi = x.Packets
	if g.drop != nil { // none before the first one that was dropped
		// session has refused a drop that is not after xoff, so sent is below drop.Lo here and no end is negative.
		x.Accepted = rules.Span{Lo: min(packet, g.drop.Lo-1) - g.sent, Hi: min(packet, g.drop.Hi-1) - g.sent}
	}
	if read {
		x.Paused = []identify.Pause{{Port: x.Port, PG: x.PG, Is: paused}}
	}
	g.steps, g.sent = append(g.steps, x), packet
}
