package mmu

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/cells"
)

// The index finds the same group as a search through all levels, with any number of groups and in any order of changes.
func TestWakeIndex(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		members := make([]int32, r.IntN(20))
		levels := make([]cells.Count, len(members))
		next := int32(0)
		for i := range members {
			next += 1 + r.Int32N(3) // some groups belong to other pools
			members[i], levels[i] = next, alwaysFree
		}
		w := newWakeIndex(members)
		for range 100 {
			if len(members) > 0 && r.IntN(3) > 0 {
				rank := r.IntN(len(members))
				levels[rank] = []cells.Count{alwaysFree, neverFree, cells.Count(r.IntN(10))}[r.IntN(3)]
				w.set(int32(rank), levels[rank])
			}
			from, free := r.IntN(int(next)+2), cells.Count(r.IntN(10))
			lowest, want, found := cells.Count(neverFree), 0, false
			for rank, level := range levels {
				lowest = min(lowest, level)
				if !found && int(members[rank]) >= from && level <= free {
					want, found = int(members[rank]), true
				}
			}
			group, ok := w.first(from, free)
			require.Equal(t, found, ok)
			require.Equal(t, want, group)
			require.Equal(t, lowest, w.low)
		}
	}
}
