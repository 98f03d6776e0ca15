package world

import (
	"flag"
	"strings"
	"testing"
	"time"
)

var seedFlag = flag.Uint64("seed", 0, "run the history of this seed alone, and print it")
var countFlag = flag.Int("histories", 2000, "how many histories")

func TestHistories(t *testing.T) {
	if *seedFlag != 0 {
		h := Run(t, *seedFlag, Options{Record: true})
		t.Log("\n" + strings.Join(h.Lines, "\n"))
		for _, x := range h.Wrong {
			t.Error(x)
		}
		return
	}
	start := time.Now()
	bad, rpcs := 0, 0
	for seed := uint64(1); seed <= uint64(*countFlag); seed++ {
		h := Run(t, seed, Options{})
		rpcs += h.RPCs
		if len(h.Wrong) > 0 {
			bad++
			if bad < 40 {
				t.Logf("seed %d: %s", seed, h.Wrong[0])
			}
		}
	}
	d := time.Since(start)
	t.Logf("%d histories, %d bad, %v, %.0f/s, %d RPCs", *countFlag, bad, d, float64(*countFlag)/d.Seconds(), rpcs)
	graphs.Range(func(k, v any) bool { g := v.(*graph); t.Log(k, len(g.nodes), "nodes", g.sets, "sets"); return true })
}
