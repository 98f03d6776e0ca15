package identify_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/internal/identify"
	"github.com/cellwarden/cellwarden/internal/rules"
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
	got, err := identify.Record("r", []byte(recorded))
	require.NoError(t, err)
	exact := func(n int64) rules.Span { return rules.Span{Lo: n, Hi: n} }
	pause := func(is bool) []identify.Pause { return []identify.Pause{{Port: 0, PG: 3, Is: is}} }
	require.Equal(t, []identify.Session{
		{{PG: 3, Dst: 100, Packets: 50, Length: 64, Accepted: exact(40), Paused: pause(true)}},
		{{PG: 3, Dst: 100, Packets: 5, Length: 900, Accepted: exact(5), Paused: pause(false)},
			// What egress port 101 had dropped before was not read.
			{PG: 3, Dst: 101, Packets: 5, Length: 64, Accepted: exact(5), Egress: rules.Span{Hi: 5}, Paused: pause(false)},
			{Release: true, Dst: 101, Paused: pause(true)}}}, got)
}

// Whatever a record is, it is refused or its readings are possible.
func FuzzRecord(f *testing.F) {
	f.Add([]byte(recorded))
	f.Add([]byte("{\"op\":\"reset\"}\n{\"ok\":true}\n{\"op\":\"hold\",\"dst\":1}\n{\"ok\":true}\n" +
		"{\"op\":\"send\",\"dst\":1,\"packets\":3}\n{\"ok\":true,\"counters\":{\"dropped_packets\":9007199254740992}}\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		all, err := identify.Record("r", text)
		if err != nil {
			return
		}
		require.NotEmpty(t, all)
		for _, s := range all {
			for _, x := range s {
				require.True(t, x.Release || 0 <= x.Accepted.Lo && x.Accepted.Hi <= x.Packets && 0 <= x.Egress.Lo &&
					x.Egress.Hi <= x.Packets, "%+v", x)
			}
		}
	})
}
