package buffer

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// randomIntent is a switch of four pipes and two slices, about as large as its ports need.
func randomIntent(rng *rand.Rand) Intent {
	in := Intent{Chip: Chip{Name: "random", Cell: 256, Groups: 8, MinAlpha: -7, MaxAlpha: 3,
		Pipes: [][]int{{0}, {1, 0}, {1}, {0, 1}}}, Sizing: thresholds.IEEE{},
		Classes: []Class{
			{Name: "rdma", Priorities: []int{3, 4}, Lossless: true, QueueReserved: unit.Bytes(rng.IntN(2) * 3000)},
			{Name: "bulk", Priorities: []int{0}, Reserved: unit.Given(unit.Bytes(rng.IntN(2) * 5000))},
		}}
	for range 2 {
		in.Chip.Slices = append(in.Chip.Slices, Slice{Cells: cells.Count(8000 + rng.IntN(40000))})
	}
	switch rng.IntN(5) {
	case 0:
		in.Pool.SharedHeadroom = unit.Bytes(1+rng.IntN(20)) * 100_000
	case 1:
		in.Pool.SharedHeadroomRatio = 1 + rng.IntN(4)
	case 2:
		in.Chip.MaxPortHeadroom = cells.Count(2000 + rng.IntN(2000))
	case 3:
		in.Pool.Size, in.SharedFloor = unit.Bytes(2+rng.IntN(6))<<20, unit.Percent(rng.IntN(int(unit.Whole)/2))
	}
	kinds := 1 + rng.IntN(3)
	for i := range 1 + rng.IntN(24) {
		p := Port{Name: fmt.Sprintf("Ethernet%d", (i*7)%24), Rate: 100 * unit.Gbps, MTU: 9216,
			Cable: unit.Length(1+rng.IntN(kinds)*100) * unit.Metre, Classes: ClassSet(rng.IntN(kinds))}
		if rng.IntN(4) == 0 {
			p.Pipe = new(rng.IntN(4))
		}
		in.Ports = append(in.Ports, p)
	}
	return in
}

// oneByOne admits the ports in order, each by itself.
func (a *Admission) oneByOne() {
	copy(a.pools, a.initial)
	for i := range a.ports {
		a.ports[i].short = a.admit(a.ports[i].demand, a.ports[i].pipe)
	}
}

// All ports that are admitted at once are what they are one by one: the same cells in the pools, the same refusals, the
// same numbers of ports that fit in other placements.
func TestTogetherIsOneByOne(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	fit, refused, placed := 0, 0, 0
	for range 400 {
		in := randomIntent(rng)
		a, err := NewAdmission(in)
		require.NoError(t, err)
		pools, ports := slices.Clone(a.pools), slices.Clone(a.ports)
		a.oneByOne()
		require.Equal(t, a.pools, pools)
		require.Equal(t, a.ports, ports)
		if a.Fits() {
			fit++
		} else {
			refused++
		}
		if a.Fits() != a.admitAll() {
			require.Fail(t, "all at once differs", "%+v", in)
		}
		a.oneByOne()
		for i, got := range a.placements() {
			way := a.Ways()[i]
			trial := a.otherPlaces()
			for port, pipe := range way.Pipes {
				trial.ports[port].pipe = pipe
			}
			trial.placePools()
			trial.oneByOne()
			require.Equal(t, Placement{way.Name, trial.Fitting(), len(a.ports)}, got)
			if i > 0 && got.Fits == got.Of {
				placed++
			}
		}
	}
	require.Greater(t, min(fit, refused, placed), 50, "of each some")
}
