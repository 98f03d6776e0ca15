package buffer

import (
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/cells"
)

// Every slice of a chip may have a size of its own: a bill finds its row without looking at the others.
// When it looked at them, these took a minute of processor time.
func TestBillOfManySizes(t *testing.T) {
	const sizes = 200_000
	used := func() time.Duration {
		var u syscall.Rusage
		require.NoError(t, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	begin, b := used(), bill{at: map[billKey]int{}}
	for range 2 {
		for i := range sizes {
			if b.add("shared", cells.Count(i+1)); i%1000 == 0 && used()-begin > 4*time.Second {
				t.Fatalf("row %d after 4 s of processor time", i)
			}
		}
	}
	require.Len(t, b.rows, sizes)
	require.Equal(t, BillRow{Item: "shared", Count: 2, Each: 5, Cells: 10}, b.rows[4])
}
