package fabric

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/unit"
)

// A network gives the same results whether the ends of frames at switches are events or are left out: every counter,
// time and register. The networks are plain for the most part, and have small and large pools, so that switches are
// calm and not calm in turn.
func TestLateDeparturesChangeNothing(t *testing.T) {
	var without, with, paused int64
	for seed := range networks(2 * manySeeds()) {
		r := rand.New(rand.NewPCG(seed, 16))
		net := plainNetwork(r)
		want, got := started(t, net), started(t, net)
		for i := range want.ports {
			want.ports[i].late = false
		}
		for i, end := range append(ends(r, 60*unit.Microsecond), unit.Second) {
			at := fmt.Sprintf("seed %d, run %d to %v", seed, i, end)
			require.Equal(t, want.Run(end), got.Run(end), at)
			requireSame(t, want, got, at)
		}
		without += want.taken()
		with += got.taken()
		paused += want.Summary().PauseSent
	}
	t.Logf("%d events, and %d without those that are left out; %d pauses", without, with, paused)
	require.Less(t, with, without*9/10, "events are left out")
	require.Greater(t, paused, int64(manySeeds()), "pauses")
}

// plainNetwork is a random network without schedulers and markers at most of its switches.
func plainNetwork(r *rand.Rand) Network {
	net := randomNetwork(r)
	for i := range net.Switches {
		sw := &net.Switches[i]
		sw.MMU.Pools[0].Shared = []cells.Count{300, 700, 60000}[r.IntN(3)]
		if r.IntN(4) == 0 {
			continue
		}
		for j := range sw.Ports {
			sw.Ports[j].ETS, sw.Ports[j].ECN = Scheduler{}, [Priorities]Marking{}
		}
	}
	return net
}
