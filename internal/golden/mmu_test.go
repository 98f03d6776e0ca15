package golden_test

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/golden"
	"github.com/cellwarden/cellwarden/unit"
)

// mmuPair drives the fast MMU and the obvious one with the same operations and
// compares everything after each.
type mmuPair struct {
	t        *testing.T
	config   buffer.MMUConfig
	fast     *buffer.MMU
	slow     *golden.MMU
	resident []buffer.Packet
	readings []buffer.Reading
}

func newMMUPair(t *testing.T, c buffer.MMUConfig) *mmuPair {
	fast, err := buffer.NewMMU(c)
	require.NoError(t, err)
	c.Slices = max(c.Slices, 1)
	return &mmuPair{t: t, config: c, fast: fast, slow: golden.NewMMU(c)}
}

// do draws one operation from rng and compares.
func (p *mmuPair) do(rng *rand.Rand) {
	switch n := rng.IntN(100); {
	case n < 60:
		p.arrive(buffer.Packet{Slice: rng.IntN(p.config.Slices), Group: rng.IntN(len(p.config.Groups)),
			Queue: rng.IntN(max(len(p.config.Queues), 1)), Bytes: unit.Bytes(rng.IntN(600))})
	case n < 93:
		if len(p.resident) > 0 {
			p.leave(rng.IntN(len(p.resident)))
		}
	case n < 96:
		group := rng.IntN(len(p.config.Groups))
		to := golden.RandomGroup(rng, &p.config)
		if err := p.fast.SetGroup(group, to); err == nil {
			p.slow.SetGroup(group, to)
		} else {
			require.ErrorIs(p.t, err, buffer.ErrInUse)
		}
	case n < 98:
		slice, part := rng.IntN(p.config.Slices), int64(rng.IntN(buffer.DrainFull+1))
		group := rng.IntN(len(p.config.Groups))
		p.fast.SetDrain(slice, group, part)
		p.slow.SetDrain(false, slice, group, part)
		if len(p.config.Queues) > 0 {
			queue := rng.IntN(len(p.config.Queues))
			p.fast.SetQueueDrain(slice, queue, part)
			p.slow.SetDrain(true, slice, queue, part)
		}
	case n < 99:
		p.fast.ClearWatermarks()
		p.slow.ClearWatermarks()
	default:
		if rng.IntN(5) == 0 {
			p.fast.Reset()
			p.slow.Reset()
			p.resident = nil
		}
	}
	p.compare()
}

func (p *mmuPair) arrive(packet buffer.Packet) {
	v := p.fast.Arrive(packet)
	require.Equal(p.t, p.slow.Arrive(packet), v, "%+v", packet)
	if v.Drop == buffer.CauseNone {
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
	for more := true; more; {
		var group, want int
		var ok bool
		group, more = p.fast.Resume(packet.Slice)
		want, ok = p.slow.Resume(packet.Slice)
		require.Equal(p.t, ok, more)
		require.Equal(p.t, want, group)
	}
}

func (p *mmuPair) compare() {
	p.readings = p.fast.Snapshot(p.readings[:0])
	want := p.slow.Snapshot()
	if changes := buffer.Changes(want, p.readings); len(changes) > 0 {
		require.Empty(p.t, changes, "config %+v", p.config)
	}
	require.NoError(p.t, p.fast.Check())
}

// Two models made from the same rules and not from the same code agree on
// every counter after every operation.
func TestMMUAgreesWithTheObviousModel(t *testing.T) {
	configs := 300
	if testing.Short() {
		configs = 50
	}
	for seed := range uint64(configs) {
		rng := rand.New(rand.NewPCG(seed, 2))
		p := newMMUPair(t, golden.RandomMMU(rng))
		for range 150 {
			p.do(rng)
		}
	}
}

// FuzzMMU turns bytes into a config and operations: the first eight seed the
// config, each later pair one operation.
func FuzzMMU(f *testing.F) {
	f.Add([]byte("cellwarden fills its shared pool, pauses, drains and resumes"))
	f.Add(make([]byte, 200))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) < 8 || len(data) > 1000 {
			return
		}
		rng := rand.New(rand.NewPCG(binary.LittleEndian.Uint64(data), 3))
		p := newMMUPair(t, golden.RandomMMU(rng))
		for data = data[8:]; len(data) >= 2; data = data[2:] {
			p.do(rand.New(rand.NewPCG(uint64(binary.LittleEndian.Uint16(data)), 4)))
		}
	})
}
