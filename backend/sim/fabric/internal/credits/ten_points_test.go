package credits

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/cbfc"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// The texts compare Ethernet's pauses with Fibre Channel's buffer-to-buffer credits in ten points. These tests show
// them, for CBFC beside both. Docs/links.md has the same ten as a table.

// 1, initial exchange: the sender has to know the receiver's room. Without it
// nothing is sent; a sender that obeys pauses begins at once.
func TestPoint1InitialExchange(t *testing.T) {
	require.Zero(t, runFor(t, plain(0), 10_000_000).Channels[0].Sent)
	var sender cbfc.Sender
	require.False(t, sender.May(1), "the zero sender has no limit")
	var obedient pfc.Receiver
	stop, _ := obedient.Receive(0, pfc.Frame{})
	require.Zero(t, stop)
}

// 2, link utilization: a pause is a frame, 672 bits on the link; a million in a second are 512 Mb/s, 672 with gap and
// preamble. A CF_Update has 64 bits, and one in 6400 bytes is 1/800 of the link at most.
func TestPoint2LinkUtilization(t *testing.T) {
	require.EqualValues(t, 672, thresholds.FrameBits(thresholds.MinFrame))
	require.EqualValues(t, 512_000_000, 1_000_000*8*thresholds.MinFrame)
	r := runFor(t, plain(800), 100_000_000)
	require.Positive(t, r.CFSent)
	require.LessOrEqual(t, r.CFSent*answerBits*800, r.End+800*answerBits)
}

// 3, duration: a pause ends by itself when its time is over. Used credits stay used, however long no update comes.
func TestPoint3Duration(t *testing.T) {
	r, err := pfc.NewReceiver(pfc.Config{Rate: 100 * unit.Gbps, Enabled: pfc.Of(3)})
	require.NoError(t, err)
	r.Receive(0, pfc.Stop(pfc.Address{}, pfc.Of(3), 1))
	at, ok := r.NextExpiry()
	require.True(t, ok)
	require.Equal(t, 5120*unit.Picosecond, at, "one quantum of 512 bit times")
	l := plain(800)
	l.Phase = 1 << 39 // no CF_Update is ever sent
	got := runFor(t, l, 1<<38)
	require.EqualValues(t, 160, got.Channels[0].Sent, "800 credits in frames of 5")
	require.Zero(t, got.Overflow)
}

// 4 and 5, when they are sent and how many: credits return all the time on a link
// without congestion, and stop when the egress stops. Pauses do the opposite.
func TestPoints4And5WhenAndHowMany(t *testing.T) {
	free := runFor(t, plain(800), 100_000_000)
	require.Zero(t, free.Waited)
	blocked := plain(800)
	blocked.Most, blocked.Channels[0].Stops = 0, []Stop{{1_000_000, 1 << 40}}
	require.Less(t, 20*runFor(t, blocked, 100_000_000).CFSent, free.CFSent)
}

// 6, direction: a sender without credits shows congestion behind the other end, whose buffer is full.
func TestPoint6Direction(t *testing.T) {
	l := plain(800)
	l.Channels[0].Slow = 4
	r := runFor(t, l, 100_000_000)
	require.Positive(t, r.Waited)
	require.Greater(t, int64(r.Channels[0].Stored), int64(350), "cells at the receiver; the others are on the cable")
	arrived := int64(600_000 + 8352) // the first frame
	require.Equal(t, (r.End-arrived)/(4*8352), r.Channels[0].Delivered, "the egress is never idle")
}

// 7, configuration: buffer-to-buffer credits are for frames, so short ones need more of them for the same link, each
// with room for the longest. CBFC's credits are bytes.
func TestPoint7Configuration(t *testing.T) {
	b := BufferToBuffer{Way: 600_000, Frame: 2048, Slow: 1}
	long := b.Full()
	b.Frame = 256
	require.Greater(t, b.Full(), 7*long)
	link := thresholds.Link{Rate: 400 * unit.Gbps, Cable: 300 * unit.Metre, MTU: 2048, LosslessMTU: 2048}
	memory := thresholds.Memory{Cell: 256}
	of := func(frame unit.Bytes) cbfc.Beside {
		b, err := cbfc.Compare(cbfc.Channel{Link: link, Memory: memory, Frame: frame})
		require.NoError(t, err)
		return b
	}
	require.Greater(t, of(256).Fibre.Cells, 7*of(2048).Fibre.Cells)
	require.InDelta(t, float64(of(2048).Credits.Credits), float64(of(256).Credits.Credits), 500)
}

// 8, troubleshooting: few CF_Updates beside waiting are the sign of congestion, many are the sign of a link that works.
func TestPoint8Troubleshooting(t *testing.T) {
	works, slow := plain(800), plain(800)
	slow.Channels[0].Slow = 40
	a, b := runFor(t, works, 50_000_000), runFor(t, slow, 50_000_000)
	require.Greater(t, a.CFSent, b.CFSent)
	require.Less(t, a.Waited, b.Waited)
}

// 9, scope: a link and its two ends are the whole model; see the package text.

// 10, distance: with too few credits for the length the link is slower, and nothing is lost. It is so for Fibre Channel
// too. Too little headroom loses frames: see the example of examples/credits.
func TestPoint10Distance(t *testing.T) {
	for _, km := range []int64{1, 5, 20} {
		l := plain(800)
		l.Way = km * 2_000_000 // 5 ns a metre at 400G
		r := runFor(t, l, 400_000_000)
		require.Zero(t, r.Overflow)
		require.Zero(t, r.Channels[0].Lost)
		require.Positive(t, r.Waited)
		got := runFibre(t, BufferToBuffer{Way: l.Way, Frame: 1024, Slow: 1, Credits: 160}, 400_000_000)
		require.Positive(t, got.Waited)
		require.LessOrEqual(t, got.Channels[0].Stored, cells.Count(160))
	}
}
