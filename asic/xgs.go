package asic

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
)

// Where the numbers of the Broadcom chips come from.
const (
	sdk      = "OpenBCM SDK 6.5.27 "                  // the classic SDK
	sdklt    = "OpenBCM SDK 6.5.21 libs/sdklt/bcmtm/" // the SDK of Trident 4 and Tomahawk 4
	th5Guide = "FBOSS fboss/agent/wiki/static_docs/docs/Features/th5_buffer_reservation.md"

	alphas     = sdk + "include/bcm/cosq.h (drop limit alphas 1/128 to 8; hardware codes 0 to 10)"
	alphasSame = "inferred: as the older chips in " + sdk + "include/bcm/cosq.h"
)

// xgs returns Broadcom's Trident and Tomahawk chips. All have eight priority groups a port and alphas of 1/128 to 8.
func xgs() []buffer.Chip {
	all := []buffer.Chip{
		trident2(), trident2plus(),
		trident2plusSmaller("trident2plus-12m", "BCM56833", 12, 60495),
		trident2plusSmaller("trident2plus-9m", "BCM56832", 9, 45372),
		trident3(), trident4(), trident4Smaller(), trident4x9(),
		tomahawk(), tomahawkplus(), tomahawk2(), tomahawk3(), tomahawk4(), tomahawk5(), tomahawkUltra(),
		tomahawk6(), tomahawk6NH4210(),
	}
	for i := range all {
		all[i].MinAlpha, all[i].MaxAlpha, all[i].Groups, all[i].MemoryKind = -7, 3, 8, "SRAM"
		all[i].Sources.Memory = cmp.Or(all[i].Sources.Memory, "inferred: the SDK describes no packet memory outside the chip")
	}
	return all
}

// pools gives a chip four ingress and four egress pools, as all XGS chips have, and as many pools for headroom.
func pools(c buffer.Chip, headroom int, source string) buffer.Chip {
	c.IngressPools, c.EgressPools, c.HeadroomPools = 4, 4, headroom
	c.Sources.IngressPools, c.Sources.EgressPools = source, source
	if headroom > 0 {
		c.Sources.HeadroomPools = source
		if !strings.HasPrefix(source, "inferred") {
			c.Sources.HeadroomPools += "; the driver sets a limit of headroom for each pool"
		}
	}
	return c
}

// xpePipes says which two of the four slices ("XPE") of Tomahawk and Tomahawk 2 an ingress pipe's ports are charged in.
// The egress pipe of a packet decides between the two. An ingress limit does not know the egress pipe, so it is set in
// both.
func xpePipes() [][]int { return [][]int{{0, 1}, {2, 3}, {2, 3}, {0, 1}} }

// xpeEgressPipes says which two slices the ports of an egress pipe send from.
// Each pair of pipes has exactly one in common.
func xpeEgressPipes() [][]int { return [][]int{{0, 2}, {0, 2}, {1, 3}, {1, 3}} }

// itmPipes says in which of the two slices ("ITM") the ports of a pipe are charged on a chip with this many pipes: the
// first and the last quarter of the pipes in slice 0, those between in slice 1. The SDK writes it as masks: 0xc3 and
// 0x3c for 8 pipes, 0xf00f and 0x0ff0 for 16.
func itmPipes(pipes int) [][]int {
	all := make([][]int, pipes)
	for p := range all {
		all[p] = []int{0}
		if p >= pipes/4 && p < pipes-pipes/4 {
			all[p] = []int{1}
		}
	}
	return all
}

// trident2Takes are what the SDK subtracts on Trident 2 and 2+ with any ports: one packet in flight for each of the two
// pipes, and a margin for lossless traffic.
func trident2Takes(perPipe buffer.Take) []buffer.Take {
	return []buffer.Take{
		perPipe,
		{Item: "overshoot of the ingress pool with lossless traffic", Cells: 10, Source: sdk + "src/soc/esw/trident2.c"},
	}
}

const trident2Ports = "not charged, because it depends on the ports: the SDK also keeps for each port 1 cell, and 4 " +
	"cells (ports up to 11G) or 16 cells (faster ports) for cut-through"

func trident2() buffer.Chip {
	const header = sdk + "include/soc/td2_td2p.h"
	return pools(buffer.Chip{
		Name: "trident2", Title: "Broadcom BCM56850 Trident 2, 12 MiB",
		Cell: 208, Overhead: 64, Slices: same(1, 61376),
		HeadroomDefaults: gigabits(at{10, 162, 182}, at{20, 183, 262}, at{40, 284, 461}, at{100, 558, 0}),
		Sources: buffer.Sources{
			Cell:     header,
			Overhead: header,
			Slices: "SONiC device/dell/x86_64-dell_s6000_s1220-r0/Force10-S6000 and every other switch that it ships with " +
				"the chip (a pool of 12,766,208 bytes); measured: sonic-mgmt qos_params.td2.yaml, whose values follow from " +
				"61,376 cells alone",
			Pipes:  sdk + "src/soc/esw/trident2.c (both pipes share the memory)",
			Alpha:  alphas,
			Groups: header,

			HeadroomDefaults: sdk + "src/soc/esw/trident2.c",
		},
		Notes: []string{
			"sources disagree: SONiC's pools have 61,376 cells (12,766,208 bytes), and a switch was measured with them; the " +
				"SDK plans with 60,495 of the 65,536 that exist (" + sdk + "src/soc/esw/mmu_config.c, 12 MB row); FBOSS " +
				"Trident2Asic.h has 16 MiB, which is what the SDK gives Trident 2+. The measured number is used",
			"a configuration gives the 61,376 cells to ports: what the chip keeps for itself comes on top of " +
				"them and is not charged again",
			"an oversubscribed port of 40G or faster has 461 cells of headroom by default",
			trident2Ports,
		},
	}, 0, header)
}

func trident2plus() buffer.Chip {
	c := trident2()
	c.Name, c.Title = "trident2plus", "Broadcom BCM56860 Trident 2+, 16 MiB"
	c.Slices = same(1, 80660, trident2Takes(buffer.Take{
		Item: "global headroom: 50 cells for each of 2 pipes", Cells: 2 * 50,
		Source: sdk + "include/soc/td2_td2p.h, src/soc/esw/trident2.c",
	})...)
	c.Sources.Slices = sdk + "src/soc/esw/mmu_config.c (16 MB row), chosen for BCM56860 in src/soc/esw/trident2p.c"
	c.Sources.HeadroomDefaults = sdk + "src/soc/esw/trident2p.c (oversubscribed, and 100G); the others inferred: as " +
		"Trident 2"
	c.Notes = []string{
		"variants with less memory are trident2plus-12m (BCM56833) and trident2plus-9m (BCM56832)",
		trident2Ports,
	}
	return c
}

// trident2plusSmaller is a variant of Trident 2+ for which the SDK chooses another row of its table of memories.
func trident2plusSmaller(name, model string, mebibytes int, size cells.Count) buffer.Chip {
	c := trident2plus()
	c.Name, c.Title = name, fmt.Sprintf("Broadcom %s Trident 2+, %d MB", model, mebibytes)
	c.Slices = same(1, size, c.Slices[0].Takes...)
	c.Sources.Slices = fmt.Sprintf(sdk+"src/soc/esw/mmu_config.c (%d MB row), chosen for %s in src/soc/esw/trident2p.c",
		mebibytes, model)
	c.Notes = []string{trident2Ports}
	return c
}

func trident3() buffer.Chip {
	const header = sdk + "include/soc/trident3.h"
	return pools(buffer.Chip{
		Name: "trident3", Title: "Broadcom BCM56870 Trident 3",
		Cell: 256, Overhead: 64, Slices: same(1, 129024),
		MaxPool: 129024,
		HeadroomDefaults: gigabits(at{10, 160, 194}, at{20, 197, 231}, at{25, 254, 288}, at{40, 274, 355},
			at{50, 351, 432}, at{100, 574, 768}),
		Sources: buffer.Sources{
			Cell: header, Overhead: header, Slices: header, Pipes: header + " (one slice)", Alpha: alphas, Groups: header,
			MaxPool: header, HeadroomDefaults: sdk + "src/soc/esw/trident3.c",
		},
		Notes: []string{keepsNotSourced},
	}, 4, header)
}

func trident4() buffer.Chip {
	const header = sdklt + "include/bcmtm/chip/bcm56880_a0_tm_thd_internal.h"
	return pools(buffer.Chip{
		Name: "trident4", Title: "Broadcom BCM56880 Trident 4",
		Cell: 254, Overhead: 64,
		Slices: same(2, 265476, buffer.Take{Item: "usable but never shared", Cells: 265476 - 264020, Source: header}),
		Pipes:  itmPipes(8),
		Sources: buffer.Sources{
			Cell: header, Overhead: header, Slices: header,
			Pipes:  sdklt + "chip/bcm56880_a0/bcm56880_a0_tm_thd.c (pipe masks 0xc3, 0x3c)",
			Alpha:  alphasSame,
			Groups: header,
		},
		Notes: []string{"the variant BCM56883 is trident4-56883: it has 126,212 cells a slice, 124,084 of them shared"},
	}, 4, header)
}

func trident4Smaller() buffer.Chip {
	c := trident4()
	c.Name, c.Title = "trident4-56883", "Broadcom BCM56883 Trident 4"
	unshared := buffer.Take{Item: "usable but never shared", Cells: 126212 - 124084, Source: c.Sources.Slices}
	c.Slices = same(2, 126212, unshared)
	c.Sources.Pipes = "inferred: as BCM56880"
	c.Notes = nil
	return c
}

func trident4x9() buffer.Chip {
	const header = sdklt + "include/bcmtm/chip/bcm56780_a0_tm_thd_internal.h"
	return pools(buffer.Chip{
		Name: "trident4-x9", Title: "Broadcom BCM56780 Trident 4-X9",
		Cell: 318, Overhead: 64,
		Slices: same(1, 266100, buffer.Take{Item: "usable but never shared", Cells: 266100 - 265236, Source: header}),
		Sources: buffer.Sources{
			Cell: header, Overhead: header, Slices: header,
			Pipes: header + " (one slice)", Alpha: alphasSame, Groups: header,
		},
	}, 4, "inferred: as BCM56880")
}

func tomahawk() buffer.Chip {
	const header = sdk + "include/soc/tomahawk.h"
	const driver = sdk + "src/soc/esw/tomahawk.c"
	return pools(buffer.Chip{
		Name: "tomahawk", Title: "Broadcom BCM56960 Tomahawk",
		Cell: 208, Overhead: 64, Slices: same(4, 20165, xpeTake(driver)),
		Pipes: xpePipes(), EgressPipes: xpeEgressPipes(),
		MaxPool: 19968,
		HeadroomDefaults: gigabits(at{10, 166, 189}, at{25, 194, 217}, at{40, 286, 340}, at{50, 304, 358},
			at{100, 519, 648}),
		Rounding: buffer.Rounding{ResumeOffset: 8, ColourLimit: 8},
		Sources: buffer.Sources{
			Cell: header, Overhead: header, Slices: header,
			Pipes: driver + " (ipipe_xpe_map)", EgressPipes: driver, Alpha: alphas, Groups: header,
			MaxPool: header, HeadroomDefaults: driver, Rounding: driver,
		},
		Notes: []string{xpePorts},
	}, 4, header)
}

// xpeTake is what the driver subtracts in each slice of Tomahawk and Tomahawk 2 whatever the ports.
func xpeTake(driver string) buffer.Take {
	return buffer.Take{Item: "11 RQE queues (replication) of 8 cells", Cells: 11 * 8,
		Source: driver + " (the shared limit with lossless traffic)"}
}

const xpePorts = "not charged, because it depends on the ports: the driver also keeps cells for cut-through (ASF), " +
	"and minima of the CPU's and of the management ports' queues"

func tomahawkplus() buffer.Chip {
	c := tomahawk()
	c.Name, c.Title = "tomahawkplus", "Broadcom Tomahawk+"
	c.Slices = same(4, 27727, xpeTake(sdk+"src/soc/esw/tomahawk.c"))
	c.MaxPool, c.Sources.MaxPool = 0, "" // the header's constant is Tomahawk's
	return c
}

func tomahawk2() buffer.Chip {
	const header = sdk + "include/soc/tomahawk2.h"
	c := tomahawk()
	c.Name, c.Title = "tomahawk2", "Broadcom BCM56970 Tomahawk 2"
	c.Slices = same(4, 53248, xpeTake(sdk+"src/soc/esw/tomahawk.c, which Tomahawk 2 shares"))
	c.Sources.Slices = header
	c.Sources.Pipes = sdk + "src/soc/esw/tomahawk2.c (ipipe_xpe_map)"
	c.Sources.EgressPipes = "inferred: as Tomahawk"
	c.MaxPool, c.Sources.MaxPool = 53248, header
	c.HeadroomDefaults = gigabits(at{10, 166, 199}, at{25, 194, 227}, at{40, 280, 361}, at{50, 298, 379},
		at{100, 507, 699})
	c.Sources.HeadroomDefaults = sdk + "src/soc/esw/tomahawk2.c"
	c.Rounding, c.Sources.Rounding = buffer.Rounding{ResumeOffset: 8}, sdk+"src/soc/esw/tomahawk2.c"
	c = pools(c, 4, header)
	return c
}

func tomahawk3() buffer.Chip {
	const header = sdk + "include/soc/tomahawk3.h"
	return pools(buffer.Chip{
		Name: "tomahawk3", Title: "Broadcom BCM56980 Tomahawk 3",
		Cell: 254, Overhead: 40,
		Slices:  same(2, 134169, buffer.Take{Item: "replication queue entries (RQE)", Cells: 2048, Source: header}),
		Pipes:   itmPipes(8),
		MaxPool: 134169 - 2048,
		HeadroomDefaults: gigabits(at{10, 167, 248}, at{25, 256, 337}, at{40, 360, 441}, at{50, 360, 441},
			at{100, 580, 772}, at{200, 1061, 1445}, at{400, 1962, 2730}),
		Sources: buffer.Sources{
			Cell: header, Overhead: header, Slices: header,
			Pipes: sdk + "src/soc/esw/tomahawk3.c (ipipe_itm_map: masks 0xc3, 0x3c)", Alpha: alphas, Groups: header,
			MaxPool: header, HeadroomDefaults: sdk + "src/soc/esw/tomahawk3/traffic_manager/traffic_manager_thresholds.c",
		},
		Notes: []string{"the SDK gives every port the default headroom of an oversubscribed one: what its own formula asks " +
			"for packets of 64 bytes and a cable of 100 m, but for 100G (2 cells less) and 25G (7 more)"},
	}, 4, header)
}

func tomahawk4() buffer.Chip {
	const header = sdklt + "include/bcmtm/chip/bcm56990_a0_tm_thd_internal.h"
	return pools(buffer.Chip{
		Name: "tomahawk4", Title: "Broadcom BCM56990 Tomahawk 4",
		Cell: 254, Overhead: 48, Slices: same(2, 231446),
		Pipes: itmPipes(16),
		HeadroomDefaults: gigabits(at{10, 173, 254}, at{25, 262, 343}, at{40, 366, 447}, at{50, 366, 447},
			at{100, 585, 779}, at{200, 1071, 1455}, at{400, 1982, 2750}),
		Sources: buffer.Sources{
			Cell: header, Overhead: header, Slices: header,
			Pipes:  sdklt + "chip/bcm56990_a0/bcm56990_a0_tm_thd.c (pipe masks 0xf00f, 0x0ff0)",
			Alpha:  alphasSame,
			Groups: header,

			HeadroomDefaults: sdklt + "chip/bcm56990_a0/bcm56990_a0_tm_thd.c",
		},
		Notes: []string{
			"sources disagree: the SDK has 231,446 usable cells a slice, FBOSS Tomahawk4Asic.h has 234,606; the smaller is used",
			"the SDK has ten levels of dynamic margin (TM_THD_DYNAMIC_MARGIN: by default 2, 4, 6, 8, 10, 12, 14, 16, 20 and " +
				"24 MB); they are not modelled",
			keepsNotSourced,
		},
	}, 4, header)
}

func tomahawk5() buffer.Chip {
	const header = "FBOSS Tomahawk5Asic.h"
	return pools(buffer.Chip{
		Name: "tomahawk5", Title: "Broadcom Tomahawk 5",
		Cell: 254, Overhead: 48, Slices: same(2, 341080, tomahawk5Takes()...),
		Pipes: itmPipes(16),
		Sources: buffer.Sources{
			Cell:     header,
			Overhead: header + " (packet buffer descriptor, marked for revision there); as Tomahawk 4",
			Slices:   header + "; " + th5Guide,
			Pipes:    "inferred: as Tomahawk 4 (16 pipes, masks 0xf00f and 0x0ff0)",
			Alpha:    alphasSame,
			Groups:   "inferred: as Tomahawk 4",
			Memory:   header + " (no HBM)",
		},
		Notes: []string{
			"the SDK's defaults are charged; a system can get 28 cells of one management port and the CPU's 336 multicast " +
				"cells back (" + th5Guide + ")",
			"not charged: mirroring of dropped packets, when used, keeps 3,306 cells more of each slice (" + th5Guide + ")",
		},
	}, 4, "inferred: as Tomahawk 4")
}

// tomahawkUltra is described by FBOSS alone, with the memory of Tomahawk 5.
func tomahawkUltra() buffer.Chip {
	const header = "FBOSS TomahawkUltra1Asic.h"
	return pools(buffer.Chip{
		Name: "tomahawk-ultra", Title: "Broadcom Tomahawk Ultra",
		Cell: 254, Overhead: 48, Slices: same(2, 341080),
		Pipes: itmPipes(16),
		Sources: buffer.Sources{
			Cell:     header,
			Overhead: header + " (packet buffer descriptor)",
			Slices:   header + " (two memory buffers)",
			Pipes:    "inferred: as Tomahawk 5",
			Alpha:    alphasSame,
			Groups:   "inferred: as Tomahawk 4",
			Memory:   header,
		},
		Notes: []string{
			"sources disagree: " + header + " has 341 logical ports, Tomahawk 5's number; the trade press has 512 of 100G",
			"all other numbers are Tomahawk 5's in the same source: they may replace the chip's own",
			keepsNotSourced,
		},
	}, 4, "inferred: as Tomahawk 4")
}

// tomahawk5Takes are the SDK's defaults in each slice, 12,845 cells in all. Egress minima count in both slices, because
// an egress port drains both; ingress minima only in the slice of their port.
func tomahawk5Takes() []buffer.Take {
	return []buffer.Take{
		{Item: "queue groups of 16 loopback ports, 28 cells each", Cells: 16 * 28, Source: th5Guide},
		{Item: "queue groups of 4 management ports, 28 cells each", Cells: 4 * 28, Source: th5Guide},
		{Item: "group 7 of 11 CPU, management and loopback ports, 7 cells each", Cells: 11 * 7, Source: th5Guide},
		{Item: "48 multicast queues of the CPU port, 7 cells each", Cells: 48 * 7, Source: th5Guide},
		{Item: "replication queue entries (RQE)", Cells: 11264, Source: th5Guide},
		{Item: "replication queue entries in flight", Cells: 608, Source: th5Guide + "; sonic-buildimage pull request 24750"},
	}
}

const tomahawk6Cells = "sources disagree: FBOSS Tomahawk6Asic.h has 500,000 cells (210,000,000 bytes), marked for " +
	"revision, with 666,595 as the maximum; 629,986 available cells are quoted from sonic-mgmt's Tomahawk 6 test " +
	"parameters, where we did not find them; sonic-buildimage issue 28657 has about 636,183 on a Nexthop NH-4210, and " +
	"SONiC gives that switch a pool of 614,370. "

const tomahawk6Ports = "sources disagree: FBOSS Tomahawk6Asic.h has 341 logical ports and 800G as the fastest, " +
	"Tomahawk 5's numbers; its mapping of the Icecube800BC, a switch with this chip, has 512 ports, and 1.6T among " +
	"their speeds, as the announcement has"

func tomahawk6() buffer.Chip {
	const header = "FBOSS Tomahawk6Asic.h"
	return pools(buffer.Chip{
		Name: "tomahawk6", Title: "Broadcom Tomahawk 6",
		Cell: 420, Overhead: 48, Slices: same(1, 500000),
		Sources: buffer.Sources{
			Cell:     header + "; sonic-mgmt qos_params.th6.yaml",
			Overhead: header + " (packet buffer descriptor, marked for revision there); as Tomahawk 4",
			Slices:   header + " (marked for revision there)",
			Pipes:    "sonic-buildimage issue 28657 (one unified buffer); " + header + " (one memory buffer)",
			Alpha:    alphasSame,
			Groups:   "inferred: as Tomahawk 4",
			Memory:   header + " (no HBM)",
		},
		Notes: []string{
			tomahawk6Cells + "The smallest is used; tomahawk6-nh4210 has what that switch was seen to have",
			tomahawk6Ports,
			keepsNotSourced,
		},
	}, 4, "inferred: as Tomahawk 4")
}

// tomahawk6NH4210 is the chip with the memory that one switch was seen to have. The smallest of all sources would
// refuse the pool that SONiC ships for it.
func tomahawk6NH4210() buffer.Chip {
	c := tomahawk6()
	c.Name, c.Title = "tomahawk6-nh4210", "Broadcom Tomahawk 6 in a Nexthop NH-4210"
	c.Slices = same(1, 636183)
	c.Sources.Slices = "sonic-buildimage issue 28657"
	c.Notes = []string{tomahawk6Cells + "Those of the issue are used: they are of this switch", tomahawk6Ports,
		keepsNotSourced}
	return c
}
