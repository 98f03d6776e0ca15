package pushworld

import (
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/internal/effort"
)

// foundBy has for each rule the first history that finds it broken, so that it is also how many it
// takes. When a change of the world makes
// it another one, the test searches for it, which takes seconds, and names it.
var foundBy = map[Rule]uint64{LateSetsLand: 509, UndoOwn: 20, ProofIsExact: 204, NoCommitNoAnswer: 17,
	SyncedStreams: 2087, NothingWasSaid: 110, TextsCompare: 1, ChipIsCompared: 10, LinesAreChecked: 1451, EndIsNoPush: 308,
	AllIsCompared: 433, CurvesAreWhole: 718, KeepsIsAsked: 246, TwiceIsMade: 7, BusGoesOn: 39, CheckpointIsRead: 9628,
	TargetsApart: 597, EarlierSetsLand: 1566, ProofIsThePlan: 1975, OthersCommits: 1453, ClocksGoBack: 332,
	JournalIsFirst: 995, AccountIsTrue: 61,
	LastIsCompared: 2904, PortsAreWhole: 6203}

// Every rule was broken once, and pushes reported what was not so. Broken again, each is found within ten thousand
// histories, and the same history holds with the rule.
func TestBrokenRulesAreFound(t *testing.T) {
	effort.SkipShort(t, "it runs a history for each rule")
	debug.SetGCPercent(400)
	for _, rule := range Rules() {
		t.Run(string(rule), func(t *testing.T) {
			seed := findBroken(t, rule)
			require.Empty(t, Run(t, seed, Options{}).Wrong, "seed %d holds with the rule", seed)
		})
	}
}

// findBroken returns the seed of a history that finds this rule broken.
func findBroken(t *testing.T, rule Rule) uint64 {
	t.Helper()
	const most = 10_000
	if seed := foundBy[rule]; seed > 0 && len(Run(t, seed, Options{Broken: rule}).Wrong) > 0 {
		return seed
	}
	for seed := uint64(1); seed <= most; seed++ {
		if h := Run(t, seed, Options{Broken: rule}); len(h.Wrong) > 0 {
			t.Logf("found by history %d and no longer by %d, write it into foundBy: %s", seed, foundBy[rule], h.Wrong[0])
			return seed
		}
	}
	require.Fail(t, "not found", "by %d histories", most)
	return 0
}
