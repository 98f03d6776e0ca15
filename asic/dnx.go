package asic

import (
	"fmt"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// dnx returns Broadcom's chips with virtual output queues (DNX). A packet waits at its ingress, first in the memory on
// the chip, then in the memory beside it. Their driver counts the bytes of both together, in a pool for each core, and
// by that pool groups pause and drop: see [buffer.Chip.Deep]. A chip whose pool has no public source has no slices.
func dnx() []buffer.Chip {
	all := []buffer.Chip{
		jericho2(),
		deep(buffer.Chip{Name: "jericho2cplus", Title: "Broadcom Jericho 2C+"}, 2, 6441610000,
			"SONiC device/arista x86_64-arista_7280dr3a_36 and x86_64-arista_7800r3a_36d2_lc, device/nokia "+
				"x86_64-nokia_ixr7250e_36x400g-r0"),
		jericho("jericho3", "Broadcom Jericho 3", 40, 128<<20, "FBOSS Jericho3Asic.h",
			"4 cores; of the memory beside the chip about 12 GiB can be used (FBOSS Jericho3Asic.h)"),
		jericho("jericho4", "Broadcom Jericho 4", 40, 128<<20, "FBOSS Jericho4Asic.h",
			"FBOSS Jericho4Asic.h marks all of these for revision: they are Jericho 3's; 4 cores in the part that it describes"),
		jericho("q4d", "Broadcom Q4D", 40, 128<<20, "FBOSS Q4DAsic.h, which takes it from Jericho3Asic.h",
			"8 cores (FBOSS Q4DAsic.h); the memory and everything else are Jericho 3's, which has 4 cores"),
		qumran3d(),
		jericho("qumran4d", "Broadcom Qumran 4D", 40, 128<<20, "FBOSS Qumran4DAsic.h, which takes it from Jericho3Asic.h",
			"8 cores on two dies (FBOSS Qumran4DAsic.h); the memory and everything else are Jericho 3's, which has 4 cores"),
	}
	for i := range all {
		compare(&all[i])
	}
	return all
}

// jericho is a chip whose pool is not sourced.
func jericho(name, title string, descriptor, memory int64, header, memories string) buffer.Chip {
	return known(buffer.Chip{
		Name: name, Title: title, Cell: 254, Overhead: unit.Bytes(descriptor),
		Ports: 160, MemoryKind: "SRAM+HBM", MemoryBytes: unit.Bytes(memory),
		Rounding: buffer.Rounding{Marking: 1024},
		Sources: buffer.Sources{
			Cell:     header,
			Overhead: header + " (packet buffer descriptor)",
			Ports:    header + " (logical ports)",
			Memory:   header + " (SRAM; the memory beside the chip is not counted)",
			Rounding: header + " (threshold granularity, which FBOSS applies to ECN)",
		},
		Notes: []string{
			"missing: the bytes of a core's pool, which SAI says of a switch with the chip (available size of the egress " +
				"pool, FBOSS SaiBufferManager.cpp) and no public configuration has. With it: a slice for each core in cells of 1 " +
				"byte, 48 bytes stored with each packet, as jericho2 has them",
			memories,
			"the table of alphas is not sourced: FBOSS knows one of 2^-15, SONiC's files use 2^-6 and 2^-5",
		},
	})
}

// jericho2 is the chip of the DNX family that FBOSS describes and SONiC ships with a pool.
func jericho2() buffer.Chip {
	const header = "FBOSS Jericho2Asic.h"
	return deep(buffer.Chip{
		Name: "jericho2", Title: "Broadcom Jericho 2", Ports: 160, MemoryBytes: 64 << 20, MemoryCell: 254,
		Rounding: buffer.Rounding{Marking: 1024},
		Sources: buffer.Sources{
			Ports:    header + " (logical ports)",
			Memory:   header + " (SRAM, 64 MiB in cells of 254 bytes)",
			Rounding: header + " (threshold granularity, which FBOSS applies to ECN)",
		},
		Notes: []string{"memory beside the chip is used in buffers of 4,096 bytes, and 75 % of all memory, about 6 GiB, " +
			"can be used (FBOSS Jericho2Asic.h)"},
	}, 2, 6441610000, "SONiC device/arista x86_64-arista_7800r3_48cq2_lc")
}

func qumran3d() buffer.Chip {
	return deep(buffer.Chip{Name: "qumran3d", Title: "Broadcom Qumran 3D", Notes: []string{
		"sources disagree: SONiC's device/nokia x86_64-nokia_ixr7250_x4-r0 has a pool of 6,441,610,000 bytes, which the " +
			"other folders had until \"Update Q3D buffer pool to 32GB\" (sonic-buildimage 4c7ba913e4, April 2026)",
	}}, 8, 25766440000, "SONiC device/nexthop x86_64-nexthop_5010-r0, device/arista x86_64-arista_7280r4_32qf_32df")
}

// internalHeader is what a packet takes beside its own bytes.
const internalHeader = 48

// deep completes a chip with a pool of both memories for each core.
func deep(c buffer.Chip, cores int, pool unit.Bytes, folders string) buffer.Chip {
	c.Cell, c.Overhead, c.Groups, c.MemoryKind = 1, internalHeader, 8, "SRAM+HBM"
	c.Slices = same(cores, cells.Count(pool)/cells.Count(cores))
	for core := range cores {
		c.Pipes = append(c.Pipes, []int{core})
	}
	c.MinAlpha, c.MaxAlpha = thresholds.MinAlpha, thresholds.MaxAlpha
	c.Sources.Cell = "measured: " + qosParams + "qos_params.q3d.yaml and qos_params.jr2.yaml, whose values follow from " +
		"bytes; 1 byte, because there is \"no concept of cell\""
	c.Sources.Overhead = qosParams + "qos_params.q3d.yaml, j2c, jr2 (internal_hdr_size); SONiC's headroom of 400G " +
		"over 80 and 120 km is what frames of 64 bytes and these take"
	c.Sources.Slices = folders + " (pool in bytes); a pool of each core is its equal part (FBOSS SaiBufferManager.cpp, " +
		"which multiplies by the cores)"
	c.Sources.Pipes = fmt.Sprintf("%s (port_config.ini: core_id, %d cores)", folders, cores)
	c.Sources.Alpha = "assumed: any power of two is accepted; SONiC's files use 2^-6 to 2^0"
	c.Sources.Groups = groupsOfSONiC
	if c.Sources.Memory == "" {
		c.Sources.Memory = "FBOSS SaiBufferManager.cpp (the pool is of SRAM and DRAM); the size of the SRAM is not sourced"
	}
	c.Notes = append([]string{
		"a packet enters the memory on the chip and moves to the memory beside it (FBOSS switch_config.thrift, " +
			"voqDramBoundThreshold). The slices count the bytes in both (FBOSS SaiBufferManager.cpp), and lossless groups " +
			"with their headroom are in them (SONiC's ingress_lossless_pool)",
		"not modelled: the memory on the chip has limits of its own, by which a group may pause earlier (FBOSS " +
			"switch_config.thrift, maxSramXoffThresholdBytes; SONiC sets none), and how fast packets leave it is not sourced",
	}, c.Notes...)
	c.Notes = append(c.Notes, "the size of the pool in SONiC includes xoff: use pool.size_includes_headroom",
		keepsNotSourced)
	return c
}
