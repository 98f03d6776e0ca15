package method_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/thresholds/method"
	"github.com/cellwarden/cellwarden/unit"
)

// mlxswSelftest is what is known of the sizes: worked numbers, and what the kernel's own test changes.
type mlxswSelftest struct {
	Sizes []struct {
		Cell                        cells.Size
		MTU, Lossy, Lossless, Pause unit.Bytes
	}
	DefaultMTU unit.Bytes   `json:"default_mtu"`
	RaisedMTUs []unit.Bytes `json:"raised_mtus"`
	DelaysBits []int64      `json:"delays_bits"`
}

func readMLXSWSelftest(t *testing.T) (file mlxswSelftest) {
	data, err := os.ReadFile(filepath.Join("testdata", "mlxsw", "sizes.json"))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, &file))
	require.Len(t, file.Sizes, 7)
	return file
}

func mlxswSize(t *testing.T, m method.MLXSW, cell cells.Size, mtu unit.Bytes) thresholds.Headroom {
	h, err := m.Size(thresholds.Link{Rate: 100 * unit.Gbps, MTU: mtu, LosslessMTU: mtu}, thresholds.Memory{Cell: cell})
	require.NoError(t, err)
	return h
}

// The driver's byte tables; a port of eight lanes has all of it twice.
func TestMLXSWByteTables(t *testing.T) {
	for _, want := range readMLXSWSelftest(t).Sizes {
		for lanes, times := range map[int]unit.Bytes{4: 1, 8: 2} {
			h := mlxswSize(t, method.MLXSW{Lanes: lanes}, want.Cell, want.MTU)
			require.Equal(t, times*want.Lossy, h.XON, "%+v, %d lanes", want, lanes)
			require.Equal(t, times*want.Lossless, h.Size, "%+v, %d lanes", want, lanes)
			if want.Pause > 0 {
				require.Equal(t, times*want.Pause, mlxswSize(t, method.MLXSW{Pause: true, Lanes: lanes}, want.Cell,
					want.MTU).Size, "%+v", want)
			}
		}
	}
}

// What qos_headroom.sh checks about sizes: a larger MTU makes a buffer larger, and the old MTU gives the old size; PFC
// makes a buffer larger, and a delay makes it larger still; neither changes the buffer that stays lossy. The rest of
// that test is about access rights, which are not modelled here.
func TestMLXSWSelftestTruths(t *testing.T) {
	file := readMLXSWSelftest(t)
	for _, cell := range []cells.Size{96, 144, 192, 256} {
		before := mlxswSize(t, method.MLXSW{}, cell, file.DefaultMTU)
		last := before
		for _, mtu := range file.RaisedMTUs {
			h := mlxswSize(t, method.MLXSW{}, cell, mtu)
			require.Greater(t, h.XON, last.XON, "lossy, MTU %v", mtu)
			require.Greater(t, h.Size, last.Size, "lossless, MTU %v", mtu)
			last = h
		}
		require.Equal(t, before, mlxswSize(t, method.MLXSW{}, cell, file.DefaultMTU))
		size := before.XON
		for _, bits := range file.DelaysBits {
			h := mlxswSize(t, method.MLXSW{DelayBits: unit.Given(bits)}, cell, file.DefaultMTU)
			require.Equal(t, before.XON, h.XON, "what is lossy does not heed the delay")
			require.Greater(t, h.Size, size, "delay of %d bits", bits)
			size = h.Size
		}
	}
}
