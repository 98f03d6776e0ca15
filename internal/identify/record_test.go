package identify_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/internal/effort"
	"github.com/cellwarden/cellwarden/internal/identify"
	"github.com/cellwarden/cellwarden/internal/rules"
	"github.com/cellwarden/cellwarden/internal/rules/draw"
	"github.com/cellwarden/cellwarden/internal/testbed"
)

// recorded is a record of two sessions: the second one starts one of two egress ports.
const recorded = `{"op":"hold","dst":100}
{"ok":true}
{"op":"counters","src":0,"pg":3,"dst":100}
{"ok":true,"counters":{"dropped_packets":7,"egress_dropped_packets":7}}
{"op":"send","src":0,"pg":3,"dst":100,"packets":50}
{"ok":true,"counters":{"dropped_packets":17,"egress_dropped_packets":7,"paused":true}}
{"op":"prepare","dst":100}
{"ok":true}

{"op":"hold","dst":101}
{"ok":true}
{"op":"send","src":0,"pg":3,"dst":100,"packets":5,"packet_bytes":900}
{"ok":true,"counters":{"dropped_packets":17,"egress_dropped_packets":7}}
{"op":"send","src":0,"pg":3,"dst":101,"packets":5}
{"ok":true,"counters":{"dropped_packets":17}}
{"op":"send","src":0,"pg":3,"dst":101,"packets":900}
{"ok":false,"error":"no"}
{"op":"drain","dst":101}
{"ok":true}
{"op":"counters","src":0,"pg":3}
{"ok":true,"counters":{"dropped_packets":17,"paused":true}}
`

func TestRecord(t *testing.T) {
	got, err := identify.Record("r", []byte(recorded), 256)
	require.NoError(t, err)
	exact := func(n int64) rules.Span { return rules.Span{Lo: n, Hi: n} }
	pause := func(is bool) []identify.Pause { return []identify.Pause{{Port: 0, PG: 3, Is: is}} }
	require.Equal(t, []identify.Session{
		{{PG: 3, Dst: 100, Packets: 50, Length: 64, Accepted: exact(40), Paused: pause(true)}},
		{{PG: 3, Dst: 100, Packets: 5, Length: 900, Accepted: exact(5), Paused: pause(false)},
			// What egress port 101 had dropped before was not read.
			{PG: 3, Dst: 101, Packets: 5, Length: 64, Accepted: exact(5), Paused: pause(false)},
			{Release: true, Dst: 101, Paused: pause(true)}}}, got)
}

// Whatever a record is, it is refused or its readings are possible.
func FuzzRecord(f *testing.F) {
	f.Add([]byte(recorded))
	f.Add([]byte("{\"op\":\"reset\"}\n{\"ok\":true}\n{\"op\":\"check\",\"probe\":\"pfc_xon\",\"dst\":1,\"holder\":2,\"fill\":9," +
		"\"packets\":3}\n{\"ok\":true,\"detected\":true,\"counters\":{}}\n"))
	f.Add([]byte("{\"op\":\"counters\",\"probe\":\"pfc_xon\"}\n{\"ok\":true}\n"))
	f.Add([]byte("{\"op\":\"reset\"}\n{\"ok\":true}\n{\"op\":\"hold\",\"dst\":1}\n{\"ok\":true}\n" +
		"{\"op\":\"send\",\"dst\":1,\"packets\":3}\n{\"ok\":true,\"counters\":{\"dropped_packets\":9007199254740992}}\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		all, err := identify.Record("r", text, 256)
		if err != nil {
			return
		}
		require.NotEmpty(t, all)
		for _, s := range all {
			for _, x := range s {
				require.True(t, x.Release || 0 <= x.Accepted.Lo && x.Accepted.Hi <= x.Packets, "%+v", x)
			}
		}
	})
}

// requests are random requests of a tester: groups are filled, some to two egress ports of which one is started.
func requests(r *rand.Rand) string {
	var b strings.Builder
	say := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	for range 2 + r.IntN(2) {
		say(`{"op":"prepare","dst":100}`)
		say(`{"op":"prepare","dst":101}`)
		say(`{"op":"counters","src":0,"pg":3,"dst":100}`)
		groups := map[string]bool{}
		for range 1 + r.IntN(5) {
			g := fmt.Sprintf(`"src":%d,"pg":%d`, 4*r.IntN(3)+r.IntN(2), 3+r.IntN(2))
			groups[g] = true
			dst := 100 + r.IntN(2)
			say(`{"op":"counters",%s,"dst":%d}`, g, dst)
			say(`{"op":"send",%s,"dst":%d,"packets":%d,"packet_bytes":%d}`, g, dst, 1+r.Int64N(1<<r.IntN(14)),
				[]int{64, 64, 64, 300}[r.IntN(4)])
		}
		if r.IntN(2) == 0 {
			say(`{"op":"check","probe":"%s","src":0,"pg":3,"dst":100,"packets":%d,"drain":%v}`,
				[]string{"pfc_xoff", "ingress_drop", "egress_drop"}[r.IntN(3)], 1+r.Int64N(1<<r.IntN(14)), r.IntN(2) == 0)
		}
		if n := int64(1 << 17); r.IntN(2) == 0 {
			say(`{"op":"reset"}`)
			say(`{"op":"check","probe":"pfc_xon","src":0,"pg":3,"dst":100,"holder":101,"fill":%d,"packets":%d}`, n,
				1+r.Int64N(1<<r.IntN(14)))
			say(`{"op":"prepare","dst":100}`)
			say(`{"op":"prepare","dst":101}`)
			say(`{"op":"counters","src":0,"pg":3,"dst":100}`)
		}
		say(`{"op":"drain","dst":101}`)
		for _, g := range slices.Sorted(maps.Keys(groups)) {
			say(`{"op":"counters",%s}`, g)
		}
	}
	return b.String()
}

// Of a record of any switch of the space, its truth remains.
func TestRecordsKeepTheTruth(t *testing.T) {
	effort.Alone(t)
	first, end := effort.Seeds(24)
	decided := 0
	for seed := first; seed < end; seed++ {
		r := rand.New(rand.NewPCG(seed, 294))
		p := draw.Rules(seed)
		s, err := testbed.Of(testbed.Model{Config: p.Config(), LeakOut: p.Numbers[rules.Leak], Packet: 64,
			Ports: rules.Ports})
		require.NoError(t, err)
		asked := requests(r)
		var answers strings.Builder
		require.NoError(t, testbed.Serve(t.Context(), s, strings.NewReader(asked), &answers))
		var record strings.Builder
		given := strings.Split(answers.String(), "\n")
		for i, line := range strings.Split(strings.TrimSpace(asked), "\n") {
			fmt.Fprintf(&record, "%s\n%s\n", line, given[i])
		}
		sessions, err := identify.Record("r", []byte(record.String()), 256)
		require.NoError(t, err, "seed %d", seed)
		o := options(seed)
		configured(&o, &p, rand.New(rand.NewPCG(seed, 292)))
		o.Work = 3e5
		e := identify.New(o)
		stop := e.Learn(sessions)
		require.NotEqual(t, identify.Contradiction, stop, "seed %d: %+v\n%s", seed, p, &record)
		require.True(t, e.Remains(&p), "seed %d: lost %+v\n%s", seed, p, &record)
		if stop == identify.Read {
			decided++
		}
	}
	t.Logf("%d of %d records were looked at to the end", decided, end-first)
}
