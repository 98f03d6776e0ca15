package fabric

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/credits"
	"github.com/cellwarden/cellwarden/cbfc"
	"github.com/cellwarden/cellwarden/internal/effort"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// byCredits gives every link of a network credits for priority 3 in both directions, in place of pauses.
func byCredits(net *Network, each cbfc.Credits) {
	c := &Credits{Account: cbfc.Account{Credit: 208}, Hold: 100 * unit.Nanosecond}
	c.Channels, c.Pool = reserved(map[int]cbfc.Credits{3: each})
	for i := range net.Hosts {
		net.Hosts[i].PFC = 0
	}
	for i := range net.Switches {
		for j := range net.Switches[i].Ports {
			net.Switches[i].Ports[j].PFC = 0
			backed(&net.Switches[i], j, c)
		}
	}
	for i := range net.Links {
		net.Links[i].Layer = &LinkLayer{ToA: c, ToB: c, Apply: 100 * unit.Nanosecond}
	}
}

// A ring whose switches wait for each other's credits locks as one that pauses does, and the same circle is found.
func TestRingOfCreditsLocks(t *testing.T) {
	l := circle()
	byCredits(&l.Network, 600)
	l.DeadlockEvery = unit.Millisecond
	s := l.sim(t)
	s.Run(5 * unit.Millisecond)
	delivered := s.Summary().Delivered
	s.Run(10 * unit.Millisecond)
	require.NoError(t, s.Check())
	require.Equal(t, delivered, s.Summary().Delivered, "zero throughput")
	require.Zero(t, s.Summary().Drops)
	require.Zero(t, s.Summary().PauseSent)
	cycle, locked := s.Deadlock()
	require.True(t, locked)
	require.Equal(t, "s1 Ethernet2 queue 3 -> s2 Ethernet2 queue 3 -> s3 Ethernet2 queue 3 -> s4 Ethernet2 queue 3 "+
		"-> s1 Ethernet2 queue 3", cycle.String())
	require.Len(t, s.FoundDeadlocks(), 1)
}

// Credits stop a channel and not a flow: a flow whose way is free waits behind one whose way is not. Another channel
// does not wait.
func TestVictimOfCredits(t *testing.T) {
	net := star(4)
	byCredits(&net, 600)
	net.Flows = []Flow{endless(0, 1, 3), endless(0, 2, 3), endless(0, 3, 4)}
	s := started(t, net)
	s.Block(0, 1)
	s.Run(unit.Millisecond)
	victim, other := s.Flow(1), s.Flow(2)
	s.Run(2 * unit.Millisecond)
	require.NoError(t, s.Check())
	require.Equal(t, victim.Delivered, s.Flow(1).Delivered, "the victim has stopped, and its own way is free")
	require.Greater(t, s.Flow(2).Delivered, other.Delivered+10_000)
	c, _ := s.LinkLayer(AtHost(0))
	require.EqualValues(t, 600, c.InUse[3])
	require.Greater(t, c.Channels[3].Waited, unit.Millisecond)
	require.Zero(t, s.Summary().Drops)
}

// A fat tree delivers the same by pauses and by credits, in about the same time, and neither loses a frame.
func TestTreeByPausesAndByCredits(t *testing.T) {
	effort.SkipShort(t, "it simulates a tree twice")
	run := func(change func(*Network)) *Sim {
		net := fatTree(4)
		for i := range 8 {
			net.Flows = append(net.Flows, Flow{From: i, To: 15 - i%2, Priority: 3, PCP: 3, Frame: 1048, Header: 48, Size: 3e6})
		}
		change(&net)
		s := started(t, net)
		s.Run(4 * unit.Millisecond)
		require.NoError(t, s.Check())
		require.Zero(t, s.Summary().Drops)
		require.EqualValues(t, 24_000, s.Summary().Delivered)
		return s
	}
	pauses, credits := run(func(*Network) {}), run(func(n *Network) { byCredits(n, 600) })
	require.Positive(t, pauses.Summary().PauseSent)
	require.Zero(t, credits.Summary().PauseSent)
	require.InEpsilon(t, float64(pauses.Summary().LastDelivery), float64(credits.Summary().LastDelivery), 0.05)
}

// A channel has the full rate if and only if its credits cover the round trip, sharp by one credit.
func TestFullRateIsSharp(t *testing.T) {
	const frame = 1500 // longer than the spacing, so each frame has a CF_Update of its own
	account := cbfc.Account{Credit: 254, Overhead: 40}
	for way := int64(10_000); way < 5_000_000; way = way*3 + 7 {
		bits := thresholds.FrameBits(frame)
		l := credits.Direction{Way: way, Hold: 1000, Apply: 500, Spacing: 6400, Most: 8 << 14, Timer: 250_000_000_000,
			Account: account, Pool: &cbfc.Pool{}, Channels: []credits.Channel{{Sizes: []unit.Bytes{frame}, Slow: 1}}}
		loop := cbfc.Loop{Way: way, Hold: bits + l.Hold, Apply: l.Apply, Answer: 64, Spacing: l.Spacing}
		full := cbfc.Credits(loop.Frames(bits)) * account.Packet(frame)
		for fewer := range cbfc.Credits(2) {
			l.Pool.Size = full - fewer
			l.Pool.Profiles = []cbfc.Profile{{Reserved: l.Pool.Size}}
			s := started(t, asNetwork(&l))
			s.Run(unit.Time(10 * loop.Round(bits)))
			c, _ := s.LinkLayer(AtHost(0))
			require.Equal(t, fewer == 0, c.Channels[0].Waited == 0, "way %d, %d credits: %v", way, l.Pool.Size,
				c.Channels[0].Waited)
		}
	}
}

// Frames that a dead link loses leak their credits, which come back after the link is up again. With retry no frame is
// lost.
func TestLayerOfADeadLink(t *testing.T) {
	for _, retry := range []bool{false, true} {
		net := star(2)
		byCredits(&net, 600)
		if retry {
			net.Links[0].Layer.LLR = &LLR{Frames: 200, Bytes: unit.MiB, Spacing: 2000, Timer: 50 * unit.Microsecond, Count: 3}
		}
		net.Flows = []Flow{{From: 0, To: 1, Priority: 3, PCP: 3, Frame: 1040, Size: 1040 * 4000}}
		net.Failures = []Failure{{Kind: LinkDown, Link: 0, At: 20 * unit.Microsecond, Until: 60 * unit.Microsecond}}
		s := started(t, net)
		s.Run(2 * unit.Millisecond)
		require.NoError(t, s.Check())
		tx, _ := s.LinkLayer(AtHost(0))
		rx, _ := s.LinkLayer(AtSwitch(0, 0))
		require.Zero(t, tx.InUse)
		require.Zero(t, rx.Leaked)
		require.Equal(t, retry, s.Summary().Drops == 0, "%v", s.Summary().ByReason)
		require.Equal(t, retry, rx.Channels[3].Repaired == 0)
		require.Equal(t, retry, tx.Repeated > 0)
		require.EqualValues(t, 4000, s.Summary().Delivered+s.Summary().Drops)
	}
}

// A network refuses a link layer that contradicts itself or the ends of its link.
func TestLayersRefused(t *testing.T) {
	for want, change := range map[string]func(*Network, *LinkLayer){
		"links[0].layer.errors: 7":                func(_ *Network, l *LinkLayer) { l.Errors = 7 },
		"layer.apply: -1ps":                       func(_ *Network, l *LinkLayer) { l.Apply = -1 },
		"layer.llr.frames: 0":                     func(_ *Network, l *LinkLayer) { l.LLR = &LLR{Bytes: unit.MiB} },
		"host 0: pauses for a priority":           func(n *Network, _ *LinkLayer) { n.Hosts[0].PFC = pfc.Of(3) },
		"switch 0 port 0: pauses for a priority":  func(n *Network, _ *LinkLayer) { n.Switches[0].Ports[0].PFC = pfc.Of(3) },
		"to_a.channels: none":                     func(_ *Network, l *LinkLayer) { l.ToA.Channels = 0 },
		"to_a.hold":                               func(_ *Network, l *LinkLayer) { l.ToA.Hold = -1 },
		"to_a.pool.profiles: 0":                   func(_ *Network, l *LinkLayer) { l.ToA.Pool.Profiles = nil },
		"pool.profiles[3]: credits of a priority": func(_ *Network, l *LinkLayer) { l.ToA.Channels = pfc.Of(4) },
		"credit size":                             func(_ *Network, l *LinkLayer) { l.ToA.Account.Credit = 0 },
		"CC_Updates":                              func(_ *Network, l *LinkLayer) { l.ToA.Updates.Least = 800 },
		"without the rules of other simulators":   func(n *Network, _ *LinkLayer) { n.Wire.InOrder = true },
	} {
		net := star(2)
		byCredits(&net, 600)
		a := *net.Links[0].Layer.ToA
		net.Links[0].Layer = &LinkLayer{ToA: &a, ToB: net.Links[0].Layer.ToB}
		change(&net, net.Links[0].Layer)
		_, err := New(net)
		require.ErrorContains(t, err, want)
	}
}

// A frame whose class is another one at the receiver is dropped with a reason, and its credits come back.
func TestClassMapsOfBothEndsOfACreditLink(t *testing.T) {
	net := star(2)
	byCredits(&net, 600)
	net.Flows = []Flow{flowOf(0, 1, 3, 1040, 100)}
	net.Flows[0].PCP = 4
	s := started(t, net)
	s.Run(unit.Millisecond)
	require.NoError(t, s.Check())
	require.Equal(t, map[string]int64{"channel": 100}, s.Summary().ByReason)
	c, _ := s.LinkLayer(AtHost(0))
	require.Zero(t, c.InUse)
}

// A fast run leaves out nothing of such a network, and says why.
func TestNoLeapWithCredits(t *testing.T) {
	net := star(2)
	byCredits(&net, 600)
	net.Flows = []Flow{endless(0, 1, 3)}
	require.Contains(t, started(t, net).RunFast(unit.Millisecond, nil).Refused, "credits")
}
