package asic

import (
	"fmt"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/unit"
)

// spectrum returns NVIDIA's chips. Each has one memory. Its size is that of
// the lossless egress pool in the files that SONiC ships for switches with the
// chip, in bytes; all six divide by the cell without a remainder.
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
	return buffer.Chip{
		Name:   fmt.Sprintf("spectrum-%d", generation),
		Title:  fmt.Sprintf("NVIDIA Spectrum-%d", generation),
		Cell:   cell,
		Slices: same(1, cell.Within(memory)),
		// SAI and SONiC count 2^n from -7; the register has 1/128 to 64.
		MinAlpha: -7, MaxAlpha: 6, Groups: 8,
		Sources: buffer.Sources{
			Cell:   "SONiC platform/mellanox/asic_table.j2",
			Slices: fmt.Sprintf("SONiC device/mellanox/%s/buffers_defaults_t0.j2: egress_lossless_pool, %d bytes", sku, memory),
			Pipes:  "inferred: SONiC has one pool of the chip's memory",
			Alpha:  "Linux drivers/net/ethernet/mellanox/mlxsw/spectrum_buffers.c; Mellanox SAI mlnx_sai_buffer.c",
			Groups: "Linux drivers/net/ethernet/mellanox/mlxsw/spectrum_buffers.c",
		},
		Notes: []string{
			fmt.Sprintf("packet overhead not sourced: 0 bytes assumed. Linux selftest sharedbuffer.sh shows that one small packet takes one cell; a frame that nearly fills its last cell of %d bytes may take one more", cell),
			"the memory is the pool that SONiC configures, which may be less than the chip has",
			keepsNotSourced,
		},
	}
}
