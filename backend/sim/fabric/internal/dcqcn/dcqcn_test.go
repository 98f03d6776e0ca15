package dcqcn

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/unit"
)

// defaults are those of package fabric, with another byte counter.
func defaults(counter unit.Bytes) Parameters {
	return Parameters{Gain: 256, AlphaTimer: 55 * unit.Microsecond, Timer: 55 * unit.Microsecond, ByteCounter: counter,
		Recovery: 5, Increase: 40 * unit.Mbps, Hyper: 200 * unit.Mbps, Least: 100 * unit.Mbps}
}

// TestReaction compares the rate of one sender with values that are computed by hand.
func TestReaction(t *testing.T) {
	us := int64(unit.Microsecond)
	r := New(defaults(1<<30), 40e9)
	require.False(t, r.LimitsBelow(40e9))
	r.Sent(0, 1<<31)
	require.EqualValues(t, 0, r.counts, "nothing is counted before the first CNP")
	r.Cut(100 * us)
	require.EqualValues(t, 20e9, r.current)
	require.EqualValues(t, 40e9, r.target)
	require.EqualValues(t, alphaOne, r.alpha)
	r.catchUp(154 * us)
	require.EqualValues(t, 20e9, r.current)
	r.catchUp(155 * us) // the first of five steps back
	require.EqualValues(t, 30e9, r.current)
	require.EqualValues(t, alphaOne-alphaOne/256, r.alpha)
	r.Cut(160 * us)
	alpha := 255.0 / 256
	require.InDelta(t, 30e9*(1-alpha/2), float64(r.current), 1)
	require.EqualValues(t, 30e9, r.target)
	require.InDelta(t, (alpha*255+1)/256, float64(r.alpha)/alphaOne, 1e-9)

	r = New(defaults(1<<30), 40e9)
	r.Cut(0)
	r.Cut(0) // 10 and 20 Gb/s
	require.EqualValues(t, 10e9, r.current)
	r.catchUp(5 * 55 * us)
	require.InDelta(t, 20e9-10e9/32.0, float64(r.current), 5)
	require.EqualValues(t, 20e9, r.target)
	r.catchUp(6 * 55 * us) // additive
	require.EqualValues(t, 20.04e9, r.target)
	for range 6 {
		r.Sent(6*55*us, 1<<30)
	}
	require.EqualValues(t, 20.04e9+5*40e6+200e6, r.target, "bytes alone add R_AI five times, then both are beyond F")
	r.catchUp(int64(unit.Second))
	require.EqualValues(t, 40e9, r.target)
	require.EqualValues(t, 40e9, r.current)
	require.False(t, r.LimitsBelow(40e9))
	for range 100 {
		r.Cut(int64(unit.Second))
	}
	require.EqualValues(t, 100e6, r.current)
}

// If a flow has a rate, DCQCN takes this rate as its line rate.
func TestReactionLimited(t *testing.T) {
	r := New(defaults(10_000_000), 50e6)
	require.EqualValues(t, 50e6, r.current)
	require.True(t, r.LimitsBelow(40e9))
	r.Cut(0)
	require.EqualValues(t, 50e6, r.current, "the least rate is not above the line")
	require.Equal(t, 160*unit.Microsecond, unit.Time(r.Gap(1000)))
}

// The first mark is answered at once, and those of the interval after it together.
func TestNotifierAnswersOncePerInterval(t *testing.T) {
	n := NewNotifier(50 * unit.Picosecond)
	send, timer := n.Marked(7)
	require.True(t, send)
	require.Zero(t, timer)
	n.Send(7)
	send, timer = n.Marked(20)
	require.False(t, send)
	require.EqualValues(t, 57, timer)
	send, timer = n.Marked(30)
	require.False(t, send)
	require.Zero(t, timer, "the timer is set")
	n.Send(57)
	send, _ = n.Marked(106)
	require.False(t, send)
}
