package pfc_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/unit"
)

func sender(t testing.TB, c pfc.SenderConfig) pfc.Sender {
	s, err := pfc.NewSender(c)
	require.NoError(t, err)
	return s
}

func TestSenderFrames(t *testing.T) {
	s := sender(t, pfc.SenderConfig{Source: port, Rate: 40 * unit.Gbps, Quanta: 100})
	_, send := s.Set(0, 0)
	require.False(t, send, "nothing to say")
	_, ok := s.NextRefresh()
	require.False(t, ok)

	f, send := s.Set(0, pfc.Of(3))
	require.True(t, send)
	require.Equal(t, pfc.Stop(port, pfc.Of(3), 100), f)
	_, send = s.Set(5, pfc.Of(3))
	require.False(t, send, "said already")

	f, _ = s.Set(10, pfc.Of(3, 4))
	require.Equal(t, pfc.Stop(port, pfc.Of(3, 4), 100), f, "00-18")
	at, ok := s.NextRefresh()
	require.True(t, ok)
	require.Equal(t, 10+640*unit.Nanosecond, at, "half of the pause after the last frame")
	_, send = s.Refresh(at - 1)
	require.False(t, send)
	f, send = s.Refresh(at)
	require.True(t, send)
	require.Equal(t, pfc.Stop(port, pfc.Of(3, 4), 100), f)

	f, _ = s.Set(at+1, pfc.Of(4))
	require.Equal(t, pfc.Frame{Source: port, Enabled: pfc.Of(3, 4), Quanta: [8]uint16{4: 100}}, f,
		"XON for 3, 4 goes on")
	require.Equal(t, pfc.Of(4), s.Stopped())
	f, _ = s.Set(at+2, 0)
	require.Equal(t, pfc.Stop(port, pfc.Of(4), 0), f)
	_, send = s.Refresh(math.MaxInt64)
	require.False(t, send, "nothing is stopped")
}

func TestSenderEdges(t *testing.T) {
	_, err := pfc.NewSender(pfc.SenderConfig{})
	require.ErrorContains(t, err, "rate: 0b/s is not the rate of a link (want more than 0)")

	s := sender(t, pfc.SenderConfig{Rate: math.MaxInt64, Quanta: 1})
	s.Set(0, 1)
	at, _ := s.NextRefresh()
	require.Positive(t, at, "a refresh is never due at once, or it would never end")

	s = sender(t, pfc.SenderConfig{Rate: 1})
	s.Set(math.MaxInt64-1, 1)
	at, _ = s.NextRefresh()
	require.EqualValues(t, math.MaxInt64, at)
}

// A priority that the sender wants to stop is stopped at the receiver without a gap, exactly as long as it wants. A
// link without PFC is stopped exactly while any priority is to be stopped. The link has no delay here.
func TestSenderHoldsReceiver(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	s := sender(t, pfc.SenderConfig{Source: port, Rate: 40 * unit.Gbps, Quanta: 100})
	r := receiver(t, pfc.Config{Rate: 40 * unit.Gbps, Enabled: pfc.All})
	llfc := receiver(t, pfc.Config{Rate: 40 * unit.Gbps, Link: pfc.LinkObeyed})
	now, frames := unit.Time(0), 0
	for range 2000 {
		then := now + unit.Time(rng.Int64N(int64(3*unit.Microsecond)))
		for at, ok := s.NextRefresh(); ok && at <= then; at, ok = s.NextRefresh() {
			f, send := s.Refresh(at)
			require.True(t, send)
			stop, start := r.Receive(at, f)
			require.Equal(t, none, stop|start, "no gap")
			stop, start = llfc.ReceiveLink(at, f.LinkPause())
			require.Equal(t, none, stop|start, "no gap")
			frames++
		}
		now = then
		if f, send := s.Set(now, wanted(rng)); send {
			r.Receive(now, f)
			llfc.ReceiveLink(now, f.LinkPause())
		}
		for p := range pfc.PerLink {
			require.Equal(t, s.Stopped().Has(p), r.Paused(now, p))
			require.Equal(t, s.Stopped() != 0, llfc.Paused(now, p))
		}
	}
	require.Greater(t, frames, 1000)
}

// wanted is a set of priorities, none in a quarter of the cases.
func wanted(rng *rand.Rand) pfc.Priorities {
	if rng.IntN(4) == 0 {
		return 0
	}
	return pfc.Priorities(rng.Uint32())
}
