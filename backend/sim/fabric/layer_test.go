package fabric

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/credits"
	"github.com/cellwarden/cellwarden/buffer/mmu"
	"github.com/cellwarden/cellwarden/cbfc"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/effort"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// reserved returns the credits of one profile for each priority.
func reserved(count map[int]cbfc.Credits) (channels pfc.Priorities, pool cbfc.Pool) {
	pool.Profiles = make([]cbfc.Profile, Priorities)
	for n, c := range count {
		pool.Profiles[n].Reserved = c
		pool.Size += c
		channels |= pfc.Of(n)
	}
	return channels, pool
}

// backed gives each channel of a switch's port a group with a cell for each credit that it can have in use.
func backed(w *Switch, port int, c *Credits) {
	for n := range Priorities {
		if c.Channels.Has(n) {
			w.Ports[port].Groups[n] = len(w.MMU.Groups)
			w.MMU.Groups = append(w.MMU.Groups, mmu.Group{Reserved: cells.Count(c.Pool.Most(n)),
				Limit: thresholds.Static(0)})
		}
	}
}

// randomLink returns a random link of package credit whose frames are sent without end or have an end: what a network
// can have too. A bit is a picosecond.
func randomLink(r *rand.Rand) credits.Direction {
	u := cbfc.Updates{Least: unit.Bytes(800 + r.IntN(8000)), Most: cbfc.SpacingStep * unit.Bytes(1+r.IntN(8)),
		Timer: unit.Time(1+r.IntN(5)) * unit.Microsecond}
	l := credits.Direction{Way: r.Int64N(400_000), Hold: 1 + r.Int64N(20_000), Apply: 1 + r.Int64N(20_000),
		Seed:    r.Uint64(),
		Account: cbfc.Account{Credit: 64 + unit.Bytes(r.IntN(512)), Overhead: unit.Bytes(r.IntN(127))},
		Spacing: 8 * int64(u.Least), Most: 8 * int64(u.Most), Timer: int64(u.Timer), Pool: &cbfc.Pool{}}
	if r.IntN(3) > 0 {
		l.Errors = 20_000 + r.Int64N(1_000_000)
	}
	if r.IntN(2) == 0 {
		spacing := 400 + r.Int64N(5000)
		l.Retry = &credits.Retry{Frames: 1 + r.Int64N(200), Bytes: unit.Bytes(LongestFrame) + unit.Bytes(r.IntN(500_000)),
			Spacing: 8 * spacing, Timer: 2*l.Way + 150_000 + r.Int64N(400_000), Count: r.IntN(2)}
	}
	for range 1 + r.IntN(4) {
		c := credits.Channel{Start: r.Int64N(100_000), Slow: 1 << r.IntN(3)}
		c.Sizes = []unit.Bytes{64 + unit.Bytes(r.IntN(1500))}
		if r.IntN(2) == 0 {
			c.Frames = 1 + r.Int64N(300)
		}
		l.Channels = append(l.Channels, c)
		p := cbfc.Profile{Reserved: 60 + cbfc.Credits(r.IntN(2000)), Mode: cbfc.ShareMode(r.IntN(3)),
			Most: cbfc.Credits(r.IntN(300)), N: r.IntN(7) - 4}
		l.Pool.Profiles = append(l.Pool.Profiles, p)
		l.Pool.Size += p.Reserved
	}
	l.Pool.Size += cbfc.Credits(r.IntN(500))
	return l
}

// asNetwork returns the link of package credit as a network: a host, the link, and a switch that sends each channel to
// a host of its own.
func asNetwork(l *credits.Direction) Network {
	const rate = unit.Tbps
	c := &Credits{Account: l.Account, Pool: cbfc.Pool{Size: l.Pool.Size, Profiles: make([]cbfc.Profile, Priorities)},
		Updates: cbfc.Updates{Least: unit.Bytes(l.Spacing / 8), Most: unit.Bytes(l.Most / 8), Timer: unit.Time(l.Timer)},
		Hold:    unit.Time(l.Hold)}
	net := Network{Hosts: make([]Host, 1+len(l.Channels)), Switches: make([]Switch, 1)}
	sw := &net.Switches[0]
	sw.MMU = mmu.Config{Cell: cells.Size(l.Account.Credit), Overhead: l.Account.Overhead,
		Pools: []mmu.Pool{{Shared: 1}}, Groups: []mmu.Group{{Limit: thresholds.Static(0)}}}
	for n, from := range l.Channels {
		c.Channels |= pfc.Of(n)
		c.Pool.Profiles[n] = l.Pool.Profiles[n]
		net.Links = append(net.Links, Link{A: AtSwitch(0, n+1), B: AtHost(n + 1), Rate: rate / unit.BitRate(from.Slow)})
		size := from.Sizes[0]
		net.Flows = append(net.Flows, Flow{From: 0, To: n + 1, Priority: n, PCP: n, Frame: size,
			Size: size * unit.Bytes(from.Frames), Start: unit.Time(from.Start)})
	}
	for range 1 + len(l.Channels) {
		sw.Ports = append(sw.Ports, SwitchPort{Tagged: true, Queues: [Priorities]int{0, 1, 2, 3, 4, 5, 6, 7}})
	}
	backed(sw, 0, c)
	layer := &LinkLayer{ToB: c, Errors: l.Errors, Apply: unit.Time(l.Apply)}
	if q := l.Retry; q != nil {
		layer.LLR = &LLR{Frames: q.Frames, Bytes: q.Bytes, Spacing: unit.Bytes(q.Spacing / 8), Timer: unit.Time(q.Timer),
			Count: q.Count}
	}
	net.Links = append(net.Links, Link{A: AtHost(0), B: AtSwitch(0, 0), Rate: rate, Delay: unit.Time(l.Way), Layer: layer})
	return net
}

// resultOf reads the result of the link from the network.
func resultOf(t *testing.T, s *Sim, l *credits.Direction) credits.Result {
	tx, ok := s.LinkLayer(AtHost(0))
	require.True(t, ok)
	rx, ok := s.LinkLayer(AtSwitch(0, 0))
	require.True(t, ok)
	out := credits.Result{Counters: rx.LinkCounters, Overflow: s.ports[s.port(AtSwitch(0, 0))].dropped()}
	out.Corrupted, out.CCSent, out.ReplayCounters = tx.Corrupted, tx.CCSent, tx.ReplayCounters
	for n := range l.Channels {
		f := s.Flow(n)
		out.Channels = append(out.Channels, credits.ChannelResult{Sent: f.Sent, Delivered: f.Delivered, Lost: f.Lost,
			Leaked: rx.Leaked[n], Repaired: cbfc.Credits(rx.Channels[n].Repaired), InUse: tx.InUse[n],
			Bits: 8 * int64(f.Bytes+20*unit.Bytes(f.Delivered))})
	}
	return out
}

// dropped returns the frames that a port has dropped.
func (p *port) dropped() (n int64) {
	for _, d := range p.past().Drops {
		n += d
	}
	return n
}

// One link gives the same in a network and by package credit, to the picosecond: every counter at random times, with
// shared credits, errors and retry.
func TestLinkIsThatOfPackageCredit(t *testing.T) {
	effort.SkipShort(t, "it simulates many links")
	var waited, lost, flushes, repaired int64
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 17))
		l := randomLink(r)
		net := asNetwork(&l)
		s := started(t, net)
		window := l.Errors
		s.ports[s.port(AtHost(0))].pausing.layer.end.SetNoise(credits.NewNoise(window, l.Seed, 1))
		s.ports[s.port(AtSwitch(0, 0))].pausing.layer.end.SetNoise(credits.NewNoise(window, l.Seed, 2))
		for _, end := range ends(r, 12*unit.Microsecond) {
			s.Run(end)
			at := fmt.Sprintf("seed %d at %v: %+v", seed, end, l)
			require.NoError(t, s.Check(), at)
			want, err := l.Run(int64(end))
			require.NoError(t, err)
			if tx, _ := s.LinkLayer(AtHost(0)); len(l.Channels) == 1 && l.Retry == nil {
				// Package credit counts the time in which the link is idle, so without that of CC_Updates.
				more := int64(tx.Channels[0].Waited) - want.Waited
				require.True(t, 0 <= more && more <= want.CCSent*672, "%d: %s", more, at)
				waited += want.Waited
			}
			want.End, want.Waited, want.Stored = 0, 0, 0
			for i := range want.Channels {
				want.Channels[i].Stored = 0
				lost += want.Channels[i].Lost
				repaired += int64(want.Channels[i].Repaired)
			}
			flushes += want.Flushes
			require.Equal(t, want, resultOf(t, s, &l), at)
		}
	}
	for _, n := range []int64{waited, lost, flushes, repaired} {
		require.Positive(t, n, "waited %d, lost %d, flushes %d, repaired %d", waited, lost, flushes, repaired)
	}
}
