package push

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/internal/effort"
)

// The largest file of switches costs at most 256 MiB of memory, allocated in all, and each address is checked once.
func TestBudget(t *testing.T) {
	effort.SkipShort(t, "it reads lists as large as they may be")
	var b strings.Builder
	for i := range mostTargets {
		fmt.Fprintf(&b, "leaf%d:9339 profile=sonic topology=leaf%d.yaml # rack\n", i, i)
	}
	checked := 0
	address := func(s string) (string, error) { checked++; return s, nil }
	for name, text := range map[string]string{"switches": b.String(), "remarks": strings.Repeat("#\n", 8<<20)} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, _ = parseTargets("f", []byte(text), address, anyProfile)
		runtime.ReadMemStats(&after)
		require.LessOrEqual(t, int(after.TotalAlloc-before.TotalAlloc), 256<<20, name)
	}
	require.Equal(t, mostTargets, checked)
}
