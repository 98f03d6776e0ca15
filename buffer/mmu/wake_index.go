package mmu

import (
	"math/bits"
	"slices"

	"github.com/cellwarden/cellwarden/cells"
)

// wakeIndex finds the lowest paused group of a pool that may resume with n free cells, in a time that grows
// with the logarithm of the number of groups: a switch of 1,000 ports looks for one after every packet.
//
// It is a tree of minima. The leaves are the wake levels of the pool's lossless groups, in the order of the groups: the
// free cells with which the group may be resumed, or neverFree if it is not paused. A level can be too low, which costs
// a look at the group. It must not be too high.
type wakeIndex struct {
	low     cells.Count   // the lowest wake level: least[1]
	members []int32       // lossless groups of the pool, in order: a group's place here is its rank
	leaves  int           // a power of 2
	least   []cells.Count // least[1] is the root, least[i] the minimum of least[2i] and least[2i+1]
}

// newWakeIndex returns the index of these groups, all of which must be looked at.
func newWakeIndex(members []int32) wakeIndex {
	leaves := 1 << bits.Len(uint(max(len(members), 1)-1))
	w := wakeIndex{members: members, leaves: leaves, least: make([]cells.Count, 2*leaves)}
	for rank := range leaves {
		w.least[leaves+rank] = neverFree
		if rank < len(members) {
			w.least[leaves+rank] = alwaysFree
		}
	}
	for i := leaves - 1; i > 0; i-- {
		w.least[i] = min(w.least[2*i], w.least[2*i+1])
	}
	w.low = w.least[1]
	return w
}

// set sets the wake level of a group.
func (w *wakeIndex) set(rank int32, level cells.Count) {
	i := w.leaves + int(rank)
	for w.least[i] = level; i > 1; {
		i /= 2
		lower := min(w.least[2*i], w.least[2*i+1])
		if w.least[i] == lower {
			return
		}
		w.least[i] = lower
	}
	w.low = w.least[1]
}

// first returns the lowest group, at or after a given one, whose wake level is not above the free cells; false if no
// group has one.
func (w *wakeIndex) first(from int, free cells.Count) (group int, ok bool) {
	rank, _ := slices.BinarySearch(w.members, int32(from))
	if rank == len(w.members) {
		return 0, false
	}
	i := w.leaves + rank
	for w.least[i] > free {
		// Up while it is the right child, and then to the right: the part of the tree that comes next.
		for i&1 == 1 {
			i /= 2
		}
		if i == 0 {
			return 0, false
		}
		i++
	}
	for i < w.leaves {
		if i *= 2; w.least[i] > free {
			i++
		}
	}
	return int(w.members[i-w.leaves]), true
}
