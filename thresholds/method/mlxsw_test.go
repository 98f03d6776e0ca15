package method_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/thresholds/method"
	"github.com/cellwarden/cellwarden/unit"
)

// A Spectrum-2 port at 100G with the delay that dcb sets.
func ExampleMLXSW() {
	m := method.MLXSW{DelayBits: unit.Given[int64](65000)}
	e, err := m.Explain(broadcomLink(100*unit.Gbps, 30*unit.Metre), thresholds.Memory{Cell: 144})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, t := range e.Terms {
		fmt.Printf("%-21s %v\n", t.Name, t.Bytes)
	}
	fmt.Println(e.XON, "+", e.XOFF, "=", e.Size)
	// Output:
	// threshold             18432B
	// delay                 16416B
	// frame in transmission 9216B
	// 18432B + 25632B = 44064B
}

// A port of 8 lanes has twice the buffer, whether its link or the method says it; where nothing does, and a port can
// have 8, the result says what was assumed.
func TestMLXSWLanes(t *testing.T) {
	mem := thresholds.Memory{Cell: 144}
	of := func(m method.MLXSW, gbps unit.BitRate, lanes int) thresholds.Explanation {
		link := broadcomLink(gbps*unit.Gbps, 30*unit.Metre)
		link.Lanes = lanes
		e, err := m.Explain(link, mem)
		require.NoError(t, err)
		return e
	}
	narrow, wide := of(method.MLXSW{}, 400, 4), of(method.MLXSW{}, 400, 8)
	require.Equal(t, 2*narrow.Size, wide.Size)
	require.Equal(t, wide.Size, of(method.MLXSW{Lanes: 8}, 400, 0).Size)
	require.Equal(t, narrow.Size, of(method.MLXSW{Lanes: 8}, 400, 4).Size)
	const said = "assumed: a port of 400G has fewer than 8 lanes"
	require.Contains(t, fmt.Sprint(of(method.MLXSW{}, 400, 0).Warnings), said)
	require.NotContains(t, fmt.Sprint(narrow.Warnings, wide.Warnings, of(method.MLXSW{}, 100, 0).Warnings), said)
}

// The kernel's buffers in bytes, for the cells of Spectrum and Spectrum-2. XON
// is the size of a lossy buffer. A link without length has no delay.
func TestMLXSWBytes(t *testing.T) {
	for _, want := range []struct {
		cell                        cells.Size
		mtu, lossy, lossless, pause unit.Bytes
	}{
		{96, 1500, 3072, 4608, 43584}, {96, 3000, 6144, 9216, 0}, {96, 6000, 12096, 18144, 0},
		{96, 9216, 18432, 27648, 66624},
		{144, 1500, 3168, 4752, 43920}, {144, 3000, 6048, 9072, 0}, {144, 9216, 18432, 27648, 66816},
	} {
		mem := thresholds.Memory{Cell: want.cell}
		link := thresholds.Link{Rate: 100 * unit.Gbps, MTU: want.mtu, LosslessMTU: want.mtu}
		e := vendorTerms(t, method.MLXSW{}, link, mem)
		require.Equal(t, want.lossy, e.XON, "%d %v", want.cell, want.mtu)
		require.Equal(t, want.lossless, e.Size, "%d %v", want.cell, want.mtu)
		require.Equal(t, e.Size, vendorSum(e))
		require.Equal(t, e.XOFF, mem.Cell.Bytes(e.Cells))
		if want.pause > 0 {
			e := vendorTerms(t, method.MLXSW{Pause: true}, link, mem)
			require.Equal(t, want.pause, e.Size, "%d %v", want.cell, want.mtu)
			require.Equal(t, e.Size, vendorSum(e))
			require.Empty(t, e.Warnings)
			wide := vendorTerms(t, method.MLXSW{Pause: true, Lanes: 8}, link, mem)
			require.Equal(t, 2*e.Size, wide.Size, "eight lanes")
			require.Equal(t, wide.Size, vendorSum(wide))
		}
	}
}

// 100 m at 100G are 12,500 bytes both ways.
func TestMLXSWDelay(t *testing.T) {
	mem := thresholds.Memory{Cell: 96}
	link := broadcomLink(100*unit.Gbps, 100*unit.Metre)
	e := vendorTerms(t, method.MLXSW{}, link, mem)
	require.Equal(t, thresholds.Inferred, e.Terms[1].Kind)
	require.Len(t, e.Warnings, 2)
	require.Contains(t, e.Warnings[0], "inferred from the link alone, without response time: 12500B")
	require.Contains(t, e.Warnings[1], "delay of 100000 bits is more than dcb can give to the kernel (65535)")
	bytes := vendorTerms(t, method.MLXSW{DelayBytes: unit.Given[unit.Bytes](12500)}, broadcomLink(100*unit.Gbps, 0), mem)
	require.Equal(t, e.Size, bytes.Size)
	require.Equal(t, thresholds.Operator, bytes.Terms[1].Kind)
	link.Cable, link.Delay, link.Extra = unit.Kilometre, unit.Given(200*unit.Nanosecond), 300*unit.Nanosecond
	require.Equal(t, e.Size, vendorTerms(t, method.MLXSW{}, link, mem).Size)
	bits := vendorTerms(t, method.MLXSW{DelayBits: unit.Given[int64](8*96 + 1)}, link, mem)
	require.Equal(t, mem.Cell.Bytes(2*2+96), bits.XOFF, "97 bytes are two cells")
	require.Equal(t, []string{"300ns extra is not used: the delay that the driver has is all of it"}, bits.Warnings)
}

func TestMLXSWRefuses(t *testing.T) {
	bad := method.MLXSW{DelayBits: unit.Given[int64](1 << 16), DelayBytes: unit.Given[unit.Bytes](-1), Pause: true,
		Lanes: 3}
	for _, want := range []string{"mlxsw refused: delay of 65536 bits", "delay of -1B", "more than one delay",
		"3 lanes"} {
		require.ErrorContains(t, bad.Validate(), want)
	}
	vendorRefusesInput(t, method.MLXSW{})
	vendorAllocates(t, method.MLXSW{}, thresholds.Memory{Cell: 96})
}

func BenchmarkMLXSW(b *testing.B) {
	vendorBenchmark(b, method.MLXSW{}, thresholds.Memory{Cell: 96})
}
