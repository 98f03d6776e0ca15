package routes

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// Every route leads nearer to its host, and each port that does is a route.
func TestRoutesAreShortest(t *testing.T) {
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 1))
		const n, ports = 9, 5
		peer := make([][]int32, n) // of each port; -1: none
		for i := range peer {
			peer[i] = make([]int32, ports)
			for j := range peer[i] {
				peer[i][j] = -1
			}
		}
		for range 14 {
			a, b, p, q := r.IntN(n), r.IntN(n), 1+r.IntN(ports-1), 1+r.IntN(ports-1)
			if a != b && peer[a][p] < 0 && peer[b][q] < 0 {
				peer[a][p], peer[b][q] = int32(b), int32(a)
			}
		}
		g := NewGraph(n, 14)
		var table Table
		var switches []*Switch
		var places []int32
		for i := range int32(n) {
			for j, to := range peer[i] {
				if to >= 0 {
					g.Link(int32(j), to)
				}
			}
			g.Switch()
			switches = append(switches, &Switch{First: i * ports, Ports: ports})
			table.Sites = append(table.Sites, Site{Port: i * ports, Place: i}) // port 0 is that of a host
			places = append(places, i)
		}
		require.NoError(t, table.Find(g, places, switches, context.Background().Err))
		for host := range int32(n) {
			far := slices.Clone(g.distances(host))
			for i := range int32(n) {
				var want []int32
				for j, to := range peer[i] {
					if to >= 0 && far[i] > 0 && far[to] == far[i]-1 {
						want = append(want, int32(j))
					}
				}
				if i == host {
					want = []int32{0}
				}
				got := table.To(switches[i], host).List()
				require.Equal(t, want, slices.Clone(got), "seed %d: switch %d to host %d", seed, i, host)
				way := table.To(switches[i], host).Choose(r.Uint64())
				require.True(t, way == -1 && len(want) == 0 || slices.Contains(want, way))
			}
		}
	}
}

// The search ends when its caller says so.
func TestFindStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var table Table
	g := NewGraph(1, 0)
	g.Switch()
	require.ErrorIs(t, table.Find(g, []int32{0}, []*Switch{{}}, ctx.Err), context.Canceled)
}
