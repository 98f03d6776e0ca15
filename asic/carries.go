package asic

import "github.com/cellwarden/cellwarden/buffer"

// bandwidth is what a chip's ports carry together, and its fastest port.
type bandwidth struct {
	gbps, port int64
	source     string
	// ports is how many ports the chip has at most, for chips whose software does not say it: a port for each lane of
	// serdes, or as many as the announcement has, and four management ports. It is inferred, and generous. 0: not known.
	ports int
	lanes string // the grounds of the inference
}

// Where the bandwidths come from, beside the vendors' announcements. The texts say how sure they are: a vendor's
// announcement, the trade press, a private page, or inferred from one of these.
const (
	portBuffers  = "private page: port-buffers.forwardingplane.net, "
	warner       = "private page: people.ucsc.edu/~warner/Bufs/"
	linley       = "trade press: Linley Newsletter, "
	semi         = "semiaccurate.com, Broadcom Tomahawk 2, 2016"
	techInsight  = "trade press: techinsights.com, Nvidia reveals 51Tbps Ethernet switch "
	fbossPort    = " (fastest port)"
	asTrident2p  = "inferred: no more than Trident 2+, of which it is a smaller variant"
	tomahawk6Ann = "Broadcom's announcement of June 2025 (102.4 Tb/s, 64 ports of 1.6T); FBOSS's platform mapping of " +
		"the Icecube800BC has ports of 1.6T"
)

// bandwidths are those of the chips that have a source for them.
var bandwidths = map[string]bandwidth{
	"trident2": {1280, 100, "inferred: 128 lanes of 10G, 32 ports of 40G (" + portBuffers +
		"Trident II); fastest port: " + sdk +
		"src/soc/esw/trident2.c (default headroom of 100G)", 132, "128 lanes of 10G"},
	"trident2plus": {1280, 100,
		portBuffers + "Trident II+ (1.28 Tb/s, ports of 100G)",
		132, "128 lanes of 10G, as Trident 2"},
	"trident3": {3200, 100, portBuffers + "Trident 3 (3.2 Tb/s, 32 ports of 100G)", 132, "128 lanes of 25G"},
	"trident4": {12800, 400, "inferred: 32 ports of 400G, 128 of 100G (" + warner + "Trident-4.html)", 0, ""},
	"tomahawk": {3200, 100,
		"inferred: 32 ports of 100G (trade press: " + semi + ": Tomahawk 2 has 64 in place of 32)",
		132, "128 lanes of 25G"},
	"tomahawk2": {6400, 100,
		"trade press: " + semi + " (6.4 Tb/s, 64 ports of 100G)",
		132, "128 logical ports in the same source"},
	"tomahawk3":        {12800, 400, linley + "December 2017 (12.8 Tb/s, 32 ports of 400G)", 0, ""},
	"tomahawk4":        {25600, 400, linley + "December 2019 (25.6 Tb/s, 64 ports of 400G)", 0, ""},
	"tomahawk5":        {51200, 800, "Broadcom's announcement of August 2022 (51.2 Tb/s, 64 ports of 800G)", 0, ""},
	"tomahawk6":        {102400, 1600, tomahawk6Ann, 0, ""},
	"tomahawk6-nh4210": {102400, 1600, tomahawk6Ann, 0, ""},
	"tomahawk-ultra": {51200, 800, "trade press: servethehome.com, Hot Chips 2025 (51.2 Tb/s, 512 lanes of 100G); " +
		"FBOSS TomahawkUltra1Asic.h" + fbossPort, 0, ""},
	"trident2plus-12m": {1280, 100, asTrident2p, 132, "128 lanes of 10G, as Trident 2"},
	"trident2plus-9m":  {1280, 100, asTrident2p, 132, "128 lanes of 10G, as Trident 2"},
	"trident4-56883":   {12800, 400, "inferred: no more than BCM56880, of which it is a smaller variant", 0, ""},
	"trident4-x9":      {12800, 400, "inferred: no more than BCM56880, the largest Trident 4", 164, "as many as BCM56880"},
	"tomahawkplus":     {3200, 100, "inferred: as Tomahawk, whose driver it shares", 132, "128 lanes of 25G, as Tomahawk"},
	"spectrum-1": {3200, 100,
		"inferred: SONiC's files of the SN2700, the largest switch with it, have 32 ports of 100G",
		132, "128 lanes of 25G"},
	"spectrum-2": {6400, 400, linley + "July 2017 (6.4 Tb/s, 16 ports of 400G)", 132, "128 lanes of 50G"},
	"spectrum-3": {12800, 400, "inferred: a quarter of Spectrum-4's 51.2 Tb/s (" + techInsight +
		"); the switch SN4700 has 32 ports of 400G", 260, "256 lanes of 50G"},
	"spectrum-4": {51200, 800,
		techInsight + "(64 ports of 800G)",
		260, "256 ports of 200G and below in the same source"},
	"spectrum-5": {51200, 800, "inferred: SONiC's files of the SN5640 have 512 ports of 100G beside two of service; " +
		"FBOSS ChenabAsic.cpp has 800G as the fastest port of its predecessor", 516, "512 lanes of 100G"},
	"spectrum-6": {102400, 800, "inferred: SONiC's files of the SN6600 have 128 ports of 800G beside two of service; " +
		"FBOSS Chenab2Asic.cpp, taken to be this chip, inherits 800G as the fastest port", 516,
		"512 lanes of FBOSS Chenab2Asic.cpp, taken to be this chip"},
	"silicon-one-q200": {12800, 400, "inferred: the 8101-32FH, taken to be the largest switch with it, has 32 ports of " +
		"400G (xrdocs.io, 8100 & 8200 Deployment Note)", 0, ""},
	"silicon-one-g200": {51200, 800, "trade press: nextplatform.com, February 2026 (half of the 102.4 Tb/s of the " +
		"G300); inferred: FBOSS YubaAsic.h" + fbossPort + ", taken to be G200", 0, ""},
	"silicon-one-g202x": {51200, 800, "inferred: no more than the G200, which has the same memory; FBOSS G202xAsic.h" +
		fbossPort, 0, ""},
	"silicon-one-p200": {51200, 800, "trade press: convergedigest.com, October 2025 (the Cisco 8223: 51.2 Tb/s, 64 " +
		"ports of 800G)", 0, ""},
	"jericho2":    {0, 400, "FBOSS Jericho2Asic.h" + fbossPort, 0, ""},
	"jericho3":    meru,
	"jericho3-ai": meru,
	"jericho4":    {0, 1600, "FBOSS Jericho4Asic.h" + fbossPort, 0, ""},
	"q4d":         {0, 800, "FBOSS Q4DAsic.h" + fbossPort, 0, ""},
	"qumran4d":    {0, 800, "FBOSS Qumran4DAsic.h" + fbossPort, 0, ""},
}

// meru is what FBOSS's switch with Jericho 3-AI has.
var meru = bandwidth{port: 800, source: "inferred: FBOSS's platform mapping of the Meru800BIA has ports of 800G " +
	"(Jericho3Asic.h: 400G)"}

// carries adds a chip's bandwidth, if it is sourced.
func carries(c *buffer.Chip) {
	if b, sourced := bandwidths[c.Name]; sourced {
		c.Bandwidth, c.PortSpeed, c.Sources.Bandwidth = b.gbps, b.port, b.source
		if c.Ports == 0 && b.ports > 0 {
			c.Ports, c.Sources.Ports = b.ports, "inferred: "+b.lanes+", and 4 management ports"
		}
	}
}
