package world

import "testing"

func TestBroken(t *testing.T) {
	for _, rule := range Rules() {
		found := uint64(0)
		why := ""
		for seed := uint64(1); seed <= 1000 && found == 0; seed++ {
			if h := Run(t, seed, Options{Broken: rule}); len(h.Wrong) > 0 && len(Run(t, seed, Options{}).Wrong) == 0 {
				found, why = seed, h.Wrong[0]
			}
		}
		t.Logf("%s: %d: %s", rule, found, why)
	}
}
