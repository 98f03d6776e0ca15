package identify_test

import (
	"bytes"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/internal/identify"
)

// Whatever a switch answers, a reading is an error or has drops of 0 to all packets.
func FuzzLines(f *testing.F) {
	f.Add([]byte(`{"ok":true,"counters":{"dropped_packets":3}}` + "\n" + `{"ok":true,"counters":{"dropped_packets":8}}`))
	f.Add([]byte(`{"ok":true,"counters":{"dropped_packets":-9223372036854775808}}` + "\n" +
		`{"ok":true,"counters":{"dropped_packets":9223372036854775807}}`))
	f.Add([]byte(`{"ok":true,"counters":{}}` + "\n" + `{"ok":true,"counters":{"egress_dropped_packets":99}}`))
	f.Add([]byte(`{"ok":true}`))
	f.Add([]byte(`{"ok":false,"again":true}`))
	f.Add([]byte(`null`))
	f.Add([]byte("\xff\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		l := identify.NewLines(io.Discard, bytes.NewReader(text), 0)
		for range 3 {
			r, err := l.Send(0, 3, 100, 10, 64)
			if err != nil {
				return
			}
			require.True(t, 0 <= r.Dropped && r.Dropped <= 10, "%+v", r)
			require.True(t, 0 <= r.Egress && r.Egress <= r.Dropped, "%+v", r)
		}
	})
}
