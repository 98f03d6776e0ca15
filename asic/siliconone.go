package asic

import (
	"strings"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/thresholds"
)

// siliconOne returns Cisco's Silicon One chips. sonic-mgmt calls them gb, gr, gr2 and p200; FBOSS calls them Ebro, Yuba
// and P200. Which product has which name is inferred, except for the P200.
func siliconOne() []buffer.Chip {
	const (
		params   = "sonic-mgmt tests/qos/files/cisco/qos_param_generator.py"
		ebro     = "FBOSS EbroAsic.h"
		yuba     = "FBOSS YubaAsic.h"
		p200     = "FBOSS P200Asic.h"
		g202     = "FBOSS G202xAsic.h"
		alphaOne = "alphas are powers of two; the range is not sourced"
	)
	inferred := func(source, product string) string { return "inferred: " + source + ", taken to be " + product }
	described := func(header string, as func(string) string) buffer.Sources {
		return buffer.Sources{
			Overhead: as(header + " (packet buffer descriptor)"),
			Groups:   groupsOfSONiC,
			Memory:   as(header),
		}
	}
	q200 := oneBuffer(buffer.Chip{
		Name: "silicon-one-q200", Title: "Cisco Silicon One Q200", Cell: 384, Overhead: 40, Groups: 8,
		MemoryKind: "SRAM", MemoryBytes: 108 << 20,
		Sources: described(ebro, func(s string) string { return inferred(s, "Q200") }),
		Notes: []string{
			"virtual output queues: none is deeper than 6,144,000 bytes, 16,000 units of 384 (" + params + "; " + ebro +
				"), and a group pauses at alpha times the pool or 7.48125 % and its headroom under that depth, whichever is less",
			"this is the memory on the chip alone, as in Cisco's 8100; the 8200 and 8800 have memory beside it (xrdocs.io, " +
				"8100 & 8200 Deployment Note), and sonic-mgmt's qos_params.gb.yaml has 100G over 120 km with XOFF at 3,202 and " +
				"drops at 6,404 packets of 8,156 bytes. " + givePool,
			"sources disagree: " + ebro + " has 100G as the fastest port, and Cisco sells switches of 400G with the chip",
			alphaOne,
		},
	})
	q200.Sources.Cell = inferred(params+" (gb) and "+ebro, "Q200")
	q200.MaxQueue = 5684352 // 6144000*(1 - 0.0748125), in whole units
	q200.Sources.MaxQueue = inferred(params+" (gb: 6,144,000 bytes less 7.48125 %)", "Q200")

	g100 := known(buffer.Chip{
		Name: "silicon-one-g100", Title: "Cisco Silicon One G100", Cell: 384, Groups: 8,
		Rounding: buffer.Rounding{Mantissa: 5},
		Sources: buffer.Sources{
			Cell:     inferred(params+" (gr)", "G100"),
			Groups:   groupsOfSONiC,
			Rounding: inferred(params+" (gr)", "G100"),
		},
		Notes: []string{
			"virtual output queues: none is deeper than 24,576,000 bytes (" + params + ")",
			alphaOne,
		},
	})

	g200 := oneBuffer(buffer.Chip{
		Name: "silicon-one-g200", Title: "Cisco Silicon One G200", Cell: 512, Overhead: 40, Groups: 8,
		MemoryKind: "SRAM", MemoryBytes: 256 << 20,
		Rounding: buffer.Rounding{Mantissa: 5},
		Sources:  described(yuba, func(s string) string { return inferred(s, "G200") }),
		Notes:    []string{alphaOne},
	})
	g200.Sources.Cell = inferred(params+" (gr2) and "+yuba, "G200")
	g200.Sources.Rounding = inferred(params+" (gr2)", "G200")

	p := oneBuffer(buffer.Chip{
		Name: "silicon-one-p200", Title: "Cisco Silicon One P200", Cell: 512, Overhead: 40, Groups: 8,
		MemoryKind: "SRAM", MemoryBytes: 88 << 20,
		Rounding: buffer.Rounding{Mantissa: 5, HeadroomMantissa: 4},
		Sources:  described(p200, func(s string) string { return s }),
		Notes: []string{
			"sources disagree: " + params + " counts in units of 512 bytes, " + p200 + " in 384, which would give more cells; " +
				"the larger unit is used",
			"sources disagree: " + p200 + " has 100G as the fastest port, and the Cisco 8223 has 64 of 800G with the chip",
			"this is the memory on the chip alone: FBOSS has no memory beside it. " + givePool,
			alphaOne,
		},
	})
	p.Sources.Cell = params
	p.Sources.Rounding = params

	g202x := oneBuffer(buffer.Chip{
		Name: "silicon-one-g202x", Title: "Cisco Silicon One G202X", Cell: 512, Overhead: 40, Groups: 8,
		MemoryKind: "SRAM", MemoryBytes: 256 << 20,
		Sources: described(g202, func(s string) string { return s }),
		Notes:   []string{alphaOne},
	})
	g202x.Sources.Cell = g202 + " (packet buffer unit)"
	return []buffer.Chip{q200, g100, g200, g202x, p}
}

// givePool says how a Silicon One with memory beside it is planned.
const givePool = "The pool of both memories for lossless groups is not sourced: with chip.pool_bytes in the " +
	"topology, in bytes (on SONiC the size of ingress_lossless_pool in `show buffer configuration`), the plan is for " +
	"that pool, and that groups count in it is inferred"

// oneBuffer gives a chip one slice of all its memory: FBOSS says how much there is, and that it is one buffer. A chip
// that a larger unit would give fewer cells is planned with the larger unit.
func oneBuffer(c buffer.Chip) buffer.Chip {
	c.Slices = same(1, c.Cell.Within(c.MemoryBytes))
	c.MinAlpha, c.MaxAlpha = thresholds.MinAlpha, thresholds.MaxAlpha
	c.Sources.Slices = "inferred: the memory, all of it in one buffer, in whole units (" + c.Sources.Memory + ")"
	if from, ok := strings.CutPrefix(c.Sources.Memory, "inferred: "); ok {
		c.Sources.Slices = "inferred: the memory, all of it in one buffer, in whole units (" + from + ")"
	}
	c.Sources.Alpha = "assumed: any power of two is accepted"
	c.Notes = append(c.Notes, keepsNotSourced)
	return c
}
