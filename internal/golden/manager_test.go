package golden_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/golden"
	"github.com/cellwarden/cellwarden/unit"
)

// changesPerIntent times a thousand intents makes 100,000 random changes.
const changesPerIntent = 100

// A Manager grants every change that the slow model grants, and no other. Its state
// is then that of a plan that is made from nothing. A refusal changes nothing.
func TestManagerEqualsAPlanFromNothing(t *testing.T) {
	overSeeds(t, 1000, func(t *testing.T, rng *rand.Rand, name string) {
		in := golden.Random(rng)
		pool := in.Ports // of ports that are asked for
		in.Ports = nil
		m, err := buffer.NewManager(in)
		require.NoError(t, err, name)
		hash := m.Hash()
		for n := range changesPerIntent {
			hash = askManager(t, rng, m, pool, hash, fmt.Sprintf("%s: change %d", name, n))
		}
	})
}

// askManager makes one request of a Manager with this hash, and checks the answer and what it left. It returns the hash
// after it.
func askManager(t *testing.T, rng *rand.Rand, m *buffer.Manager, pool []buffer.Port, hash uint64, name string) uint64 {
	t.Helper()
	have, look := m.Intent(), rng.IntN(20) == 0
	var before string
	if look {
		before = jsonOf(t, m.Plan())
	}
	want, err := have, error(nil)
	want.Ports = slices.Clone(have.Ports)
	switch p := pool[rng.IntN(len(pool))]; rng.IntN(7) {
	case 0: // release
		if len(have.Ports) == 0 {
			return hash
		}
		k := rng.IntN(len(have.Ports))
		want.Ports = slices.Delete(want.Ports, k, k+1)
		require.NoError(t, m.Release(have.Ports[k].Name), name)
	case 1: // change
		if len(have.Ports) == 0 {
			return hash
		}
		k := rng.IntN(len(have.Ports))
		p.Name = have.Ports[k].Name
		if p.Pipe == nil {
			p.Pipe = have.Ports[k].Pipe
		}
		want.Ports[k] = p
		short, asked := m.WhatIf(p.Name, p)
		require.NoError(t, asked, name)
		require.Equal(t, hash, m.Hash(), name)
		err = m.Change(p.Name, p)
		require.Equal(t, short.Fits(), err == nil, name)
	case 2: // another definition of a class
		want.Classes = slices.Clone(have.Classes)
		c := &want.Classes[rng.IntN(len(want.Classes))]
		cell := int64(have.Chip.Cell)
		c.Reserved = unit.Given(unit.Bytes(rng.Int64N(100 * cell)))
		if offset := unit.Bytes(rng.Int64N(100 * cell)); !c.Credits { // there are no pauses to resume from
			c.XONOffset = unit.Given(offset)
		}
		if rng.IntN(4) == 0 {
			c.QueueReserved = unit.Bytes(rng.Int64N(10 * cell))
		}
		err = m.SetClass(c.Name, *c)
	case 3: // other classes on a port, or another state
		if len(have.Ports) == 0 {
			return hash
		}
		p := &want.Ports[rng.IntN(len(have.Ports))]
		if rng.IntN(2) == 0 {
			p.Classes = buffer.ClassSet(rng.IntN(1 << len(have.Classes)))
			if !golden.HasCredits(have, *p) && p.SharedCredits > 0 { // shared by nothing: that is refused
				p.Classes = 0
			}
			err = m.SetClasses(p.Name, p.Classes)
		} else {
			p.State = buffer.PortState(rng.IntN(3))
			err = m.SetState(p.Name, p.State)
		}
	default: // admit one or two
		for n := range 1 + rng.IntN(2) {
			p := pool[rng.IntN(len(pool))]
			p.Name = fmt.Sprintf("Ethernet%d/%d", n+2, rng.IntN(1<<30))
			p.Pipe = new(rng.IntN(have.Chip.PipeCount()))
			want.Ports = append(want.Ports, p)
		}
		err = m.Admit(want.Ports[len(have.Ports):]...)
	}
	require.Equal(t, golden.Admit(want).Fits(), err == nil, "%s: %v", name, err)
	if err != nil {
		require.ErrorIs(t, err, buffer.ErrNoFit, name)
		require.Equal(t, hash, m.Hash(), name)
		if look {
			require.Equal(t, before, jsonOf(t, m.Plan()), name)
		}
		return hash
	}
	requireFromNothing(t, m, want, look, name)
	return m.Hash()
}

// requireFromNothing compares the Manager with a plan of the same ports.
func requireFromNothing(t *testing.T, m *buffer.Manager, want buffer.Intent, look bool, name string) {
	t.Helper()
	require.Len(t, want.Ports, m.Len(), name)
	from, err := buffer.NewManager(m.Intent())
	require.NoError(t, err, name)
	require.True(t, slices.Equal(from.Slices(), m.Slices()), name)
	if !look || len(want.Ports) == 0 {
		return
	}
	plan, err := buffer.New(m.Intent())
	require.NoError(t, err, name)
	mine := m.Plan()
	mine.Warnings = slices.DeleteFunc(mine.Warnings,
		func(w string) bool { return strings.HasPrefix(w, "which pipe a port belongs to is inferred") })
	require.Equal(t, jsonOf(t, plan), jsonOf(t, mine), name)
	other, err := buffer.New(want) // in the order of the requests
	require.NoError(t, err, name)
	require.True(t, slices.Equal(other.Layout(), m.Layout()), name)
	require.Equal(t, m.Hash(), m.Clone().Hash(), name)
}

// Readers of an unchanged Manager, and readers of what a writer has published, see
// one consistent state. The race detector runs with this test.
func TestManagerWithConcurrentReaders(t *testing.T) {
	in := golden.Random(source(1))
	pool := in.Ports
	in.Ports = nil
	m, err := buffer.NewManager(in)
	require.NoError(t, err)
	var published atomic.Pointer[buffer.Manager]
	published.Store(m.Clone())
	var readers sync.WaitGroup
	done := make(chan struct{})
	for range 2 {
		readers.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				now := published.Load()
				before := now.Hash()
				if len(now.Plan().Refusals) > 0 || now.Hash() != before {
					panic("a published Manager changed")
				}
			}
		})
	}
	rng, hash := source(2), m.Hash()
	for n := range 200 {
		hash = askManager(t, rng, m, pool, hash, fmt.Sprint("change ", n))
		published.Store(m.Clone())
	}
	close(done)
	readers.Wait()
}
