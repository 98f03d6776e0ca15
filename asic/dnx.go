package asic

import (
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/unit"
)

// dnx returns Broadcom's Jericho chips. They have no slices here: a packet waits at its ingress in a virtual output
// queue, on the chip or in the memory beside it, so that a plan of slices and groups would say little about them.
func dnx() []buffer.Chip {
	all := []buffer.Chip{
		jericho("jericho2", "Broadcom Jericho 2", 30, 64<<20, "FBOSS Jericho2Asic.h",
			"2 cores; of the memory beside the chip about 6 GiB can be used (FBOSS Jericho2Asic.h); there a buffer is "+
				"4096 bytes"),
		jericho("jericho3", "Broadcom Jericho 3", 40, 128<<20, "FBOSS Jericho3Asic.h",
			"4 cores; of the memory beside the chip about 12 GiB can be used (FBOSS Jericho3Asic.h)"),
		jericho("jericho4", "Broadcom Jericho 4", 40, 128<<20, "FBOSS Jericho4Asic.h",
			"FBOSS Jericho4Asic.h marks all of these for revision: they are Jericho 3's; 4 cores in the part that it describes"),
		jericho("q4d", "Broadcom Q4D", 40, 128<<20, "FBOSS Q4DAsic.h, which takes it from Jericho3Asic.h",
			"8 cores (FBOSS Q4DAsic.h); the memory and everything else are Jericho 3's, which has 4 cores"),
		jericho("qumran4d", "Broadcom Qumran 4D", 40, 128<<20, "FBOSS Qumran4DAsic.h, which takes it from Jericho3Asic.h",
			"8 cores on two dies (FBOSS Qumran4DAsic.h); the memory and everything else are Jericho 3's, which has 4 cores"),
	}
	for i := range all {
		leak(&all[i])
	}
	return all
}

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
			memories,
			"the table of alphas is not sourced: FBOSS knows one of 2^-15, SONiC's files use 2^-6 and 2^-5",
		},
	})
}
