package method_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/thresholds/method"
	"github.com/cellwarden/cellwarden/unit"
)

var mlx5Memory = thresholds.Memory{Cell: 128}

// A NIC at 100G with the 7 m of cable that the driver assumes.
func ExampleMLX5() {
	e, err := method.MLX5{}.Explain(broadcomLink(100*unit.Gbps, 7*unit.Metre), mlx5Memory)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, t := range e.Terms {
		fmt.Printf("%-6s %v\n", t.Name, t.Bytes)
	}
	fmt.Println(e.XOFF, "in a buffer of at least", e.Size)
	for _, r := range e.Readings {
		fmt.Println(r.Name, r.Bytes)
	}
	// Output:
	// fixed  30100B
	// cable  1512B
	// frames 25068B
	// 56680B in a buffer of at least 66024B
	// exact 56680B
	// as the driver truncates 56667B
}

func TestMLX5(t *testing.T) {
	link := broadcomLink(400*unit.Gbps, 300*unit.Metre)
	e := vendorTerms(t, method.MLX5{}, link, mlx5Memory)
	require.EqualValues(t, 404668, e.XOFF, "(301 + 648) * 400 + 25,067.52")
	require.Equal(t, unit.Given[unit.Bytes](9216), e.XONOffset)
	require.Equal(t, e.XON+e.XOFF, e.Size)
	require.EqualValues(t, 3162, e.Cells)
	require.Empty(t, e.Warnings)

	link.Cable, link.Delay = 0, unit.Given(1500*unit.Nanosecond)
	measured := vendorTerms(t, method.MLX5{}, link, mlx5Memory)
	require.Equal(t, e.XOFF, measured.XOFF, "1500 ns are 300 m of fibre")
	require.Equal(t, thresholds.Measured, measured.Terms[1].Kind)
	link.Extra = unit.Microsecond
	extra := vendorTerms(t, method.MLX5{}, link, mlx5Memory)
	require.EqualValues(t, 2*50000, extra.XOFF-measured.XOFF, "a microsecond each way is 50,000 bytes each")
	require.Len(t, extra.Readings, 1)
}

func TestMLX5Refuses(t *testing.T) {
	slow := vendorTerms(t, method.MLX5{}, broadcomLink(10*unit.Gbps, 7*unit.Metre), mlx5Memory)
	require.Equal(t, vendorTerms(t, method.MLX5{}, broadcomLink(40*unit.Gbps, 7*unit.Metre), mlx5Memory).XOFF,
		slow.XOFF)
	require.Contains(t, slow.Warnings[0], "10G is computed as 40G")
	require.NoError(t, method.MLX5{}.Validate())
	vendorRefusesInput(t, method.MLX5{})
	vendorAllocates(t, method.MLX5{}, mlx5Memory)
}

func BenchmarkMLX5(b *testing.B) { vendorBenchmark(b, method.MLX5{}, mlx5Memory) }
