package fabric

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/cbfc"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/unit"
)

// withLayers gives some links of a network credits for priority 3, and for others beside it, in one direction or in
// both, in place of pauses; some of these, and others, have errors and retry.
func withLayers(r *rand.Rand, net Network) Network {
	for i := range net.Switches {
		for j := range net.Switches[i].Ports {
			net.Switches[i].Ports[j].ECN = [Priorities]Marking{} // WRED drops what is not ECT
		}
	}
	for i := range net.Flows {
		net.Flows[i].PCP = net.Flows[i].Priority // the ends of a link have the same class map
	}
	for i := range net.Links {
		l := &net.Links[i]
		if r.IntN(4) == 0 {
			continue
		}
		c := &LinkLayer{Apply: unit.Time(r.Int64N(1e6))}
		if r.IntN(4) > 0 {
			c.ToA, c.ToB = givenTo(r, &net, l.A, l.B), givenTo(r, &net, l.B, l.A)
		}
		if r.IntN(3) == 0 {
			c.Errors = 200_000 + r.Int64N(2_000_000)
		}
		if r.IntN(2) == 0 {
			c.LLR = &LLR{Frames: 8 + r.Int64N(200), Bytes: LongestFrame + unit.Bytes(r.IntN(200_000)),
				Spacing: unit.Bytes(100 + r.IntN(4000)), Timer: 20*unit.Microsecond + 2*l.Delay, Count: 1 + r.IntN(3)}
		}
		l.Layer = c
	}
	return net
}

// givenTo returns the credits that a random end of a link gives to the other; nil: none.
func givenTo(r *rand.Rand, net *Network, to, from End) *Credits {
	if r.IntN(4) == 0 {
		return nil
	}
	c := &Credits{Account: cbfc.Account{Credit: 100 + unit.Bytes(r.IntN(109)), Overhead: unit.Bytes(r.IntN(50))},
		Updates: cbfc.Updates{Least: unit.Bytes(800 + r.IntN(8000)), Most: cbfc.SpacingStep * unit.Bytes(1+r.IntN(8)),
			Timer: unit.Time(20+r.IntN(40)) * unit.Microsecond},
		Hold: unit.Time(r.Int64N(1e6)), Channels: pfc.Of(3), Pool: cbfc.Pool{Profiles: make([]cbfc.Profile, Priorities)}}
	if r.IntN(2) == 0 {
		c.Channels |= pfc.Of(6) | pfc.Of(1)
	}
	for n := range Priorities {
		if c.Channels.Has(n) {
			p := cbfc.Profile{Reserved: 200 + cbfc.Credits(r.IntN(1000)), Mode: cbfc.ShareMode(r.IntN(3)),
				Most: cbfc.Credits(r.IntN(300)), N: r.IntN(7) - 4}
			c.Pool.Profiles[n] = p
			c.Pool.Size += p.Reserved
		}
	}
	c.Pool.Size += cbfc.Credits(r.IntN(500))
	for _, e := range [2]End{to, from} {
		if e.Switch {
			net.Switches[e.Node].Ports[e.Port].PFC = 0
		} else {
			net.Hosts[e.Node].PFC = 0
		}
	}
	if to.Switch {
		backed(&net.Switches[to.Node], to.Port, c)
	}
	return c
}

// In random networks with credits, errors and retry no credit is ever lost, no frame with credits finds its buffer
// full, and every way of running gives the same state.
func TestLayersOfRandomNetworks(t *testing.T) {
	var divided int
	var sum LayerState
	for seed := range networks(manySeeds()) {
		r := rand.New(rand.NewPCG(seed, 19))
		net := withLayers(r, randomNetwork(r))
		parts, s := sameInPartsUntil(t, r, net, fmt.Sprintf("seed %d", seed), 150*unit.Microsecond)
		divided += parts - 1
		for i := range s.ports {
			c, ok := s.LinkLayer(s.endOf(int32(i)))
			if !ok {
				continue
			}
			for n := range Priorities {
				if c.Gives.Has(n) {
					require.Zero(t, s.ports[i].past().Drops[n], "seed %d port %d channel %d: %v", seed, i, n,
						s.Summary().ByReason)
				}
				sum.Channels[0].add(&c.Channels[n])
			}
			sum.Corrupted += c.Corrupted
			sum.Repeated += c.Repeated
		}
	}
	c := &sum.Channels[0]
	require.Greater(t, divided, int(manySeeds()), "parts")
	for _, n := range []int64{c.Consumed, c.Returned, int64(c.Waited), c.Leaked, c.Repaired, sum.Corrupted, sum.Repeated} {
		require.Positive(t, n, "%+v", sum)
	}
}

// When all flows are done every credit is back: those of frames that errors destroyed too.
func TestCreditsAreConservedOnceRepaired(t *testing.T) {
	for seed := range networks(manySeeds()) {
		r := rand.New(rand.NewPCG(seed, 23))
		net := withLayers(r, randomNetwork(r))
		for i := range net.Flows {
			net.Flows[i].Sender, net.Flows[i].After, net.Flows[i].Delay = Sender{}, nil, 0
		}
		s := started(t, net)
		s.Run(2 * unit.Millisecond)
		require.NoError(t, s.Check())
		require.Zero(t, s.underWay(), "seed %d", seed)
		for i := range s.ports {
			c, ok := s.LinkLayer(s.endOf(int32(i)))
			if !ok {
				continue
			}
			require.Zero(t, c.InUse, "seed %d port %d: %+v", seed, i, c)
			require.Zero(t, c.Leaked, "seed %d port %d: %+v", seed, i, c)
		}
	}
}

// add adds the counters of another channel, for sums. The largest is the largest of all.
func (c *ChannelCounters) add(o *ChannelCounters) {
	c.Consumed += o.Consumed
	c.Returned += o.Returned
	c.MostInUse = max(c.MostInUse, o.MostInUse)
	c.Waited += o.Waited
	c.Freed += o.Freed
	c.Leaked += o.Leaked
	c.Repaired += o.Repaired
}
