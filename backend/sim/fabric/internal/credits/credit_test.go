package credits

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/cbfc"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/effort"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// account counts packets in credits of 254 bytes, as Tomahawk 3 stores them.
var account = cbfc.Account{Credit: 254, Overhead: 40}

// consistent checks what holds at every moment of a link whose channels begin in order: no buffer overflows, no channel
// has more in use than it may, and each credit is in one place.
func consistent(t *testing.T) func(*run) {
	return func(s *run) {
		total := cells.Count(0)
		for i := range s.Channels {
			sender, receiver := &s.near.Sender.Ends[i], &s.far.Receiver.Ends[i]
			limit := sender.Limit
			if s.Pool != nil {
				limit = s.Pool.Size
			}
			switch total += s.channels[i].stored; {
			case sender.InUse() > limit:
				t.Fatalf("channel %d at %d: %d credits in use, limit %d", i, s.now, sender.InUse(), limit)
			case s.channels[i].stored > cells.Count(sender.InUse()):
				t.Fatalf("channel %d at %d: %d cells stored, %d credits in use", i, s.now, s.channels[i].stored, sender.InUse())
			case s.channels[i].underway+s.far.leaked[i] != sender.Consumed.Since(receiver.Consumed) || s.far.leaked[i] < 0:
				t.Fatalf("channel %d at %d: %d under way, %d leaked, %d consumed and not arrived", i, s.now, s.channels[i].underway,
					s.far.leaked[i], sender.Consumed.Since(receiver.Consumed))
			}
		}
		if total > s.room || s.result.Overflow > 0 {
			t.Fatalf("at %d: %d cells of %d, %d overflows", s.now, total, s.room, s.result.Overflow)
		}
	}
}

// quiet is consistent, and ends the run when every frame was sent and every credit is back.
func quiet(t *testing.T) func(*run) {
	holds := consistent(t)
	return func(s *run) {
		holds(s)
		for i, c := range s.Channels {
			if s.result.Channels[i].Sent < c.Frames || s.near.Sender.Ends[i].InUse() > 0 || s.channels[i].clear ||
				s.far.Receiver.Off[i] {
				return
			}
		}
		s.queue = s.queue[:0]
	}
}

// random returns a random link, whose channels have an end.
func random(r *rand.Rand) Direction {
	l := Direction{Way: r.Int64N(200_000), Hold: r.Int64N(20_000), Apply: r.Int64N(20_000), Seed: r.Uint64(),
		Account: cbfc.Account{Credit: 64 + unit.Bytes(r.IntN(512)), Overhead: unit.Bytes(r.IntN(144)) - 16},
		Spacing: 6400 + r.Int64N(60_000), Most: 131_072 + r.Int64N(1<<20), Timer: 50_000 + r.Int64N(2_000_000)}
	if r.IntN(2) == 0 {
		l.Reverse = 672 + r.Int64N(73_000)
	}
	if r.IntN(3) > 0 {
		l.Errors = 20_000 + r.Int64N(500_000)
	}
	if r.IntN(2) == 0 {
		l.Retry = &Retry{Frames: 1 + r.Int64N(200), Bytes: unit.Bytes(10_000 + r.IntN(500_000)),
			Spacing: 3200 + r.Int64N(40_000), Timer: 2*l.Way + 150_000 + r.Int64N(400_000), Count: 1 + r.IntN(5)}
	}
	for range 1 + r.IntN(4) {
		c := Channel{Limit: 60 + cbfc.Credits(r.IntN(2000)), Frames: 1 + r.Int64N(300), Start: r.Int64N(100_000),
			Slow: r.Int64N(4)}
		for range 1 + r.IntN(4) {
			c.Sizes = append(c.Sizes, 64+unit.Bytes(r.IntN(1500)))
		}
		if r.IntN(2) == 0 {
			from := r.Int64N(500_000)
			c.Stops = []Stop{{from, from + r.Int64N(2_000_000)}}
		}
		if r.IntN(3) == 0 {
			c.Restarts = []Restart{{At: c.Start + r.Int64N(1_000_000)}}
		}
		l.Channels = append(l.Channels, c)
	}
	if r.IntN(3) == 0 {
		l.Pool = &cbfc.Pool{}
		for i := range l.Channels {
			p := cbfc.Profile{Reserved: 60 + cbfc.Credits(r.IntN(100)), Mode: cbfc.ShareMode(r.IntN(3)),
				Most: cbfc.Credits(r.IntN(300)), N: r.IntN(7) - 4}
			l.Pool.Profiles = append(l.Pool.Profiles, p)
			l.Pool.Size += p.Reserved
			l.Channels[i].Limit = 0
		}
		l.Pool.Size += cbfc.Credits(r.IntN(1000))
	}
	return l
}

// On random links, with errors, retry, stopped egresses and initializations: never an overflow, and when all is quiet
// every credit is back, every frame was delivered or lost on the link, and with retry none was lost unless it was given
// up.
func TestRandomLinks(t *testing.T) {
	effort.SkipShort(t, "it simulates many links")
	var total Result
	for seed := range uint64(400) {
		l := random(rand.New(rand.NewPCG(seed, 0)))
		r, err := l.run(1<<29, quiet(t))
		require.NoError(t, err, "seed %d", seed)
		for i, c := range r.Channels {
			require.Equal(t, l.Channels[i].Frames, c.Sent, "seed %d channel %d: %+v", seed, i, r)
			require.Equal(t, c.Sent, c.Delivered+c.Lost, "seed %d", seed)
			require.Zero(t, c.InUse, "seed %d", seed)
			require.Zero(t, c.Leaked, "seed %d", seed)
			if l.Retry != nil && r.Flushes == 0 {
				require.Zero(t, c.Lost, "seed %d", seed)
			}
			total.Channels = append(total.Channels, c)
		}
		total.Corrupted += r.Corrupted
		total.Flushes += r.Flushes
		total.CFLost += r.CFLost
		total.CCLost += r.CCLost
		total.Repeated += r.Repeated
		total.Duplicates += r.Duplicates
		total.Timeouts += r.Timeouts
	}
	for _, n := range []int64{total.Corrupted, total.Flushes, total.CFLost, total.CCLost, total.Repeated, total.Duplicates,
		total.Timeouts} {
		require.Positive(t, n, "%+v", total)
	}
}

// sized is a link whose size package cbfc states.
type sized struct {
	way cbfc.Loop
	l   Direction
	bit int64 // of a frame
	per cbfc.Credits
}

// fromLoop sets the times of a link so that a frame's way is that of a loop of
// package cbfc, whose frames leave the receiver in their own time.
func fromLoop(l cbfc.Loop, frame int64) Direction {
	return Direction{Way: l.Way, Hold: l.Hold - frame, Apply: l.Apply, Spacing: l.Spacing, Reverse: l.Reverse}
}

// sizedLink returns a random link with an idle reverse direction.
func sizedLink(r *rand.Rand) sized {
	size := unit.Bytes(64 + r.IntN(9000))
	s := sized{bit: thresholds.FrameBits(size), per: account.Packet(size)}
	s.way = cbfc.Loop{Way: r.Int64N(400_000), Hold: s.bit + r.Int64N(50_000), Apply: r.Int64N(50_000), Answer: 64,
		Spacing: 8 * (800 + r.Int64N(8000))}
	s.l = fromLoop(s.way, s.bit)
	s.l.Account = account
	s.l.Channels = []Channel{{Sizes: []unit.Bytes{size}, Slow: 1}}
	return s
}

// with runs the link with a number of credits and the first CF_Update at a time.
func (s *sized) with(t *testing.T, credits cbfc.Credits, phase, until int64) Result {
	s.l.Channels[0].Limit, s.l.Phase = credits, phase
	r, err := s.l.run(until, consistent(t))
	require.NoError(t, err)
	return r
}

// The sizes of package cbfc are sharp. With as many credits as it states the sender never waits, wherever the
// CF_Updates fall; with one less it waits, if they fall badly. With fewer than Least it loses rate for good.
func TestSizesAreSharp(t *testing.T) {
	effort.SkipShort(t, "it simulates many links")
	for seed := range uint64(120) {
		r := rand.New(rand.NewPCG(seed, 1))
		s := sizedLink(r)
		freed := s.way.Round(s.bit) - s.way.Way - 64 - s.way.Apply // when the first frame counts as freed
		full, least := cbfc.Credits(s.way.Frames(s.bit))*s.per, cbfc.Credits(s.way.Least(s.bit))*s.per
		until := 6 * (s.way.Round(s.bit) + s.way.Spacing + s.bit)
		badly := freed + s.bit - 1 // one bit before the second frame
		phases := []int64{0}
		if s.bit < s.way.Spacing { // otherwise each frame has its own CF_Update at once
			phases = append(phases, badly, freed+r.Int64N(s.way.Spacing))
		}
		for _, phase := range phases {
			require.Zero(t, s.with(t, full, phase, until).Waited, "seed %d: %d credits, phase %d", seed, full, phase)
		}
		waited := int64(0)
		for _, phase := range phases[:min(2, len(phases))] {
			waited += s.with(t, full-1, phase, until).Waited
		}
		require.Positive(t, waited, "seed %d: %d credits: %+v", seed, full-1, s.way)
		// For good: it waits in the second half of a long run too.
		periods := 400 * max(s.way.Spacing, s.bit)
		if seed < 20 {
			half, all := s.with(t, least-1, 0, until+periods), s.with(t, least-1, 0, until+2*periods)
			require.Greater(t, all.Waited, half.Waited, "seed %d: %d credits", seed, least-1)
			half, all = s.with(t, least, 0, until+periods), s.with(t, least, 0, until+2*periods)
			require.Equal(t, half.Waited, all.Waited, "seed %d: %d credits", seed, least)
		}
	}
}

// With a busy reverse direction the size is enough.
func TestSizesCoverABusyReverse(t *testing.T) {
	effort.SkipShort(t, "it simulates long cables")
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 2))
		s := sizedLink(r)
		s.way.Reverse = 672 + r.Int64N(73_000)
		s.l.Reverse = s.way.Reverse
		full := cbfc.Credits(s.way.Frames(s.bit)) * s.per
		got := s.with(t, full, r.Int64N(100_000), 10*(s.way.Round(s.bit)+s.way.Spacing+s.way.Reverse))
		require.Zero(t, got.Waited, "seed %d", seed)
	}
}
