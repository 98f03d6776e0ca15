package sonic_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/nos/sonic"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/thresholds/method"
	"github.com/cellwarden/cellwarden/thresholds/table"
	"github.com/cellwarden/cellwarden/unit"
)

// sonicIntent is what SONiC's plug-in was run with: groups 3 and 4 lossless with
// frames of 1024 bytes, group 0 lossy, over 40 m.
func sonicIntent(t testing.TB, chip string, memory unit.Bytes, n, lanes int, rate unit.BitRate) buffer.Intent {
	t.Helper()
	c, known := method.LookupSONiCChip(chip)
	require.True(t, known)
	in := buffer.Intent{
		Chip: buffer.Chip{Name: chip, Cell: c.Cell, Groups: 8, MinAlpha: -7, MaxAlpha: 6,
			Slices: []buffer.Slice{{Cells: cells.Size(c.Cell).Within(memory)}}},
		Sizing: method.SONiC{Chip: c, Lanes: lanes},
		Classes: []buffer.Class{{Name: "rdma", Priorities: []int{3, 4}, Lossless: true, MTU: 1024},
			{Name: "lossy", Priorities: []int{0}}},
		Ports: make([]buffer.Port, n),
	}
	for i := range in.Ports {
		in.Ports[i] = buffer.Port{Name: fmt.Sprintf("Ethernet1/%d", i+1), Rate: rate, Cable: 40 * unit.Metre, MTU: 9100}
	}
	return in
}

func sizesOf(t *testing.T, in buffer.Intent) sonic.PoolSizes {
	t.Helper()
	p, err := sonic.PoolInputsOf(in)
	require.NoError(t, err)
	return p.Sizes()
}

// Pool sizes that SONiC's plug-in computed when it was run, from an intent.
//
// Not reproduced: 185,270,272 bytes for a Spectrum-6 of 64 x 800G and 268,435,456
// bytes. Its cable, lanes and lossless frames are not known; with those of the
// others it would be 189,333,504. (It comes out for frames of 9100 bytes over
// 300 m with a ratio of 2, which nobody says it was.)
func TestPoolInputsOfAnIntent(t *testing.T) {
	one := sonicIntent(t, "spectrum-1", 13945824, 32, 4, 100*unit.Gbps)
	require.Equal(t, sonic.PoolSizes{Reserved: 6455296, Pool: 7490528}, sizesOf(t, one))
	pool, err := sonic.PoolInputsOf(one)
	require.NoError(t, err)
	pool.Pools = 2
	require.EqualValues(t, 3745264, pool.Sizes().Pool)

	three := sonicIntent(t, "spectrum-3", 60817392, 32, 8, 400*unit.Gbps)
	require.EqualValues(t, 47218672, sizesOf(t, three).Pool)
	six := sonicIntent(t, "spectrum-6", 268435456, 64, 8, 800*unit.Gbps)
	require.EqualValues(t, 189333504, sizesOf(t, six).Pool)

	one.Pool.SharedHeadroomRatio = 2
	require.Equal(t, sonic.PoolSizes{Reserved: 5013504, Pool: 8932320, SharedHeadroom: 1310720}, sizesOf(t, one))
	one.Pool = buffer.Pool{SharedHeadroom: 1 << 20}
	require.EqualValues(t, 9194464, sizesOf(t, one).Pool)
	one.Sizing = thresholds.IEEE{}
	require.EqualValues(t, 9194464, sizesOf(t, one).Pool, "SONiC does not ask how others size")

	one.Ports[0].State, one.Ports[1].Classes = buffer.PortAdminDown, buffer.Classes(1)
	less, err := sonic.PoolInputsOf(one)
	require.NoError(t, err)
	require.Equal(t, []int{31, 30}, []int{less.Ports, less.LosslessPorts})

	one.Chip.Name = "tomahawk"
	_, err = sonic.PoolInputsOf(one)
	require.ErrorContains(t, err, "chip tomahawk: SONiC computes pools for NVIDIA's chips alone")
	_, err = sonic.PoolInputsOf(buffer.Intent{})
	require.ErrorIs(t, err, buffer.ErrInvalid)
}

// An intent whose buffers exceed the memory: cellwarden refuses it, SONiC computes
// a pool below zero and goes on.
func ExamplePoolInputsOf() {
	in := sonicIntent(&testing.T{}, "spectrum-1", 13945824, 32, 4, 100*unit.Gbps)
	in.Sizing = &table.Table{Name: "far.ini", Rows: []table.Row{{Rate: 100 * unit.Gbps, Cable: 40 * unit.Metre,
		Size: 270336, XON: 19456, XOFF: 250880}}}
	plan, err := buffer.New(in)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(plan.Err())
	pool, err := sonic.PoolInputsOf(in)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("SONiC:", pool.Sizes().Pool, "negative:", pool.Sizes().Overcommits())
	// Output:
	// ingress buffer allocation failed for interface Ethernet1/26: group 4 needs 2,817 cells in slice 0 and has 1,602: 1,215 short
	// SONiC: -5485600B negative: true
}
