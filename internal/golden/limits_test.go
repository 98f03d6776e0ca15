package golden_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/effort"
	"github.com/cellwarden/cellwarden/internal/golden"
	"github.com/cellwarden/cellwarden/unit"
)

// otherLimits changes the pool, the floor and the limits of the chip of an intent, also to what is refused.
func otherLimits(rng *rand.Rand, in buffer.Intent) buffer.Intent {
	all := in.Chip.Cell.Bytes(in.Chip.TotalCells())
	in.Pool = buffer.Pool{SizeIncludesHeadroom: rng.IntN(2) == 0, SizeIncludesReserved: rng.IntN(2) == 0}
	if rng.IntN(2) == 0 {
		in.Pool.Size = unit.Bytes(rng.Int64N(int64(all) * 9 / 8))
	}
	switch rng.IntN(3) {
	case 0:
		in.Pool.SharedHeadroom = unit.Bytes(rng.Int64N(int64(all) / 2))
	case 1:
		in.Pool.SharedHeadroomRatio = rng.IntN(8)
	}
	in.SharedFloor = unit.Percent(rng.Int64N(int64(unit.Whole) / 3))
	in.Chip.Slices = slices.Clone(in.Chip.Slices)
	for i := range in.Chip.Slices {
		in.Chip.Slices[i].Cells += in.Chip.Slices[i].Cells / 4
	}
	if rng.IntN(3) == 0 {
		in.Chip.MaxPool = in.Chip.Slices[0].Cells / 2
	}
	if rng.IntN(3) == 0 {
		in.Chip.MaxPortHeadroom = 400
	}
	if rng.IntN(3) == 0 {
		in.Chip.Ports = 1 + rng.IntN(2*len(in.Ports))
	}
	return in
}

// An admission under other limits is the one that is made anew, and Intent.Fits says what it says.
func TestUnderOtherLimits(t *testing.T) {
	first, end := effort.Seeds(2000)
	refused, admitted := 0, 0
	for seed := first; seed < end; seed++ {
		rng := rand.New(rand.NewPCG(seed, 1))
		in := golden.Random(rng)
		was, err := buffer.NewAdmission(in)
		if err != nil {
			continue
		}
		other := otherLimits(rng, in)
		fresh, want := buffer.NewAdmission(other)
		got, err := was.Under(other)
		require.Equal(t, want, err, "seed %d", seed)
		require.Equal(t, want == nil && fresh.Fits(), other.Fits(), "seed %d", seed)
		if want != nil {
			refused++
			continue
		}
		admitted++
		require.Equal(t, fresh.Denied(), got.Denied(), "seed %d", seed)
		require.Equal(t, fresh.SliceBills(), got.SliceBills(), "seed %d", seed)
	}
	require.Positive(t, refused)
	require.Positive(t, admitted)
}

// A trial of other ports is the admission of an intent that has them.
func TestTrialIsAnAdmission(t *testing.T) {
	first, end := effort.Seeds(5000) // the first of invalid ports is 78, which -short takes
	refused, admitted, invalid := 0, 0, 0
	for seed := first; seed < end; seed++ {
		rng := rand.New(rand.NewPCG(seed, 2))
		in := golden.Random(rng)
		if rng.IntN(2) == 0 {
			in = otherLimits(rng, in)
		}
		a, err := buffer.NewAdmission(in)
		if err != nil {
			continue
		}
		other, pipes := in, in.Chip.PipeCount()
		other.Ports = nil
		var like, pipe []int
		for i := range 1 + rng.IntN(2*len(in.Ports)) {
			k := rng.IntN(len(in.Ports))
			like, pipe = append(like, k), append(pipe, rng.IntN(pipes))
			p := in.Ports[k]
			p.Name, p.Pipe = fmt.Sprint("port", i), &pipe[i]
			other.Ports = append(other.Ports, p)
		}
		fresh, want := buffer.NewAdmission(other)
		got, short, err := a.Trial(like, pipe, nil)
		require.Equal(t, want == nil, err == nil, "seed %d: %v, and %v", seed, want, err)
		if err != nil {
			invalid++
			continue
		}
		d, denied := fresh.FirstDenied()
		require.Equal(t, denied, got >= 0, "seed %d", seed)
		if !denied {
			admitted++
			continue
		}
		refused++
		require.Equal(t, d.Index, got, "seed %d", seed)
		require.Equal(t, d.Shortfall, short, "seed %d", seed)
	}
	require.Positive(t, refused)
	require.Positive(t, admitted)
	require.Positive(t, invalid)
}
