package fabric

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/unit"
)

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

// Flows that send messages, and wait for nothing, have the savings of lazy ports, and their results do not change:
// with an observer, which sees every event at its time, they are the same.
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
