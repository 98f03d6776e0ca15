package pushworld

import (
	"flag"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/internal/effort"
)

var (
	oneSeed   = flag.Uint64("seed", 0, "run the history of this seed alone, and print it")
	firstSeed = flag.Uint64("first", 1, "the first seed of TestHistories and TestSeedDecides")
	histories = flag.Uint64("histories", 500, "how many histories TestHistories runs; with -short fewer")
	failures  = flag.Int("failures", 1, "after how many failures TestHistories ends")
)

// show prints a history, and how to see it again.
func show(t *testing.T, h *History) {
	t.Helper()
	t.Errorf("seed %d:\n%s\n\n%s\n\nagain: go test ./internal/pushworld -run TestHistories -v -seed %d", h.Seed,
		strings.Join(h.Lines, "\n"), strings.Join(h.Wrong, "\n"), h.Seed)
}

// ofThem is how many of n histories this run has: with -short a tenth, and two fifths under the race detector.
func ofThem(n uint64) uint64 {
	switch {
	case effort.Few():
		return n / 10
	case testing.Short():
		return 2 * n / 5
	}
	return n
}

// Whatever the world does, a push reports what is so.
func TestHistories(t *testing.T) {
	if *oneSeed != 0 {
		h := Run(t, *oneSeed, Options{Record: true})
		t.Log("\n" + strings.Join(h.Lines, "\n"))
		require.Empty(t, h.Wrong)
		return
	}
	debug.SetGCPercent(400) // most of what a history allocates lives for a moment: collecting it less often saves a third
	begin, failed, rpcs, count := time.Now(), 0, 0, ofThem(*histories)
	for seed := *firstSeed; seed < *firstSeed+count && failed < *failures; seed++ {
		h := Run(t, seed, Options{})
		if n := seed - *firstSeed + 1; n%10_000 == 0 { // a long run says how far it is
			t.Logf("%d histories, %v", n, time.Since(begin).Round(time.Second))
		}
		if rpcs += h.RPCs; len(h.Wrong) > 0 {
			failed++
			if *failures > 1 {
				t.Errorf("seed %d: %s", seed, h.Wrong[0])
				continue
			}
			show(t, Run(t, seed, Options{Record: true}))
		}
	}
	t.Logf("%d histories, %d RPCs, %v", count, rpcs, time.Since(begin).Round(time.Millisecond))
}

// A seed gives the same history each time, whether the answers of the switch are computed or were kept: one seed for
// twenty of TestHistories, and one for three hundred with other histories between.
func TestSeedDecides(t *testing.T) {
	debug.SetGCPercent(400)
	count := ofThem(*histories)
	for seed := *firstSeed; seed < *firstSeed+count/300; seed++ {
		graphs.Clear()
		first := Run(t, seed, Options{Record: true})
		for other := seed + 1; other < seed+4; other++ {
			Run(t, other, Options{})
		}
		again := Run(t, seed, Options{Record: true})
		require.Equal(t, first.Lines, again.Lines)
		require.Equal(t, first.Wrong, again.Wrong)
	}
	for seed := *firstSeed; seed < *firstSeed+count/20; seed++ {
		require.Equal(t, Run(t, seed, Options{Record: true}).Lines, Run(t, seed, Options{Record: true}).Lines)
	}
}

// Seeds whose histories have failed, for one reason or another, with an earlier version.
func TestSeedsThatFailed(t *testing.T) {
	effort.SkipShort(t, "TestHistories has some")
	debug.SetGCPercent(400)
	for _, seed := range []uint64{546, 846, 1109, 1347, 1379, 1490, 1967, 3276, 5547, 5958, 6996,
		45535, 45620, 207613, 2329, 34163, 13994, 26427, 32933, 48069, 85344, 163929, 195817,
		213943, 222573,
		254279, 290602, 305453, 325539, 350725, 355995, 429697, 442125, 449434, 509309, 512730, 518275, 529014,
		548875, 555640, 580416, 589706, 598310, 608456, 697149, 721717, 775601, 793820, 794239, 796010, 825337,
		834266, 837163, 860524, 865719, 873478, 917486, 918819, 940193, 955699, 961328, 963007, 971704, 991289,
		3054902, 3228613, 3318835, 3327417, 3391216, 3463237, 3496400, 3584775, 3621493, 3630289, 3631319, 3837438,
		3897806, 3162240, 3315603, 3410152, 3619495, 3687442, 3792295, 3935219, 4451187,
		5043979, 5106531, 5132317, 5273670, 5924061, 6102494, 7395104,
		40047845, 40063807, 40068418, 60364801, 60590816, 70011783,
		70023460, 70029369, 70049801, 81015754, 90011340, 90078052, 91007611, 91018699,
		8963, 60098241, 60437173, 60530626, 100273376, 101285432,
		103108347, 102139726, 102146241, 102258810, 102312133, 102352796,
		104261120, 105278797, 104318601, 109029203, 109252551,
		111027732, 111139705, 113345468} {
		if h := Run(t, seed, Options{}); len(h.Wrong) > 0 {
			show(t, Run(t, seed, Options{Record: true}))
		}
	}
}
