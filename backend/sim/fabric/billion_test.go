package fabric

import (
	"os"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/unit"
)

// A run of a thousand million events keeps its memory and its accounts: nothing grows with time, no counter overflows,
// every frame is delivered or under way. It takes minutes, so it runs if CELLWARDEN_BILLION is set.
func TestBillionEvents(t *testing.T) {
	if os.Getenv("CELLWARDEN_BILLION") == "" {
		t.Skip("takes minutes: set CELLWARDEN_BILLION")
	}
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	s := started(t, incast(64, 4e9))
	s.Run(10 * unit.Millisecond)
	first, events := heap(), int64(0)
	for at := 100 * unit.Millisecond; events < 1e9; at += 100 * unit.Millisecond {
		events += s.Run(at)
		require.NoError(t, s.Check())
	}
	sum := s.Summary()
	last := heap()
	t.Logf("%d events, %d frames delivered, %d pauses in %v; heap %d bytes after 10 ms, %d at the end", sum.Events,
		sum.Delivered, sum.PauseSent, s.Now(), first, last)
	require.Zero(t, sum.Drops)
	require.Less(t, last, first+first/10)
}
