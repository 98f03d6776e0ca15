package sonic_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/nos/sonic"
	"github.com/cellwarden/cellwarden/unit"
)

// spectrum is a Spectrum with 32 x 100G over 40 m: on each port a lossy group, two lossless ones, and 9,216 bytes
// besides. The last is inferred: it is what the results of both chips below leave when all else is accounted for.
func spectrum(size unit.Bytes) sonic.PoolInputs {
	return sonic.PoolInputs{Memory: 13945824, Cell: 96, Latency: 19 * 1024, Ports: 32, LosslessPorts: 32, Pools: 1,
		Profiles: []sonic.PoolProfile{
			{Size: size, XON: 19456, XOFF: 48128, Count: 64},
			{Lossy: true, Count: 32},
			{Size: 9216, Count: 32},
		}}
}

// shared is the same with shared headroom, where a group keeps its XON alone.
func shared(ratio int, xoff unit.Bytes) sonic.PoolInputs {
	p := spectrum(19456)
	p.Profiles[0].XOFF, p.Ratio, p.SharedHeadroom = 46080, ratio, xoff
	return p
}

// Pool sizes that SONiC's plug-in computed when it was run.
func TestPoolSizes(t *testing.T) {
	require.Equal(t, sonic.PoolSizes{Reserved: 6455296, Pool: 7490528}, spectrum(67584).Sizes())
	two := spectrum(67584)
	two.Pools = 2
	require.EqualValues(t, 3745264, two.Sizes().Pool)
	require.Equal(t, sonic.PoolSizes{Reserved: 5013504, Pool: 8932320, SharedHeadroom: 1310720}, shared(2, 0).Sizes())
	require.EqualValues(t, 9194464, shared(0, 1<<20).Sizes().Pool)
	require.EqualValues(t, 655360, shared(0, 0).Sizes().SharedHeadroom, "shared although nobody said so")

	wide := sonic.PoolInputs{Memory: 60817392, Cell: 144, Latency: 19 * 1024, Ports: 32, WidePorts: 32, WideLossy: 32,
		LosslessPorts: 32,
		Profiles: []sonic.PoolProfile{{Size: 160768, XON: 38912, XOFF: 112640, Count: 64}, {Lossy: true, Count: 32},
			{Size: 9216, Count: 32}}}
	require.EqualValues(t, 47218672, wide.Sizes().Pool, "Spectrum 3, 32 x 400G of eight lanes")
	wide.Descriptors = 33554432
	require.EqualValues(t, 47218672+32*10240-33554432, wide.Sizes().Pool)
}

// Where the reserved buffers exceed the memory, the remainder is negative, and
// nothing in SONiC says so before the profiles are written.
func ExamplePoolInputs_Sizes() {
	s := spectrum(270336).Sizes()
	fmt.Println(s.Pool, s.Overcommits())
	// Output:
	// -5485600B true
}
