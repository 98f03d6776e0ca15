package asic

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/unit"
)

// spectrum returns NVIDIA's chips. Each has one memory. Its size is that of the lossless egress pool in the files that
// SONiC ships for switches with the chip, in bytes; all six divide by the cell without a remainder.
func spectrum() []buffer.Chip {
	return []buffer.Chip{
		spectrumChip(1, 96, 13945824, "x86_64-mlnx_msn2700-r0/Mellanox-SN2700-D44C10"),
		spectrumChip(2, 144, 34287552, "x86_64-mlnx_msn3800-r0/ACS-MSN3800"),
		spectrumChip(3, 144, 60817392, "x86_64-mlnx_msn4700-r0/Mellanox-SN4700-O32"),
		spectrumChip(4, 192, 158229504, "x86_64-nvidia_sn5600-r0/Mellanox-SN5600-V256"),
		spectrumChip(5, 192, 136209408, "x86_64-nvidia_sn5640-r0/Mellanox-SN5640-O128X2"),
		spectrumChip(6, 256, 226492416, "x86_64-nvidia_sn6600_ld-r0/ACS-SN6600_LD"),
	}
}

func spectrumChip(generation int, cell cells.Size, memory unit.Bytes, sku string) buffer.Chip {
	const driver = "Linux drivers/net/ethernet/mellanox/mlxsw/spectrum_buffers.c"
	c := buffer.Chip{
		Name:   fmt.Sprintf("spectrum-%d", generation),
		Title:  fmt.Sprintf("NVIDIA Spectrum-%d", generation),
		Cell:   cell,
		Slices: same(1, cell.Within(memory)),
		// SAI and SONiC count 2^n from -7; the register has 1/128 to 64.
		MinAlpha: -7, MaxAlpha: 6, Groups: 8, MemoryKind: "SRAM",
		Reclaims: buffer.ReclaimsAdminDown,
		Sources: buffer.Sources{
			Cell:   "SONiC platform/mellanox/asic_table.j2",
			Slices: fmt.Sprintf("SONiC device/mellanox/%s/buffers_defaults_t0.j2: egress_lossless_pool, %d bytes", sku, memory),
			Pipes:  "inferred: SONiC has one pool of the chip's memory",
			Alpha:  driver + " (its indices 1 to 14; devlink's thresholds 3 to 16); Mellanox SAI mlnx_sai_buffer.c",
			Groups: driver,
			Reclaims: "sonic-swss cfgmgr/buffermgrdyn.cpp and buffer_pool_mellanox.lua: buffers of a port that is " +
				"administratively down are removed or zero; so with SONiC's dynamic buffer model",
			Memory: "inferred: Linux and SONiC configure no memory outside the chip",
		},
		Notes: []string{
			fmt.Sprintf("packet overhead not sourced: 0 bytes assumed. Linux selftest sharedbuffer.sh shows that one small "+
				"packet takes one cell; a frame that nearly fills its last cell of %d bytes may take one more", cell),
			"the memory is the pool that SONiC configures, which may be less than the chip has",
			"the headroom that a port's groups can have together is asked of the device (mlxsw's MAX_HEADROOM_SIZE); its " +
				"number is not sourced",
			keepsNotSourced,
		},
	}
	if generation == 6 {
		spectrum6(&c)
	}
	if generation <= 3 { // the driver's pools, less those of the CPU and of multicast
		c.IngressPools, c.EgressPools = 4, 4
		c.Sources.IngressPools, c.Sources.EgressPools = driver, driver
	}
	if generation == 4 {
		c.Rounding.Marking = cell.Bytes(64)
		c.Sources.Rounding = "inferred: FBOSS ChenabAsic.cpp (64 units of the packet buffer), taken to be Spectrum-4"
	}
	if note := spectrumNotes[generation]; note != "" {
		c.Notes = append(c.Notes, note)
	}
	return c
}

// spectrum6 adds the memory in which Spectrum-6 has its descriptors: SONiC's pool, and what it keeps beside it, are the
// 248 MiB of FBOSS. A packet's own 32 bytes are in its cells.
func spectrum6(c *buffer.Chip) {
	const (
		descriptors = 32 * unit.MiB
		plugin      = "sonic-swss cfgmgr/buffer_pool_mellanox.lua (modification descriptors: 32 MiB from the SN6600 on)"
		fboss       = "FBOSS Chenab2Asic.cpp (248 MiB), taken to be this chip because it counts in 256 bytes"
	)
	s := &c.Slices[0]
	kept := c.Cell.Within(descriptors)
	s.Cells += kept
	s.Takes = []buffer.Take{{Item: "modification descriptors", Cells: kept, Source: plugin}}
	c.Sources.Slices += "; and 33554432 bytes of descriptors (" + plugin + "); together those of " + fboss
	c.Overhead, c.Sources.Overhead = 32, "sonic-mgmt 02d3e53b: a packet takes ceil((length + 32) / 256) cells"
	c.Notes = slices.DeleteFunc(c.Notes, func(n string) bool {
		return n == keepsNotSourced || strings.HasPrefix(n, "packet overhead not sourced")
	})
	c.Notes = append(c.Notes, "what it keeps beside the descriptors (CPU, management, replication) is not sourced: no "+
		"cells are charged for it")
}

// spectrumNotes are further notes, by generation.
var spectrumNotes = map[int]string{
	1: "Linux gave the main ingress pool 13,768,608 bytes before it took all that is left (commit bc9f6e94bcb5), and " +
		"the CPU's egress pool 256,000",
	4: "FBOSS ChenabAsic.cpp, taken to be this chip, has an egress pool of 150 MB",
}
