package mmu

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// lineOf is the length of a line of the processor's cache.
const lineOf = 64

// A large network spends most of its time on fetching accounts. Groups and queues are whole lines of the cache, and
// what every packet reads of them comes first. The sizes are those of 64-bit machines.
func TestLayout(t *testing.T) {
	require.Zero(t, unsafe.Sizeof(liveGroup{})%lineOf, "group")
	require.Zero(t, unsafe.Sizeof(liveQueue{})%lineOf, "queue")
	require.EqualValues(t, lineOf, unsafe.Offsetof(liveGroup{}.held))
	require.LessOrEqual(t, unsafe.Offsetof(liveQueue{}.Queue), uintptr(lineOf))
}
