package golden

import (
	"math/rand/v2"

	"github.com/cellwarden/cellwarden/buffer/mmu"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// RandomMMU returns a valid config of an MMU that no chip has, so small that every account fills.
func RandomMMU(rng *rand.Rand) mmu.Config {
	c := mmu.Config{
		Cell: pick[cells.Size](rng, 64, 100, 208), Overhead: pick[unit.Bytes](rng, 0, 40, 64), Slices: rng.IntN(3),
		Rule:           mmu.Rule{LastPacket: odds(rng, 30), LimitAfter: odds(rng, 50), PauseAtLimit: odds(rng, 50)},
		GlobalHeadroom: upTo[cells.Count](rng, 4),
	}
	for range 1 + rng.IntN(2) {
		c.Pools = append(c.Pools, mmu.Pool{Shared: upTo[cells.Count](rng, 60), Policy: randomPolicy(rng)})
		c.EgressPools = append(c.EgressPools, mmu.Pool{Shared: upTo[cells.Count](rng, 90), Policy: randomPolicy(rng)})
	}
	for range rng.IntN(3) {
		c.HeadroomPools = append(c.HeadroomPools, upTo[cells.Count](rng, 20))
		c.PortPools = append(c.PortPools, mmu.PortPool{Reserved: upTo[cells.Count](rng, 5),
			Max: upTo[cells.Count](rng, 30)})
		c.EgressPortPools = append(c.EgressPortPools, mmu.PortPool{Max: upTo[cells.Count](rng, 40)})
	}
	for range 1 + rng.IntN(5) {
		c.Groups = append(c.Groups, RandomGroup(rng, &c))
	}
	for range rng.IntN(4) {
		c.Queues = append(c.Queues,
			mmu.Queue{Pool: rng.IntN(len(c.EgressPools)), PortPool: rng.IntN(len(c.EgressPortPools) + 1),
				Priority: rng.IntN(2), Reserved: upTo[cells.Count](rng, 6), Limit: randomLimit(rng)})
	}
	return c
}

// RandomGroup returns a valid group for the config.
func RandomGroup(rng *rand.Rand, c *mmu.Config) mmu.Group {
	g := mmu.Group{
		Pool: rng.IntN(len(c.Pools)), PortPool: rng.IntN(len(c.PortPools) + 1), Reserved: upTo[cells.Count](rng, 6),
		Limit:    randomLimit(rng),
		Priority: rng.IntN(2), Lossless: odds(rng, 70), GlobalHeadroom: odds(rng, 30),
		HeadroomPool: rng.IntN(len(c.HeadroomPools) + 1),
		XON: thresholds.XON{Floor: upTo[cells.Count](rng, 5), Offset: upTo[cells.Count](rng, 8),
			Latched: odds(rng, 50)},
	}
	if g.Lossless {
		g.Headroom = upTo[cells.Count](rng, 12)
	}
	if g.Headroom > 1 && !g.GlobalHeadroom && odds(rng, 30) {
		g.Stage.XOFF = upTo(rng, g.Headroom-1)
		g.Stage.XON = 1 + upTo(rng, g.Stage.XOFF)
	}
	return g
}

// randomLimit returns a limit of any kind.
func randomLimit(rng *rand.Rand) thresholds.Limit {
	a := func() thresholds.Alpha { return thresholds.Alpha(rng.IntN(7) - 4) }
	return pick(rng, thresholds.Dynamic(a()), thresholds.Dynamic(a()), thresholds.Static(upTo[cells.Count](rng, 30)),
		thresholds.Unlimited())
}

// randomPolicy returns a policy, most often none.
func randomPolicy(rng *rand.Rand) mmu.Policy {
	return pick[mmu.Policy](rng, nil, nil, perBusy{}, evenly{}, same{randomLimit(rng)})
}

// same is a policy that gives every member one limit, in place of its own.
type same struct{ limit thresholds.Limit }

// Limit returns the limit's cells.
func (p same) Limit(s mmu.Share) cells.Count { return p.limit.At(s.Free) }

// String names the policy.
func (p same) String() string { return "the same for all: " + p.limit.String() }

// evenly is a policy that divides the pool evenly among its members.
type evenly struct{}

// Limit returns an even share, rounded down.
func (evenly) Limit(s mmu.Share) cells.Count { return s.Pool / cells.Count(s.Members) }

// String names the policy.
func (evenly) String() string { return "an even share" }

// perBusy is a policy that depends on how many members are in use: half of an even share to each of them.
type perBusy struct{}

// Limit divides the pool by twice the members in use.
func (perBusy) Limit(s mmu.Share) cells.Count { return s.Pool / cells.Count(2*s.Busy) }

// String names the policy.
func (perBusy) String() string { return "half of an even share" }
