package asic

import (
	"fmt"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// dnx returns Broadcom's chips with virtual output queues (DNX). A packet waits at its ingress, first in the memory on
// the chip, then in the memory beside it. Their driver counts the bytes of both together, in a pool for each core, and
// by that pool groups pause and drop: see [buffer.Chip.Deep]. A chip whose pool has no source has no slices: a topology
// gives the pool, see [Pooled].
func dnx() []buffer.Chip {
	return []buffer.Chip{
		jericho2(),
		deep(buffer.Chip{Name: "jericho2cplus", Title: "Broadcom Jericho 2C+"}, 2, 6441610000,
			"SONiC device/arista x86_64-arista_7280dr3a_36 and x86_64-arista_7800r3a_36d2_lc, device/nokia "+
				"x86_64-nokia_ixr7250e_36x400g-r0"),
		unpooled("qumran2d", "Broadcom Qumran 2D", "",
			"no public source was found: SONiC's device folders, FBOSS and sonic-mgmt do not name this chip. All numbers are "+
				"inferred from the family"),
		jericho3("jericho3", "Broadcom Jericho 3", "the header's name is Jericho 3, and its comments name the 88890, which "+
			"is Jericho 3-AI (broadcom.com/products, bcm88890): that both have these numbers is inferred"),
		jericho3("jericho3-ai", "Broadcom Jericho 3-AI", "the header's comments name the 88890, which is this chip "+
			"(broadcom.com/products, bcm88890)"),
		unpooled("jericho4", "Broadcom Jericho 4", "",
			"FBOSS Jericho4Asic.h has Jericho 3's pool, memory and ports, marked for revision, and 4 cores, those of the "+
				"smaller part (Jericho4L) that it describes: none of these is taken"),
		unpooled("q4d", "Broadcom Q4D", "FBOSS Q4DAsic.h, which takes it from Jericho3Asic.h",
			"FBOSS Q4DAsic.h has 8 cores, and takes the pool from Jericho 3, which has 4: it is not taken"),
		qumran3d(),
		unpooled("qumran4d", "Broadcom Qumran 4D", "FBOSS Qumran4DAsic.h, which takes it from Jericho3Asic.h",
			"FBOSS Qumran4DAsic.h has 8 cores on two dies, and takes the pool from Jericho 3, which has 4: it is not taken"),
	}
}

// poolOfCore is the pool of a core with a million buffers of 4,096 bytes in the memory beside the chip: 3 GiB less
// 420,472 bytes. SONiC's pools of Jericho 2, Jericho 2C+ (2 cores) and Qumran 3D (8 cores) are as many times that.
const poolOfCore unit.Bytes = 3220805000

// jericho3 is a chip whose pool is an interval: FBOSS has the upper end; the lower one is that its cores have what
// those of the chips in SONiC have.
func jericho3(name, title, which string) buffer.Chip {
	const header, cores = "FBOSS Jericho3Asic.h", 4
	most := unit.Bytes(cores * 3 << 30)
	c := deep(described(buffer.Chip{Name: name, Title: title}, header), cores, cores*poolOfCore, header)
	c.Sources.Slices = fmt.Sprintf("inferred: %s to %s bytes, the lower end is used: %s for each of %d cores, as Jericho "+
		"2, 2C+ and Qumran 3D have in SONiC, to 75 %% of the 4 GiB that a core reaches in buffers of 4,096 bytes (%s)",
		unit.Thousands(cores*poolOfCore), unit.Thousands(most), unit.Thousands(poolOfCore), cores, header)
	c.Sources.Pipes = header + " (4 cores); a port is charged in its own core, as on Jericho 2"
	asMeasured(&c)
	c.Notes = append(c.Notes, which)
	return c
}

// described has what FBOSS's headers of the later chips say of the memory on the chip.
func described(c buffer.Chip, header string) buffer.Chip {
	c.MemoryBytes, c.MemoryCell, c.Rounding = 128<<20, 254, buffer.Rounding{Marking: 1024}
	c.Sources.Memory = header + " (SRAM, 128 MiB in cells of 254 bytes)"
	c.Sources.Rounding = header + " (threshold granularity, which FBOSS applies to ECN)"
	return c
}

// unpooled is a chip whose pool has no source: a topology gives it. The header may be "".
func unpooled(name, title, header, why string) buffer.Chip {
	c := buffer.Chip{Name: name, Title: title}
	if header != "" {
		c = described(c, header)
	}
	c = deep(c, 0, 0, "")
	asMeasured(&c)
	c.Slices = []buffer.Slice{} // its JSON has the key that a chip file must fill in
	c.Notes = append([]string{notPooled, why}, c.Notes...)
	return c
}

// asMeasured says of a chip that nobody measured that it counts as those of the family that were.
func asMeasured(c *buffer.Chip) {
	const as = "inferred: as Jericho 2 and Qumran 3D, by whose tests ("
	c.Sources.Cell = as + qosParams + "qos_params.jr2.yaml, qos_params.q3d.yaml) a packet takes its bytes"
	c.Sources.Overhead = as + "internal_hdr_size) a packet takes 48 bytes more than its own"
}

// jericho2 is the chip of the DNX family that FBOSS describes and SONiC ships with a pool.
func jericho2() buffer.Chip {
	const header = "FBOSS Jericho2Asic.h"
	return deep(buffer.Chip{
		Name: "jericho2", Title: "Broadcom Jericho 2", MemoryBytes: 64 << 20, MemoryCell: 254,
		Rounding: buffer.Rounding{Marking: 1024},
		Sources: buffer.Sources{
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

// deep completes a chip with a pool of both memories for each core. Without cores it has everything but the pool.
func deep(c buffer.Chip, cores int, pool unit.Bytes, folders string) buffer.Chip {
	c.Cell, c.Overhead, c.Groups, c.MemoryKind = 1, internalHeader, 8, "SRAM+HBM"
	c.MinAlpha, c.MaxAlpha = thresholds.MinAlpha, thresholds.MaxAlpha
	c.Sources.Cell = "measured: " + qosParams + "qos_params.q3d.yaml and qos_params.jr2.yaml, whose values follow from " +
		"bytes; 1 byte, because there is \"no concept of cell\""
	c.Sources.Overhead = qosParams + "qos_params.q3d.yaml, j2c, jr2 (internal_hdr_size); SONiC's headroom of 400G over " +
		"80 and 120 km is what frames of 64 bytes and these take"
	if cores > 0 {
		inCores(&c, pool, cores)
		c.Sources.Slices = folders + " (pool in bytes); a pool of each core is its equal part (FBOSS SaiBufferManager.cpp, " +
			"which multiplies by the cores)"
		c.Sources.Pipes = fmt.Sprintf("%s (port_config.ini: core_id, %d cores)", folders, cores)
	}
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
