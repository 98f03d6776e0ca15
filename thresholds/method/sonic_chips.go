package method

import (
	"fmt"
	"strings"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/exact"
	"github.com/cellwarden/cellwarden/unit"
)

// SONiCKiB is an amount in hundredths of a KiB, 10.24 bytes each. SONiC gives
// its delays in KiB with a decimal, and 0.8 KiB is not a whole number of bytes.
type SONiCKiB int64

// String returns the amount as in SONiC's tables: "3.8KiB".
func (k SONiCKiB) String() string {
	sign, n := "", uint64(k)
	if k < 0 { // refused, and shown
		sign, n = "-", -n
	}
	text := strings.TrimRight(fmt.Sprintf("%s%d.%02d", sign, n/100, n%100), "0")
	return strings.TrimSuffix(text, ".") + "KiB"
}

// bytes returns the amount in bytes, exactly.
func (k SONiCKiB) bytes() exact.Ratio { return sonicOver(k, 256, 25) }

// up returns the amount rounded up to whole KiB.
func (k SONiCKiB) up() unit.Bytes { return unit.Bytes(k+99) / 100 * unit.KiB }

// SONiCChip is what SONiC's headroom plug-in knows about a chip: its entry in
// ASIC_TABLE, and what the plug-in derives from the entry's key.
type SONiCChip struct {
	Name            string     // cellwarden's name: "spectrum-4"
	Key             string     // SONiC's name: the key in ASIC_TABLE
	Cell            cells.Size // cell_size: bytes per cell, which decides the waste of small packets
	PipelineLatency SONiCKiB   // pipeline_latency: what XON must cover
	MACPHY          SONiCKiB   // mac_phy_delay: what the egress pipeline and the PHY hold
	PeerResponse    SONiCKiB   // peer_response_time: of a sender whose speed has no pause quanta
	Tile            bool       // adds 120 ns at the port's speed: for keys that end in 4 or 5
	Extra           unit.Bytes // added to XOFF after rounding: 18 KiB for the key that ends in 6
	// for SONiCOlder, from Spectrum-4 on: pause quanta, and XON of 8 lanes not 1 KiB less
	NewTables bool
	// Descriptors is memory for modification descriptors, in place of mirroring (buffer_pool_mellanox.lua); 0: none.
	Descriptors unit.Bytes
	Source      string // of the values
	// EightLanes is the speed that the chip's switches have with 8 lanes alone; 0: there is none.
	EightLanes unit.BitRate
}

// sonicEightLanes says at which speeds the plug-in's manager has ports of 8 lanes alone: 400G of the SN4xxx, which are
// Spectrum-3, and 800G of the SN5xxx, which are Spectrum-4 and -5.
const sonicEightLanes = "sonic-swss, cfgmgr/buffermgrdyn.cpp, getDynamicProfileName"

// Where the numbers of the chips come from.
const (
	sonicSPC = "sonic-buildimage, platform/mellanox/asic_table.j2"
	sonicVS  = "sonic-buildimage, platform/vs/docker-sonic-vs/asic_table.json"
	sonicTOF = "sonic-buildimage, platform/barefoot/asic_table.j2"
	sonicLua = "; sonic-swss, cfgmgr/buffer_headroom_mellanox.lua"
)

// sonicChips is the catalogue. Tile and extra are from the plug-in, the other values from the ASIC tables.
var sonicChips = [...]SONiCChip{
	{Name: "spectrum-1", Key: "MELLANOX-SPECTRUM", Cell: 96, PipelineLatency: 1900, MACPHY: 80, PeerResponse: 380,
		Source: sonicSPC},
	{Name: "spectrum-2", Key: "MELLANOX-SPECTRUM-2", Cell: 144, PipelineLatency: 1900, MACPHY: 80, PeerResponse: 380,
		Source: sonicSPC},
	{Name: "spectrum-3", Key: "MELLANOX-SPECTRUM-3", Cell: 144, PipelineLatency: 1900, MACPHY: 80, PeerResponse: 380,
		EightLanes: 400 * unit.Gbps, Source: sonicSPC},
	{Name: "spectrum-4", Key: "MELLANOX-SPECTRUM-4", Cell: 192, PipelineLatency: 1900, MACPHY: 80, PeerResponse: 380,
		Tile: true, NewTables: true, EightLanes: 800 * unit.Gbps, Source: sonicSPC + sonicLua + " (tile)"},
	{Name: "spectrum-5", Key: "MELLANOX-SPECTRUM-5", Cell: 192, PipelineLatency: 1900, MACPHY: 80, PeerResponse: 380,
		Tile: true, NewTables: true, EightLanes: 800 * unit.Gbps, Source: sonicSPC + sonicLua + " (tile)"},
	{Name: "spectrum-6", Key: "MELLANOX-SPECTRUM-6", Cell: 256, PipelineLatency: 4200, MACPHY: 80, PeerResponse: 380,
		Extra: 18 * unit.KiB, NewTables: true, Descriptors: 32 * unit.MiB, Source: sonicSPC + sonicLua + " (extra)"},
	{Name: "vs", Key: "VS-ASIC", Cell: 128, PipelineLatency: 1800, MACPHY: 80, PeerResponse: 380, Source: sonicVS},
	{Name: "tofino-2", Key: "BAREFOOT-TOFINO-2", Cell: 176, PipelineLatency: 6800, MACPHY: 80, PeerResponse: 900,
		Source: sonicTOF},
}

// LookupSONiCChip returns the chip with a name, or with a key in SONiC's ASIC_TABLE. Upper and lower case are equal.
func LookupSONiCChip(name string) (SONiCChip, bool) {
	for _, c := range sonicChips {
		if strings.EqualFold(c.Name, name) || strings.EqualFold(c.Key, name) {
			return c, true
		}
	}
	return SONiCChip{}, false
}
