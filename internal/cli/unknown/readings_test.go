package unknown

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/calibrate"
	"github.com/cellwarden/cellwarden/internal/identify"
	"github.com/cellwarden/cellwarden/internal/rules"
	"github.com/cellwarden/cellwarden/internal/testbed"
	"github.com/cellwarden/cellwarden/topology"
)

// tomahawk2 is the switch of sonic-mgmt's design document, as it is configured.
const tomahawk2 = `chip: tomahawk2
pool: {size: 33329088B, shared_headroom: 7827456B}
group: {reserved: 1248B, alpha: 1, headroom: 101088B, xon_offset: 2496B}
fill: {packet: 64B, groups: 21, order: in-turn}
`

// known returns what an identification knows of that switch.
func known(t *testing.T) *identify.Options {
	t.Helper()
	p, err := topology.ParseProbe("th2.yaml", []byte(tomahawk2), nil)
	require.NoError(t, err)
	f := identifyFlags{within: 10}
	f.o = identify.Options{Seed: 1, Drains: 100, Work: identify.Work, Dsts: []int{100, 101}, PGs: []int{3, 4},
		Until: func() error { return nil }}
	for i := range 96 {
		f.o.Ports = append(f.o.Ports, i)
	}
	require.NoError(t, f.known(&p))
	return &f.o
}

// trace returns at which packets the groups of that switch pause and drop, one after the other.
func trace(t *testing.T) (out [][2]int64) {
	t.Helper()
	p := rules.Point{Rule: rules.Rule{rules.XON: rules.XONLatched, rules.Owner: rules.OwnerPool}}
	x := &p.Numbers
	x[rules.Shared], x[rules.Reserved], x[rules.Headroom], x[rules.Pool], x[rules.Offset] = 40059, 6, 486, 9408, 12
	x[rules.Cell], x[rules.Overhead] = 208, 64
	require.NoError(t, p.Valid())
	m := rules.NewModel(&p)
	m.Hold(100)
	for i := range 21 {
		got := m.Send(4*i, 3, 100, 1<<20, 64)
		out = append(out, [2]int64{got.XOFF, got.Stored + 1})
	}
	// What the design document prints of 21.
	for i, want := range map[int][2]int64{0: {20036, 20523}, 1: {10021, 10508}, 18: {6, 493}, 19: {6, 181}, 20: {6, 7}} {
		require.Equal(t, want, out[i], "group %d", i+1)
	}
	return out
}

// learned returns the rules that remain of the first groups of the trace, and the interval of the pool.
func learned(t *testing.T, all [][2]int64, groups int) (out []string, shared rules.Span) {
	t.Helper()
	o := known(t)
	f := calibrate.Fill{Packet: 64, Groups: groups, InTurn: true, ToDrop: true}
	for i, g := range all[:groups] {
		f.Readings = append(f.Readings, calibrate.FillReading{Group: i, What: calibrate.XOFF, Is: calibrate.Exactly(g[0])},
			calibrate.FillReading{Group: i, What: calibrate.Drop, Is: calibrate.Exactly(g[1])})
	}
	s, err := session(&f, o)
	require.NoError(t, err)
	e := identify.New(*o)
	require.Equal(t, identify.Read, e.Learn([]identify.Session{s}))
	r := e.Result(identify.Read)
	hull := r.Rules[0].Box
	for _, x := range r.Rules {
		out = append(out, fmt.Sprint(x.Box.Rule))
		hull.Join(&x.Box)
	}
	slices.Sort(out)
	return out, rules.Span{Lo: hull.Lo[rules.Shared], Hi: hull.Hi[rules.Shared]}
}

// docs/identify.md says which beginning of the trace of 21 groups leaves what the whole trace leaves.
func TestPrefixOfTheTrace(t *testing.T) {
	all := trace(t)
	rest, shared := learned(t, all, len(all))
	enough := len(all)
	for enough > 1 {
		if r, _ := learned(t, all, enough-1); !slices.Equal(r, rest) {
			break
		}
		enough--
	}
	before, _ := learned(t, all, enough-1)
	pool := 1
	for n := (rules.Span{}); n != shared && pool < enough; {
		pool++
		_, n = learned(t, all, pool)
	}
	page, err := os.ReadFile("../../../docs/identify.md")
	require.NoError(t, err)
	text := strings.Join(strings.Fields(string(page)), " ")
	require.Contains(t, text, fmt.Sprintf("The first %d of its 21 groups leave the %d rules that all leave; one group "+
		"fewer leaves %d. The first %d give the pool as exactly as all.", enough, len(rest), len(before), pool))
}

// What a record or a fill does not say is refused, with its line.
func TestReadingsAreRefused(t *testing.T) {
	o := known(t)
	const fill = "fills: [{packet: 64B, groups: 2, order: each-to-drop, read: ["
	ask := func(lines ...string) string { return strings.Join(lines, "\n") }
	const hold, ok = `{"op":"hold","dst":100}`, `{"ok":true}`
	const send = `{"op":"send","src":0,"pg":3,"dst":100,"packets":9}`
	const counters, zero = `{"op":"counters","src":0,"pg":3,"dst":100}`, `{"ok":true,"counters":{"dropped_packets":0}}`
	for want, text := range map[string]string{
		"r:2: a request without an answer":                      ask("", hold),
		"r:1: op \"probe\": want prepare":                       ask(`{"op":"probe","dst":1}`, ok),
		"r:1: packets: missing":                                 ask(`{"op":"check","dst":1}`, ok),
		`r:1: text after the JSON value (want a request`:        ask(`{"op":"hold","dst":1} 2`, ok),
		"r:1: dst: missing":                                     ask(`{"op":"hold"}`, ok),
		"r:1: packets -1: want 0":                               ask(`{"op":"send","dst":1,"packets":-1}`, ok),
		"r:1: src 128 (want 0 to 127":                           ask(`{"op":"send","dst":1,"packets":1,"src":128}`, ok),
		"r:2: \"{}\" (want the answer":                          ask(hold, "{}"),
		"r:4: the drops of port 0 group 3 before these packets": ask(hold, ok, send, zero),
		"r:4: egress port 100 is not stopped":                   ask(counters, zero, send, zero),
		"r:4: no counters in the answer":                        ask(counters, zero, counters, ok),
		"r:6: port 0 group 3 dropped 10 of 9 packets": ask(hold, ok, counters, zero, send,
			`{"ok":true,"counters":{"dropped_packets":10}}`),
		"r: no packets were sent":              ask(hold, ok),
		"r:1: group 1: xon_below (want xoff":   "fills: [{packet: 64B, read: [{group: 1, xoff: 9, xon_below: 4}]}]",
		"r:1: group 1: drop 9 (want more than": fill + "{group: 1, xoff: 9, drop: 9}]}]",
		"r:1: 99 groups (want at most 24":      strings.Replace(fill, "2", "99", 1) + "{group: 1, xoff: 9}]}]",
		"r:1: want lossless groups":            strings.Replace(fill, "each-to-drop", "in-turn", 1) + "{group: 1, xoff: 9}]}]",
		"r: want fills, and nothing else":      `{"stored": {"packet": "64B", "packets": 100, "watermark": "20800B"}}`,
	} {
		_, err := sessionsOf("r", []byte(text), o)
		require.ErrorContains(t, err, want, text)
	}
}

// A record of a whole run leaves what the run left, and its rule may be written.
func TestRecordOfARun(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "th2.yaml")
	require.NoError(t, os.WriteFile(file, []byte(tomahawk2), 0o600))
	p, err := topology.ParseProbe("th2.yaml", []byte(tomahawk2), nil)
	require.NoError(t, err)
	s, err := testbed.New(&p.Probe)
	require.NoError(t, err)
	to, from, end := testbed.Pipe(t.Context(), s)
	var record bytes.Buffer
	stop, err := identify.New(*known(t)).Run(identify.NewLines(io.MultiWriter(to, &record), io.TeeReader(from, &record), 0))
	require.NoError(t, err)
	require.Equal(t, identify.Same, stop)
	require.NoError(t, end())
	name := filepath.Join(dir, "record")
	require.NoError(t, os.WriteFile(name, record.Bytes(), 0o600))
	c := IdentifyCommand()
	args := []string{file, "--readings", name}
	var printed strings.Builder
	c.SetArgs(args)
	c.SetOut(&printed)
	require.NoError(t, c.ExecuteContext(t.Context()), printed.String())
	require.Contains(t, printed.String(), "THE READINGS LEAVE 1 RULE")
	printed.Reset()
	c.SetArgs(append(args, "--write", "-", "--name", "lab", "--date", "2026-11-28"))
	require.NoError(t, c.ExecuteContext(t.Context()), printed.String())
	require.Contains(t, printed.String(), `"xon_rule": "latched"`)

	// The one rule that is left may stand for others that nobody asked about: it is not written as measured.
	var f identifyFlags
	err = f.writeChip(c, p.Chip, &identify.Result{Rules: make([]identify.Remaining, 1), Unasked: []string{"xon"}}, 0)
	require.ErrorContains(t, err, "--write: nothing was asked about xon")
}
