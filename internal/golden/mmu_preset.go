package golden

import (
	"math/rand/v2"

	"github.com/cellwarden/cellwarden/asic/behaviour"
	"github.com/cellwarden/cellwarden/buffer/mmu"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// MMUPreset makes small MMUs for one chip family, so small that every account
// fills, and that a list of cells can follow them.
type MMUPreset struct {
	Name  string // as in behaviour.Families; "any" is for no family
	New   func(*rand.Rand) mmu.Config
	Group func(*rand.Rand, *mmu.Config) mmu.Group // another group for the config
}

// MMUPresets returns one preset for every chip family, and "any".
func MMUPresets() []MMUPreset {
	return []MMUPreset{
		{"any", RandomMMU, RandomGroup},
		{"xgs", newPreset(mmu.SiliconRule(), 208, 64, xgsGroup), xgsGroup},
		{"n9k", newPreset(mmu.Rule{}, 208, 0, noDropGroup), noDropGroup},
		{"silicon-one", newPreset(mmu.Rule{}, 384, 0, siliconOneGroup), siliconOneGroup},
		{"spectrum", newPreset(mmu.Rule{}, 96, 0, spectrumGroup), spectrumGroup},
		{"juniper", junosMMU, junosGroup},
	}
}

// MMUPolicies returns policies of several kinds, and nil.
func MMUPolicies() []mmu.Policy {
	return []mmu.Policy{nil, same{thresholds.Dynamic(-2)}, same{thresholds.Static(25)}, same{thresholds.Unlimited()},
		evenly{}, perBusy{}}
}

// newPreset makes configs of groups of one shape, with ports and an egress.
func newPreset(rule mmu.Rule, cell cells.Size, overhead unit.Bytes,
	group func(*rand.Rand, *mmu.Config) mmu.Group) func(*rand.Rand) mmu.Config {
	return func(rng *rand.Rand) mmu.Config {
		c := mmu.Config{Cell: cell, Overhead: overhead, Slices: 1 + rng.IntN(2), Rule: rule,
			Pools:         []mmu.Pool{{Shared: 20 + upTo[cells.Count](rng, 130)}, {Shared: upTo[cells.Count](rng, 60)}},
			HeadroomPools: []cells.Count{upTo[cells.Count](rng, 40)}}
		if odds(rng, 50) {
			c.PortPools = []mmu.PortPool{{Max: 10 + upTo[cells.Count](rng, 60)}}
		}
		fillPreset(rng, &c, group)
		return c
	}
}

// fillPreset adds groups and, often, an egress.
func fillPreset(rng *rand.Rand, c *mmu.Config, group func(*rand.Rand, *mmu.Config) mmu.Group) {
	for range 2 + rng.IntN(4) {
		c.Groups = append(c.Groups, group(rng, c))
	}
	if odds(rng, 30) {
		c.EgressPools = nil
		return
	}
	if c.EgressPools == nil {
		c.EgressPools = []mmu.Pool{{Shared: 30 + upTo[cells.Count](rng, 200)}}
	}
	if odds(rng, 50) {
		c.EgressPortPools = []mmu.PortPool{{Max: 20 + upTo[cells.Count](rng, 80)}}
	}
	for range 1 + rng.IntN(3) {
		c.Queues = append(c.Queues,
			mmu.Queue{Pool: rng.IntN(len(c.EgressPools)), PortPool: rng.IntN(len(c.EgressPortPools) + 1),
				Reserved: upTo[cells.Count](rng, 3), Limit: pick(rng, thresholds.Unlimited(), thresholds.Dynamic(0),
					thresholds.Dynamic(2)), Priority: rng.IntN(2)})
	}
}

// place binds a group to the accounts of a config.
func place(rng *rand.Rand, c *mmu.Config, g mmu.Group) mmu.Group {
	g.Pool, g.PortPool, g.Priority = rng.IntN(len(c.Pools)), rng.IntN(len(c.PortPools)+1), rng.IntN(2)
	return g
}

// xgsGroup is a group of an XGS chip.
func xgsGroup(rng *rand.Rand, c *mmu.Config) mmu.Group {
	g := place(rng, c, mmu.Group{Reserved: upTo[cells.Count](rng, 8),
		Limit: thresholds.Dynamic(thresholds.Alpha(rng.IntN(6) - 3))})
	if odds(rng, 75) {
		g.Lossless, g.Headroom, g.HeadroomPool = true, upTo[cells.Count](rng, 25), rng.IntN(2)
		g.XON = thresholds.XON{Floor: upTo[cells.Count](rng, 4), Offset: upTo[cells.Count](rng, 10), Latched: true}
	}
	return g
}

// noDropGroup is a no-drop class of a Nexus 9000.
func noDropGroup(rng *rand.Rand, c *mmu.Config) mmu.Group {
	resume := upTo[unit.Bytes](rng, 4000)
	pause := resume + upTo[unit.Bytes](rng, 4000)
	return place(rng, c, noDrop(c.Cell, pause+upTo[unit.Bytes](rng, 5000), pause, resume))
}

// noDrop is a group of a Nexus 9000 by its configuration: the cells below the pause threshold are reserved, those above
// it are headroom, and there are no shared cells. Sizes are capacities and are rounded down.
func noDrop(cell cells.Size, size, pause, resume unit.Bytes) mmu.Group {
	reserved := cell.Within(pause)
	return mmu.Group{Reserved: reserved, Limit: thresholds.Static(0), Lossless: true,
		Headroom: cell.Within(size) - reserved, XON: thresholds.XON{Floor: cell.Within(resume), Offset: reserved}}
}

// siliconOneGroup is a group of a Silicon One chip: static thresholds.
func siliconOneGroup(rng *rand.Rand, c *mmu.Config) mmu.Group {
	pause := upTo[cells.Count](rng, 40)
	return place(rng, c, mmu.Group{Limit: thresholds.Static(pause), Lossless: true,
		Headroom: upTo[cells.Count](rng, 20),
		XON:      thresholds.XON{Floor: upTo(rng, pause), Offset: pause}})
}

// spectrumGroup is a group of a Spectrum chip.
func spectrumGroup(rng *rand.Rand, c *mmu.Config) mmu.Group {
	size := 2 + upTo[cells.Count](rng, 28)
	xoff := 1 + upTo(rng, size-2)
	b := behaviour.SpectrumBuffer{Size: c.Cell.Bytes(size), XOFF: c.Cell.Bytes(xoff),
		XON: c.Cell.Bytes(pick(rng, xoff, 1+upTo(rng, xoff)))}
	if odds(rng, 25) {
		b = behaviour.SpectrumBuffer{Size: b.Size}
	}
	g, err := b.Group(c.Cell, pick(rng, thresholds.Static(upTo[cells.Count](rng, 40)),
		thresholds.Dynamic(thresholds.Alpha(rng.IntN(5)-3)), thresholds.Dynamic(1)))
	if err != nil {
		panic(err)
	}
	g.Reserved = upTo[cells.Count](rng, 4)
	if g.Lossless {
		g.HeadroomPool = rng.IntN(len(c.HeadroomPools) + 1)
	}
	return place(rng, c, g)
}

// junosMMU is the memory of a QFX switch.
func junosMMU(rng *rand.Rand) mmu.Config {
	b := behaviour.JunosBuffer{Memory: 208 * (80 + upTo[unit.Bytes](rng, 150)), IngressDedicated: 208 * 30,
		EgressDedicated: 208 * 40,
		Lossless:        upTo(rng, 40*unit.OnePercent), LosslessHeadroom: upTo(rng, 40*unit.OnePercent),
		EgressLossless: upTo(rng, 70*unit.OnePercent), EgressMulticast: 20 * unit.OnePercent}
	b.Lossy = 100*unit.OnePercent - b.Lossless - b.LosslessHeadroom
	b.EgressLossy = 80*unit.OnePercent - b.EgressLossless
	c, err := b.Config(208, 64)
	if err != nil {
		panic(err)
	}
	fillPreset(rng, &c, junosGroup)
	return c
}

// junosGroup is a group of a QFX switch.
func junosGroup(rng *rand.Rand, c *mmu.Config) mmu.Group {
	g := xgsGroup(rng, c)
	g.Pool = behaviour.JunosLossy
	if g.Lossless {
		g.Pool, g.HeadroomPool = behaviour.JunosLossless, 1
	}
	return g
}
