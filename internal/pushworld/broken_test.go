package pushworld

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Every rule was broken once, and pushes reported what was not so. Broken again, each is found within
// a thousand histories, and the same history holds with the rule.
func TestBrokenRulesAreFound(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes some hundred histories")
	}
	const most = 1000
	for _, rule := range Rules() {
		t.Run(string(rule), func(t *testing.T) {
			for seed := uint64(1); seed <= most; seed++ {
				h := Run(t, seed, Options{Broken: rule})
				if len(h.Wrong) == 0 {
					continue
				}
				require.Empty(t, Run(t, seed, Options{}).Wrong, "seed %d holds with the rule", seed)
				t.Logf("found by history %d: %s", seed, h.Wrong[0])
				return
			}
			t.Errorf("not found by %d histories", most)
		})
	}
}
