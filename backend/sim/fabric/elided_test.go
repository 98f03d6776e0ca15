package fabric

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/effort"
	"github.com/cellwarden/cellwarden/unit"
)

// Skipping events changes nothing: a run without an observer ends like one that
// is observed from the start, or from the middle.
func TestElidedEventsChangeNothing(t *testing.T) {
	seeds := uint64(60)
	if testing.Short() {
		seeds = 8
	}
	for seed := range seeds {
		r := rand.New(rand.NewPCG(seed, 7))
		net := incast(2+r.IntN(6), unit.Bytes(1+r.IntN(300000)))
		for i := range net.Links {
			net.Links[i].Delay = unit.Time(r.Int64N(3e6))
			if r.IntN(3) == 0 {
				net.Links[i].Delay = 0
			}
			if r.IntN(2) == 0 {
				net.Links[i].Rate = []unit.BitRate{10 * unit.Gbps, 40 * unit.Gbps, 7 * unit.Gbps}[r.IntN(3)]
			}
		}
		net.Switches[0].MMU.Pools[0].Shared = 500
		net.Switches[0].OwnXON = r.IntN(2) == 0
		for i := range net.Flows {
			f := &net.Flows[i]
			f.Start = unit.Time(r.Int64N(2e6))
			switch r.IntN(4) {
			case 0:
				f.Stop = f.Start + unit.Time(r.Int64N(5e6))
			case 1:
				f.Rate = 3 * unit.Gbps
			case 2:
				net.Flows = append(net.Flows, Flow{From: f.From, To: f.To, Priority: r.IntN(8),
					Frame: unit.Bytes(100 + r.IntN(9000)), Header: 48, Size: 40000, Start: unit.Time(r.Int64N(4e6))})
			}
		}
		var ends []unit.Time
		for at := unit.Time(0); at < 40*unit.Microsecond; {
			at += unit.Time(1 + r.Int64N(6e6))
			ends = append(ends, at)
		}
		ends = append(ends, unit.Second)
		watched, free, half := started(t, net), started(t, net), started(t, net)
		watched.Observe(func(*Event) {})
		for i, end := range ends {
			if i == len(ends)/2 {
				half.Observe(func(*Event) {})
			}
			want := watched.Run(end)
			for _, s := range []*Sim{free, half} {
				require.Equal(t, want, s.Run(end), "seed %d, run to %v", seed, end)
				require.NoError(t, s.Check())
				require.Equal(t, watched.Summary(), s.Summary(), "seed %d at %v", seed, end)
				require.Equal(t, watched.Now(), s.Now())
				require.Equal(t, watched.MMU(0).Snapshot(nil), s.MMU(0).Snapshot(nil))
				for f := range net.Flows {
					require.Equal(t, watched.Flow(f), s.Flow(f))
				}
			}
		}
	}
}

func started(t *testing.T, net Network) *Sim {
	s, err := New(net)
	require.NoError(t, err)
	return s
}

// A network gives the same results whether the ends of frames at switches are events or are left out: every counter,
// time and register. Most of their switches are elidable, and they have small and large pools, so that groups of
// the switches are paused and not paused in turn.
func TestElidedDeparturesChangeNothing(t *testing.T) {
	effort.Alone(t)
	var without, with, paused int64
	for seed := range networks(2 * manySeeds()) {
		r := rand.New(rand.NewPCG(seed, 16))
		net := plainNetwork(r)
		want, got := started(t, net), started(t, net)
		for i := range want.ports {
			want.ports[i].elidesEnds = false
		}
		for i, end := range append(ends(r, 60*unit.Microsecond), unit.Second) {
			at := fmt.Sprintf("seed %d, run %d to %v", seed, i, end)
			require.Equal(t, want.Run(end), got.Run(end), at)
			requireSame(t, want, got, at)
		}
		without += want.taken()
		with += got.taken()
		paused += want.Summary().PauseSent
	}
	t.Logf("%d events, and %d without those that are left out; %d pauses", without, with, paused)
	require.Less(t, with, without*9/10, "events are left out")
	require.Greater(t, paused, int64(manySeeds()), "pauses")
}

// plainNetwork is a random network without schedulers and markers at most of its switches.
func plainNetwork(r *rand.Rand) Network {
	net := randomNetwork(r)
	for i := range net.Switches {
		sw := &net.Switches[i]
		sw.MMU.Pools[0].Shared = []cells.Count{300, 700, 60000}[r.IntN(3)]
		if r.IntN(4) == 0 {
			continue
		}
		for j := range sw.Ports {
			sw.Ports[j].ETS, sw.Ports[j].ECN = Scheduler{}, [Priorities]Marking{}
		}
	}
	return net
}

// messages is an incast of flows that send messages, some of them with frames of several lengths, some alone at their
// host and some beside others.
func messages(r *rand.Rand) Network {
	net := incast(2+r.IntN(6), unit.Bytes(50_000+r.IntN(300_000)))
	net.Switches[0].MMU.Pools[0].Shared = 500
	for i := range net.Flows {
		f := &net.Flows[i]
		f.Start = unit.Time(r.Int64N(2e6))
		f.Sender.Message = unit.Bytes(r.IntN(5000))
		if r.IntN(2) == 0 {
			f.Sender.Frames = []unit.Bytes{1048, 200, 9000}[:1+r.IntN(3)]
		}
		other := *f
		other.Priority, other.Start = 3*r.IntN(2), unit.Time(r.Int64N(8e6))
		other.Stop = other.Start + unit.Time(1+r.Int64N(2e6))
		for range r.IntN(3) {
			net.Flows = append(net.Flows, other)
		}
	}
	return net
}

// Flows that send messages, and wait for nothing, are elided as those of flows without messages, and their results do
// not change: with an observer, which sees every event at its time, they are the same.
func TestMessagesWithoutEvents(t *testing.T) {
	all, saved, paused := int64(0), int64(0), int64(0)
	for seed := range networks(manySeeds()) {
		r := rand.New(rand.NewPCG(seed, 11))
		net := messages(r)
		watched, free, half := started(t, net), started(t, net), started(t, net)
		watched.Observe(func(*Event) {})
		for i, end := range append(ends(r, 20*unit.Microsecond), unit.Second) {
			if i == 2 {
				half.Observe(func(*Event) {})
			}
			want := watched.Run(end)
			for how, s := range map[string]*Sim{"free": free, "half": half} {
				at := fmt.Sprintf("seed %d, %s, run %d to %v", seed, how, i, end)
				require.Equal(t, want, s.Run(end), at)
				requireSame(t, watched, s, at)
			}
		}
		all, saved = all+watched.taken(), saved+watched.taken()-free.taken()
		paused += free.Summary().PauseSent
	}
	require.Greater(t, saved, all/3, "events that were left out, of %d", all)
	require.Greater(t, paused, 2*int64(manySeeds()), "pauses")
}

// A flow with a Sender is done when all its payload is sent and no frame is under way; with acknowledgements, which
// send lost frames again, when all has arrived.
func TestDoneWithASender(t *testing.T) {
	answers := ACK{Every: 2, Class: Class{Priority: 6, PCP: 6}, Timeout: 20 * unit.Microsecond}
	for name, c := range map[string]struct {
		sender Sender
		frames int64 // without those that are sent again
	}{
		"none": {Sender{}, 10}, "messages": {Sender{Message: 2500}, 12}, "acknowledged": {Sender{ACK: answers}, 10},
		"lengths": {Sender{Frames: []unit.Bytes{1048, 148}}, 19},
		"a trace": {Sender{Trace: []Burst{{0, 4000}, {unit.Microsecond, 6000}}}, 10},
	} {
		net := incast(2, 10_000)
		for i := range net.Flows {
			net.Flows[i].Sender = c.sender
			if len(c.sender.Trace) > 0 {
				net.Flows[i].Size = 0
			}
		}
		net.Failures = []Failure{{Kind: LinkDown, Link: 2, At: 2500 * unit.Nanosecond, Until: 2800 * unit.Nanosecond}}
		s := started(t, net)
		for at := unit.Time(0); at < 100*unit.Microsecond; at += unit.Microsecond / 10 {
			s.Run(at)
			for i := range net.Flows {
				f := s.Flow(i)
				done := f.Sent >= c.frames && f.Sent == f.Delivered+f.Lost+f.Refused
				if c.sender.ACK.Every > 0 {
					done = done && f.Delivered == c.frames
				}
				require.Equal(t, done, s.Done(i), "%s: flow %d at %v: %+v", name, i, at, f)
			}
		}
		require.True(t, s.Done(0) && s.Done(1), name)
		require.Positive(t, s.Flow(0).Lost+s.Flow(1).Lost, name)
	}
	endless := incast(1, 0)
	endless.Flows[0].Sender.Message = 4000
	s := started(t, endless)
	s.Run(unit.Millisecond)
	require.False(t, s.Done(0))
}
