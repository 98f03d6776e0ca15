package internal_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/buffer/mmu"
	"github.com/cellwarden/cellwarden/internal/effort"
	"github.com/cellwarden/cellwarden/internal/testbed"
	"github.com/cellwarden/cellwarden/thresholds"
)

// tomahawk2 is the switch of sonic-mgmt's design document: an Arista 7260CX3.
func tomahawk2() mmu.Probe {
	return mmu.Probe{Cell: 208, Overhead: 64, Slices: 4, Pool: 33329088, SharedHeadroom: 7827456, Reserved: 1248,
		Limit: thresholds.Dynamic(0), Headroom: 101088, XONOffset: 2496, Packet: 64, Groups: 21, InTurn: true,
		Rule: mmu.Rule{PauseAtLimit: true}, Latched: true}
}

// driver is a tester that speaks in lines.
type driver struct {
	t    *testing.T
	to   io.Writer
	from *bufio.Scanner
}

// drive begins a switch, and a tester of it.
func drive(t *testing.T, p mmu.Probe) *driver {
	t.Helper()
	s, err := testbed.New(&p)
	require.NoError(t, err)
	to, from, end := testbed.Pipe(t.Context(), s)
	t.Cleanup(func() { require.NoError(t, end()) })
	return &driver{t, to, bufio.NewScanner(from)}
}

// ask sends a line, and returns what a check detected.
func (d *driver) ask(format string, args ...any) bool {
	d.t.Helper()
	fmt.Fprintf(d.to, format+"\n", args...)
	require.True(d.t, d.from.Scan(), "%v", d.from.Err())
	var a struct {
		OK, Detected bool
		Error        string
	}
	require.NoError(d.t, json.Unmarshal(d.from.Bytes(), &a))
	require.True(d.t, a.OK, a.Error)
	return a.Detected
}

// least returns the smallest number of packets that a check detects, by bisection.
func (d *driver) least(most int64, check string) int64 {
	low, high := int64(1), most
	for low < high {
		if middle := (low + high) / 2; d.ask(check, middle) {
			high = middle
		} else {
			low = middle + 1
		}
	}
	return low
}

// A tester that bisects finds the thresholds that the probe states.
func TestTestbedDriverFindsWhatProbeStates(t *testing.T) {
	effort.SkipShort(t, "it probes many times")
	r := rand.New(rand.NewPCG(8, 15))
	for i := range 20 {
		p := tomahawk2()
		if i > 0 {
			p.Pool, p.Limit = p.Pool/4+1<<r.IntN(22), thresholds.Dynamic(thresholds.Alpha(r.IntN(7)-3))
			p.Rule = mmu.Rule{LimitAfter: r.IntN(2) == 0, PauseAtLimit: r.IntN(2) == 0}
			p.Latched, p.LeakOut = r.IntN(2) == 0, r.Int64N(40)
		}
		p.Groups = 1
		want, err := p.Run()
		require.NoError(t, err)
		d := drive(t, p)
		g := want.Groups[0]
		require.Equal(t, g.XOFF, d.least(1<<17, `{"op":"check","probe":"pfc_xoff","src":1,"dst":9,"pg":3,"packets":%d}`))
		require.Equal(t, g.Drop, d.least(1<<17, `{"op":"check","probe":"ingress_drop","src":1,"dst":9,"pg":3,"packets":%d}`))
		// Two ports are stopped, so that packets leak out twice.
		fill := g.XOFF + p.LeakOut
		xon := d.least(fill, fmt.Sprintf(
			`{"op":"check","probe":"pfc_xon","src":1,"dst":9,"holder":10,"pg":3,"fill":%d,"packets":%%d}`, fill))
		require.Equal(t, g.XONBelow+p.LeakOut, xon, "%+v", p)
	}
}

// The headroom pool is exhausted group by group: what one group takes stays while the next is probed.
func TestTestbedHeadroomPoolByLines(t *testing.T) {
	p := tomahawk2()
	want, err := p.Run()
	require.NoError(t, err)
	d := drive(t, p)
	d.ask(`{"op":"prepare","dst":81}`)
	var pool int64
	for i, g := range want.Groups {
		held := int64(0) // packets of the group that wait
		step := func(probe string, to int64) bool {
			defer func() { held = to }()
			return d.ask(`{"op":"check","probe":%q,"src":%d,"dst":81,"pg":3,"packets":%d,"drain":false}`, probe, 10+i, to-held)
		}
		require.False(t, g.XOFF > 1 && step("pfc_xoff", g.XOFF-1), "group %d", i)
		require.True(t, step("pfc_xoff", g.XOFF), "group %d", i)
		require.False(t, g.Drop-1 > held && step("ingress_drop", g.Drop-1), "group %d", i)
		require.True(t, d.ask(`{"op":"check","probe":"ingress_drop","src":%d,"dst":81,"pg":3,"packets":1,"drain":false}`,
			10+i))
		pool += g.Drop - 1 - g.XOFF
	}
	require.EqualValues(t, 9408, pool)
}

// Pauses are repeated while a group is paused, and end with XON.
func TestTestbedPausesAndCounters(t *testing.T) {
	p := tomahawk2()
	s, err := testbed.New(&p)
	require.NoError(t, err)
	g := testbed.Group{Port: 1, PG: 3}
	require.NoError(t, s.Hold(9))
	require.NoError(t, s.Send(g, 9, 20036, 0))
	require.NoError(t, s.Wait(100000))
	c, err := s.Counters(g)
	require.NoError(t, err)
	require.Equal(t, testbed.Counters{PauseFrames: 223, XOFF: 1, Paused: true, Held: 20036, Received: 20036}, c)
	require.NoError(t, s.Drain(9))
	require.NoError(t, s.Wait(100000))
	c, _ = s.Counters(g)
	require.Equal(t, testbed.Counters{PauseFrames: 223, XOFF: 1, XON: 1, Received: 20036}, c)
	require.NoError(t, s.Send(g, 9, 1<<20, 0), "a port that is not stopped")
	c, _ = s.Counters(g)
	require.Zero(t, c.Held+c.Drops)
}

// What a line may not say is refused, and changes nothing.
func TestTestbedLinesThatAreRefused(t *testing.T) {
	p := tomahawk2()
	for line, want := range map[string]string{
		`{}`: `op \"\": want prepare`, `[]`: "cannot unmarshal", `{"op":"hold"}`: "dst: missing",
		`{"op":"send","dst":1}`: "packets: missing", `{"op":"wait"}`: "us: missing",
		`{"op":"hold","dst":-1}`:                                                   "port: want",
		`{"op":"send","dst":1,"pg":9,"packets":1}`:                                 "pg: want 0 to 7",
		`{"op":"send","dst":1,"packets":99999999999}`:                              "packets 99999999999: want",
		`{"op":"check","dst":1,"packets":1,"probe":"rain"}`:                        `probe \"rain\": want`,
		`{"op":"check","dst":1,"packets":1,"probe":"pfc_xon"}`:                     "holder: missing",
		`{"op":"check","dst":1,"packets":2,"fill":1,"holder":2,"probe":"pfc_xon"}`: "at most fill",
		`{"op":"check","dst":1,"packets":1,"fill":1,"holder":2,"probe":"pfc_xon"}`: "not paused",
		`{"op":"reset"} {}`: "text after", `{"op":"reset","weather":1}`: "unknown field",
	} {
		s, err := testbed.New(&p)
		require.NoError(t, err)
		var out strings.Builder
		require.NoError(t, testbed.Serve(context.Background(), s, strings.NewReader(line+"\n"), &out))
		require.Contains(t, out.String(), want, line)
		require.Contains(t, out.String(), `"ok":false`, line)
	}
	s, err := testbed.New(&p)
	require.NoError(t, err)
	require.ErrorContains(t, testbed.Serve(context.Background(), s, strings.NewReader(strings.Repeat(" ",
		testbed.MaxLine+2)), io.Discard), "at most")
	_, err = testbed.New(&mmu.Probe{})
	require.ErrorContains(t, err, "chip.cell")
}

func FuzzTestbedServe(f *testing.F) {
	f.Add("{\"op\":\"prepare\",\"dst\":1}\n{\"op\":\"check\",\"probe\":\"pfc_xoff\",\"dst\":1,\"packets\":300}\n" +
		"{\"op\":\"drain\",\"dst\":1}\n{\"op\":\"counters\"}\n{\"op\":\"describe\"}\n{\"op\":\"wait\",\"us\":900}\n")
	f.Add("{\"op\":\"check\",\"probe\":\"pfc_xon\",\"dst\":1,\"packets\":9,\"fill\":200,\"holder\":2}\n")
	f.Fuzz(func(t *testing.T, lines string) {
		if strings.Count(lines, "packets") > 4 { // each can be of millions
			return
		}
		p := mmu.Probe{Cell: 100, Pool: 30000, Limit: thresholds.Dynamic(0), Headroom: 2000, Packet: 64, LeakOut: 3}
		s, err := testbed.New(&p)
		require.NoError(t, err)
		var out strings.Builder
		if testbed.Serve(context.Background(), s, strings.NewReader(lines), &out) != nil {
			return
		}
		for line := range strings.Lines(out.String()) {
			require.True(t, json.Valid([]byte(line)), line)
		}
	})
}
