package clock

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// slowClock is a clock as a list that is searched.
type slowClock struct {
	now     int64
	pending []slowEvent
	inOrder bool
	seq     uint64
}

type slowEvent struct {
	at     int64
	tie    uint64
	source int32
}

func (c *slowClock) set(source int32, at int64) {
	c.seq++
	tie := uint64(source)
	if c.inOrder {
		tie = c.seq
	}
	c.pending = append(c.pending, slowEvent{at, tie, source})
}

func (c *slowClock) cancel(source int32) {
	c.pending = slices.DeleteFunc(c.pending, func(e slowEvent) bool { return e.source == source })
}

func (c *slowClock) take(end int64) (int32, bool) {
	if len(c.pending) == 0 {
		return 0, false
	}
	first := slices.MinFunc(c.pending,
		func(a, b slowEvent) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.tie, b.tie)) })
	if first.at > end {
		return 0, false
	}
	c.now = first.at
	c.cancel(first.source)
	return first.source, true
}

// The clock gives the same events as a sorted list, in any order of setting, cancelling and taking.
func TestClock(t *testing.T) {
	seeds := uint64(200)
	if testing.Short() {
		seeds = 20
	}
	for seed := range seeds {
		r := rand.New(rand.NewPCG(seed, 1))
		sources := int32(1 + r.IntN(40))
		fast, slow := New(NewEvents(int(sources)), 1+r.Int64N(1000), r.Int64N(1<<22)), &slowClock{inOrder: seed%2 == 1}
		if slow.inOrder {
			fast.KeepOrder()
		}
		for range 2000 {
			source := r.Int32N(sources)
			switch op := r.IntN(10); {
			case op < 5 && !fast.Pending(source):
				// Mostly soon, sometimes at once or far away, often at the same time as others.
				at := fast.Now + r.Int64N(1<<uint(r.IntN(50)))>>4<<4
				fast.Set(source, at)
				slow.set(source, at)
			case op == 5:
				fast.Cancel(source)
				slow.cancel(source)
			case op == 6:
				at := fast.Now + r.Int64N(1<<20)
				if !fast.Pending(source) || fast.events[source].at > at {
					slow.cancel(source)
					slow.set(source, at)
				}
				fast.SetAtLatest(source, at)
			default:
				end := fast.Now + r.Int64N(1<<uint(r.IntN(52)))
				want, ok := slow.take(end)
				got := fast.Take(end)
				require.Equal(t, ok, got >= 0, "seed %d", seed)
				if ok {
					require.Equal(t, want, got, "seed %d", seed)
					require.Equal(t, slow.now, fast.Now)
				}
			}
		}
	}
}

// Setting and taking events allocates nothing.
func TestClockAllocates(t *testing.T) {
	c := New(NewEvents(64), 500, 1e6)
	for i := range int32(64) {
		c.Set(i, int64(i)*1000)
	}
	require.Zero(t, testing.AllocsPerRun(1000, func() {
		source := c.Take(Never - 1)
		c.Set(source, c.Now+80000+int64(source)*400000000)
	}))
}

func BenchmarkClock(b *testing.B) {
	c := New(NewEvents(512), 500, 1e6)
	for i := range int32(512) {
		c.Set(i, int64(i)*160)
	}
	b.ReportAllocs()
	for b.Loop() {
		source := c.Take(Never - 1)
		c.Set(source, c.Now+83840)
	}
}
