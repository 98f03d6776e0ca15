package golden_test

import (
	"encoding/binary"
	"flag"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cellwarden/cellwarden/asic/behaviour"
	"github.com/cellwarden/cellwarden/buffer/mmu"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/effort"
	"github.com/cellwarden/cellwarden/internal/golden"
	"github.com/cellwarden/cellwarden/unit"
)

// mmuPair drives the fast MMU and the obvious one with the same operations and compares everything after each.
type mmuPair struct {
	t        *testing.T
	config   mmu.Config
	fast     *mmu.MMU
	slow     *golden.MMU
	group    func(*rand.Rand, *mmu.Config) mmu.Group
	did      mmuOperations
	resident []mmu.Packet
	readings []mmu.Balance
}

// mmuOperations counts what was done.
type mmuOperations struct{ Arrive, Leave, Resume, SetGroup, SetPool, Clear, Anew int }

func (o mmuOperations) total() int {
	return o.Arrive + o.Leave + o.Resume + o.SetGroup + o.SetPool + o.Clear + o.Anew
}

func (o *mmuOperations) add(more mmuOperations) {
	o.Arrive, o.Leave, o.Resume = o.Arrive+more.Arrive, o.Leave+more.Leave, o.Resume+more.Resume
	o.SetPool += more.SetPool
	o.SetGroup, o.Clear, o.Anew = o.SetGroup+more.SetGroup, o.Clear+more.Clear, o.Anew+more.Anew
}

func newMMUPair(t *testing.T, c mmu.Config) *mmuPair {
	fast, err := mmu.New(c)
	require.NoError(t, err)
	c.Slices = max(c.Slices, 1)
	return &mmuPair{t: t, config: c, fast: fast, slow: golden.NewMMU(c)}
}

// do draws one operation from rng and compares.
func (p *mmuPair) do(rng *rand.Rand) {
	switch n := rng.IntN(200); {
	case n < 116:
		p.did.Arrive++
		p.arrive(mmu.Packet{Slice: rng.IntN(p.config.Slices), Group: rng.IntN(len(p.config.Groups)),
			Queue: rng.IntN(max(len(p.config.Queues), 1)), Bytes: unit.Bytes(rng.IntN(600))})
	case n < 176 && len(p.resident) > 0:
		p.did.Leave++
		p.leave(rng.IntN(len(p.resident)))
	case n < 184:
		p.did.Resume++
		p.resume(rng.IntN(p.config.Slices))
	case n < 188:
		p.did.SetGroup++
		p.setGroup(rng)
	case n < 190:
		p.did.SetPool++
		p.setPool(rng)
	case n < 198:
		p.did.Clear++
		p.fast.ClearWatermarks()
		p.slow.ClearWatermarks()
	default:
		p.did.Anew++
		anew := newMMUPair(p.t, p.config)
		p.fast, p.slow, p.resident = anew.fast, anew.slow, nil
	}
	p.compare()
}

func (p *mmuPair) setGroup(rng *rand.Rand) {
	group := rng.IntN(len(p.config.Groups))
	to := p.group(rng, &p.config)
	if err := p.fast.SetGroup(group, to); err == nil {
		p.slow.SetGroup(group, to)
	} else {
		require.ErrorIs(p.t, err, mmu.ErrInUse)
	}
}

// setPool changes a pool that there is, and refuses sizes below 0.
func (p *mmuPair) setPool(rng *rand.Rand) {
	slice, size := rng.IntN(p.config.Slices), cells.Count(rng.IntN(80)-2)
	for _, list := range [...]struct {
		kind  golden.PoolKind
		pools int
		set   func(slice, pool int, n cells.Count) error
	}{{golden.IngressPools, len(p.config.Pools), p.fast.SetPool},
		{golden.HeadroomPools, len(p.config.HeadroomPools), p.fast.SetHeadroomPool}} {
		if list.pools == 0 || rng.IntN(2) > 0 {
			continue
		}
		pool := rng.IntN(list.pools)
		if err := list.set(slice, pool, size); size < 0 {
			require.Error(p.t, err)
		} else {
			require.NoError(p.t, err)
			p.slow.SetPool(list.kind, slice, pool, size)
		}
	}
}

func (p *mmuPair) arrive(packet mmu.Packet) {
	v := p.fast.Arrive(packet)
	require.Equal(p.t, p.slow.Arrive(packet), v, "%+v", packet)
	if v.Trim > 0 {
		require.NotEqual(p.t, mmu.CauseNone, v.Drop)
		packet.Queue, packet.Bytes = v.Trim-1, min(packet.Bytes, p.config.Trim)
	}
	if v.Drop == mmu.CauseNone || v.Trim > 0 {
		require.Equal(p.t, p.fast.Cells(packet), v.Total())
		p.resident = append(p.resident, packet)
	} else {
		require.Zero(p.t, v.Total())
	}
}

func (p *mmuPair) leave(i int) {
	packet := p.resident[i]
	p.resident[i] = p.resident[len(p.resident)-1]
	p.resident = p.resident[:len(p.resident)-1]
	require.Equal(p.t, p.slow.Leave(packet), p.fast.Leave(packet).XON, "%+v", packet)
}

// resume lets go on who may.
func (p *mmuPair) resume(slice int) {
	for more := true; more; {
		var group, want int
		var ok bool
		group, more = p.fast.Resume(slice)
		want, ok = p.slow.Resume(slice)
		require.Equal(p.t, ok, more)
		require.Equal(p.t, want, group)
	}
}

func (p *mmuPair) compare() {
	p.readings = p.fast.Snapshot(p.readings[:0])
	want := p.slow.Snapshot()
	if !slices.Equal(want, p.readings) {
		require.Equal(p.t, want, p.readings, "config %+v", p.config)
	}
	require.NoError(p.t, p.fast.Check())
}

// Two models that are written independently from the same rules agree on every counter after every operation.
func TestMMUAgreesWithTheObviousModel(t *testing.T) {
	first, end := effort.Seeds(20)
	for i, preset := range golden.MMUPresets() {
		t.Run(preset.Name, func(t *testing.T) {
			for seed := first; seed < end; seed++ {
				rng := rand.New(rand.NewPCG(seed, uint64(i)))
				p := presetPair(t, preset, int(seed)%len(golden.MMUPolicies()), rng)
				for range 150 {
					p.do(rng)
				}
			}
		})
	}
}

// Both models trim alike: with every preset and policy, some queues send what is left of their packets to others.
func TestMMUTrimsAsTheObviousModel(t *testing.T) {
	first, end := effort.Seeds(8)
	var trimmed, dropped int64
	for i, preset := range golden.MMUPresets() {
		for seed := first; seed < end; seed++ {
			rng := rand.New(rand.NewPCG(seed, uint64(i)+100))
			p := presetPair(t, preset, int(seed)%len(golden.MMUPolicies()), rng)
			c := p.config
			c.Trim, c.Queues = unit.Bytes(1+rng.IntN(200)), slices.Clone(c.Queues)
			for q := 1; q < len(c.Queues); q++ {
				if rng.IntN(3) > 0 {
					c.Queues[q].Trim = 1
				}
			}
			c.Groups = slices.Clone(c.Groups)
			for g := range c.Groups {
				if rng.IntN(2) == 0 { // a lossless group trims nothing
					o := &c.Groups[g]
					o.Lossless, o.Headroom, o.HeadroomPool, o.Stage = false, 0, 0, mmu.Stage{}
				}
			}
			p = newMMUPair(t, c)
			p.group = preset.Group
			for range 150 {
				p.do(rng)
			}
			n := p.fast.Counters()
			require.LessOrEqual(t, n.Trimmed, n.Dropped)
			trimmed, dropped = trimmed+n.Trimmed, dropped+n.TrimDropped
		}
	}
	if end-first > 1 { // one policy alone may never trim
		require.Positive(t, trimmed-dropped)
		require.Positive(t, dropped)
	}
}

// Every family of package behaviour has a preset here.
func TestMMUPresetsAreTheBehaviours(t *testing.T) {
	var names []string
	for _, p := range golden.MMUPresets()[1:] {
		names = append(names, p.Name)
	}
	for _, b := range behaviour.Families() {
		require.Contains(t, names, b.Name)
	}
	require.Len(t, names, len(behaviour.Families()))
}

// presetPair makes a pair of a preset whose pools all have one policy.
func presetPair(t *testing.T, preset golden.MMUPreset, policy int, rng *rand.Rand) *mmuPair {
	c := preset.New(rng)
	if preset.Name != "any" {
		for _, pools := range [][]mmu.Pool{c.Pools, c.EgressPools} {
			for i := range pools {
				pools[i].Policy = golden.MMUPolicies()[policy]
			}
		}
	}
	p := newMMUPair(t, c)
	p.group = preset.Group
	return p
}

// operations makes TestMMUForLong long.
var operations = flag.Int("operations", 20_000,
	"operations of TestMMUForLong, in the preset and policy that each thousand draws")

// TestMMUForLong drives every preset with every policy in turn, a thousand
// operations each, and says how many there were of each kind:
//
//	go test ./internal/golden -run TestMMUForLong -v -timeout 0 -operations 10000000
func TestMMUForLong(t *testing.T) {
	effort.SkipShort(t, "a long test")
	presets, policies := golden.MMUPresets(), golden.MMUPolicies()
	var did mmuOperations
	for round := 0; did.total() < *operations; round++ {
		rng := rand.New(rand.NewPCG(uint64(round), 7))
		p := presetPair(t, presets[round%len(presets)], round/len(presets)%len(policies), rng)
		for range min(1000, *operations-did.total()) {
			p.do(rng)
		}
		did.add(p.did)
	}
	t.Logf("%d operations: %+v", did.total(), did)
}

// fuzzOperations is how many operations each execution of FuzzMMU does, so that
// executions times this is how many a run did.
const fuzzOperations = 256

// FuzzMMU turns bytes into a preset (the first), a policy (the second), a config (the next six) and operations (each
// later pair; when they are used up, more are drawn from them). It does fuzzOperations of them.
//
//	go test ./internal/golden -run xxx -fuzz FuzzMMU -fuzztime 1h -fuzzminimizetime 10x
//
// Without the last flag Go spends a minute on each input that it finds interesting.
func FuzzMMU(f *testing.F) {
	effort.SkipShort(f, "it does the operations of the corpus")
	f.Add([]byte("cellwarden fills its shared pool, pauses, drains and resumes"))
	for preset := range golden.MMUPresets() {
		for policy := range golden.MMUPolicies() {
			f.Add([]byte{byte(preset), byte(policy), 1, 2, 3, 4, 5, 6})
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) < 8 || len(data) > 8+2*fuzzOperations {
			return
		}
		presets, policies := golden.MMUPresets(), golden.MMUPolicies()
		seed := binary.LittleEndian.Uint64(data)
		p := presetPair(t, presets[int(data[0])%len(presets)], int(data[1])%len(policies),
			rand.New(rand.NewPCG(seed, 3)))
		for i := range fuzzOperations {
			at := 8 + 2*i
			if at+2 > len(data) {
				seed = seed*6364136223846793005 + 1442695040888963407
			} else {
				seed = uint64(binary.LittleEndian.Uint16(data[at:]))
			}
			p.do(rand.New(rand.NewPCG(seed, 4)))
		}
	})
}
