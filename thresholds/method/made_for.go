package method

import (
	"strings"

	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/thresholds/table"
)

// Fit says whether a method is made for a chip.
type Fit int

// The answers.
const (
	FitUnknown Fit = iota // the chip is not known, and the method is made for some chips only
	FitsChip              // made for the chip, or for every chip
	otherChip             // made for other chips, or for none: its numbers are not those of this chip
)

// chips are the chips that a method is made for: names of the catalogue, or what
// they begin with. A method that is not listed here is for every chip.
var chips = map[string][]string{
	// OpenBCM, src/soc/esw: the code of every XGS chip. nfe is a Trident 2.
	BroadcomDelay{}.Method(): {"trident", "tomahawk", "nfe"},
	// OpenBCM, src/soc/esw/tomahawk3.
	BroadcomTH3{}.Method(): {"tomahawk3"},
	// Cisco Press: the no-drop classes of Nexus switches.
	CiscoPractical{}.Method(): {"cloudscale", "nfe"},
	// Junos CLI reference: the QFX5000 switches, which have Broadcom's XGS chips.
	Juniper{}.Method(): {"trident", "tomahawk"},
	// Linux mlxsw: drivers/net/ethernet/mellanox/mlxsw, Spectrum to Spectrum-4.
	MLXSW{}.Method(): {"spectrum-1", "spectrum-2", "spectrum-3", "spectrum-4"},
	// Linux mlx5: a NIC at the other end of the link, no switch.
	MLX5{}.Method(): {},
}

// MadeFor tells whether a method is made for a chip of the catalogue's name; an empty name is a chip that is not known.
// The table method fits where its file does, which is for the operator to say.
func MadeFor(name, chip string) Fit {
	chip = strings.ToLower(strings.TrimSpace(chip))
	if name == (SONiC{}).Method() && chip != "" {
		if _, known := LookupSONiCChip(chip); known {
			return FitsChip
		}
		return otherChip
	}
	made, some := chips[name]
	switch {
	case name == (thresholds.IEEE{}).Method() || name == (&table.Table{}).Method():
		return FitsChip
	case some && len(made) == 0:
		return otherChip
	case chip == "" || !some:
		return FitUnknown
	}
	for _, prefix := range made {
		// tomahawk3 is not for a tomahawk30, spectrum-1 not for a spectrum-10.
		rest, begins := strings.CutPrefix(chip, prefix)
		last := prefix[len(prefix)-1]
		if begins && (last < '0' || last > '9' || rest == "" || rest[0] == '-') {
			return FitsChip
		}
	}
	return otherChip
}
