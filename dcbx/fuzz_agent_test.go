package dcbx_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/dcbx"
	"github.com/cellwarden/cellwarden/unit"
)

// FuzzAgent has a port receive any frames between its own. It keeps sending frames that can be read, and forgets every
// neighbour when its time is over.
func FuzzAgent(f *testing.F) {
	a, err := dcbx.NewAgent(port(2, true, 3))
	require.NoError(f, err)
	frame, err := a.Send(0)
	require.NoError(f, err)
	wire, err := frame.AppendTo(nil)
	require.NoError(f, err)
	f.Add(wire, []byte{}, uint16(1))
	f.Add(wire, wire, uint16(60000))
	f.Add(append(raw("0180c200000e 020000000009 88cc"), raw(head+"0000")...), wire, uint16(7))
	f.Fuzz(func(t *testing.T, first, second []byte, pause uint16) {
		a, err := dcbx.NewAgent(port(1, true, 3))
		require.NoError(t, err)
		now := unit.Time(0)
		for _, data := range [][]byte{first, second} {
			if frame, err := dcbx.DecodeFrame(data); err == nil {
				before := a.Operational()
				changed, err := a.Receive(now, &frame)
				if err != nil && !changed {
					require.Equal(t, before, a.Operational())
				}
			}
			now = max(now+unit.Time(pause)*unit.Millisecond, a.NextSend())
			a.Expire(now)
			own, err := a.Send(now)
			require.NoError(t, err)
			wire, err := own.AppendTo(nil)
			require.NoError(t, err)
			again, err := dcbx.DecodeFrame(wire)
			require.NoError(t, err)
			require.Equal(t, own, again)
			require.Greater(t, a.NextSend(), now)
		}
		for range 8 {
			end, known := a.NextExpiry()
			if !known {
				return
			}
			now = max(now, end)
			a.Expire(now)
		}
		t.Fatal("a neighbour is never forgotten")
	})
}
