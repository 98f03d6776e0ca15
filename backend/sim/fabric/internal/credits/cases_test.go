package credits

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/cbfc"
	"github.com/cellwarden/cellwarden/internal/effort"
	"github.com/cellwarden/cellwarden/unit"
)

// plain is a link of 300 m at 400G with frames of 1024 bytes, 5 credits each.
func plain(limit cbfc.Credits) Direction {
	return Direction{Way: 600_000, Spacing: 51_200, Most: 2_097_152, Timer: 10_000_000, Account: account,
		Channels: []Channel{{Limit: limit, Sizes: []unit.Bytes{1024}, Slow: 1}}}
}

// runFor runs a link whose run is consistent.
func runFor(t *testing.T, l Direction, until int64) Result {
	t.Helper()
	r, err := l.run(until, consistent(t))
	require.NoError(t, err)
	return r
}

// A corrupted frame leaks its credits: without CC_Updates the channel stops in the end, with them it goes on.
func TestLeaksStopTheLinkUnlessRepaired(t *testing.T) {
	effort.SkipShort(t, "it simulates many links")
	l := plain(800)
	l.Errors, l.Timer = 1_000_000, 0
	r := runFor(t, l, 1_000_000_000)
	require.EqualValues(t, 800, r.Channels[0].Leaked, "all of them")
	require.Less(t, r.Channels[0].Delivered, int64(40_000))
	l.Timer = 10_000_000
	r = runFor(t, l, 1_000_000_000)
	require.Greater(t, r.Channels[0].Delivered, int64(115_000), "of 119,731 that the link holds")
	require.Equal(t, 5*r.Channels[0].Lost, int64(r.Channels[0].Repaired+r.Channels[0].Leaked))
}

// LLR repeats what was corrupted: nothing is lost, in order, at the price of a round trip of frames for each error.
func TestRetryLosesNothing(t *testing.T) {
	effort.SkipShort(t, "it simulates many links")
	l := plain(1600)
	l.Errors = 20_000_000
	l.Retry = &Retry{Frames: 1000, Bytes: unit.MiB, Spacing: 16_384, Timer: 5_000_000, Count: 3}
	l.Channels[0].Frames = 100_000
	r := runFor(t, l, 2_000_000_000)
	require.EqualValues(t, 100_000, r.Channels[0].Delivered)
	require.Zero(t, r.Channels[0].Lost)
	require.Positive(t, r.Corrupted)
	require.Positive(t, r.Replays)
	require.Greater(t, r.Repeated, 100*r.Replays, "go-back-N repeats all that was sent meanwhile")
}

// A replay buffer that does not hold the round trip makes the link slower, as too few credits do.
func TestReplayBufferLimitsTheRate(t *testing.T) {
	l := plain(100_000)
	const bits = 8352
	round := int64(bits + 2*600_000 + 64 + 16_384)
	frames := (round + bits - 1) / bits
	l.Retry = &Retry{Frames: frames + 1, Bytes: unit.GiB, Spacing: 16_384, Timer: 50_000_000, Count: 3}
	l.Timer = 0
	require.Zero(t, runFor(t, l, 20_000_000).Waited)
	l.Retry.Frames = frames / 2
	r := runFor(t, l, 20_000_000)
	require.InDelta(t, 50, 100*r.Waited/r.End, 4)
}

// A link on which no frame arrives whole is given up after the replays, and its
// credits are repaired when it is well again.
func TestFlush(t *testing.T) {
	l := plain(800)
	l.Errors, l.Channels[0].Frames = 8000, 200 // each frame has a wrong bit
	l.Retry = &Retry{Frames: 100, Bytes: unit.MiB, Spacing: 16_384, Timer: 3_000_000, Count: 2}
	r := runFor(t, l, 200_000_000)
	require.Positive(t, r.Flushes)
	require.Positive(t, r.Timeouts)
	require.Positive(t, r.Channels[0].Lost)
}

// A channel that is initialized in SAI's order loses nothing. If the counters are cleared while frames are on the link,
// the sender sends what the receiver has no room for.
func TestInitializationHasAnOrder(t *testing.T) {
	l := plain(800)
	l.Channels[0].Slow, l.Channels[0].Frames = 2, 3000
	l.Channels[0].Restarts = []Restart{{At: 5_000_000}}
	r := runFor(t, l, 200_000_000)
	require.EqualValues(t, 3000, r.Channels[0].Delivered)
	require.Zero(t, r.Channels[0].InUse)
	l.Channels[0].Restarts[0].Abrupt = true
	r, err := l.Run(200_000_000)
	require.NoError(t, err)
	require.Positive(t, r.Overflow)
}

// A sender with more credits than the receiver has room for overflows it, and only then.
func TestLimitAboveTheRoom(t *testing.T) {
	l := plain(800)
	l.Channels[0].Slow, l.Room = 4, 800
	require.Zero(t, runFor(t, l, 50_000_000).Overflow)
	l.Room = 400
	r, err := l.Run(50_000_000)
	require.NoError(t, err)
	require.Positive(t, r.Overflow)
}

// Channels share the credits of a port: reserved credits are there for each, however busy the others are.
func TestPoolKeepsTheReserved(t *testing.T) {
	l := plain(0)
	l.Channels = append(l.Channels, l.Channels[0])
	l.Channels[0].Stops = []Stop{{0, 1 << 40}} // its egress is blocked
	l.Pool = &cbfc.Pool{Size: 1000, Profiles: []cbfc.Profile{{Reserved: 50, Mode: cbfc.Dynamic, N: 0},
		{Reserved: 50, Mode: cbfc.Dynamic, N: 0}}}
	r := runFor(t, l, 50_000_000)
	require.InDelta(t, 50+300, int64(r.Channels[0].Stored), 20, "reserved, and a third of the shared: both have 2^0")
	require.Positive(t, r.Channels[1].Delivered)
	l.Pool.Profiles[0] = cbfc.Profile{Reserved: 50, Mode: cbfc.UpTo}
	l.Pool.Profiles[1] = cbfc.Profile{Reserved: 50}
	r = runFor(t, l, 50_000_000)
	require.EqualValues(t, 950, r.Channels[0].Stored, "no limit: all that is shared")
	require.Positive(t, r.Channels[1].Delivered, "it has its own")
}

func TestRefusedLinks(t *testing.T) {
	for want, change := range map[string]func(*Direction){
		"way: -1":             func(l *Direction) { l.Way = -1 },
		"channels: 0":         func(l *Direction) { l.Channels = nil },
		"channels[0].sizes":   func(l *Direction) { l.Channels[0].Sizes = nil },
		"channels[0].limit":   func(l *Direction) { l.Channels[0].Limit = cbfc.MaxLimit + 1 },
		"reverse: 63":         func(l *Direction) { l.Reverse = 63 },
		"timer: 671":          func(l *Direction) { l.Timer = 671 },
		"retry.frames: 0":     func(l *Direction) { l.Retry = &Retry{Bytes: 1} },
		"pool.profiles":       func(l *Direction) { l.Pool = &cbfc.Pool{} },
		"credits are reserve": func(l *Direction) { l.Pool = &cbfc.Pool{Size: 1, Profiles: []cbfc.Profile{{Reserved: 2}}} },
		"credit size":         func(l *Direction) { l.Account.Credit = 0 },
		"stops":               func(l *Direction) { l.Channels[0].Stops = []Stop{{2, 1}} },
		"restarts":            func(l *Direction) { l.Channels[0].Restarts = []Restart{{At: 2}, {At: 1}} },
		"room":                func(l *Direction) { l.Room = -1 },
	} {
		l := plain(800)
		change(&l)
		_, err := l.Run(1)
		require.ErrorContains(t, err, want)
	}
}

// One bit in each window is wrong, also after a time of silence, which is passed at once.
func TestNoise(t *testing.T) {
	n := NewNoise(1000, 1, 1)
	wrong := 0
	for at := int64(0); at < 1_000_000; at += 10 {
		if n.Hits(at, at+10) {
			wrong++
		}
	}
	require.Equal(t, 1000, wrong)
	require.True(t, n.Hits(1<<60, 1<<60+2000), "two windows")
	never := NewNoise(0, 1, 1)
	require.False(t, never.Hits(0, 1<<60))
}
