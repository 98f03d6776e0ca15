package sonic

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/asic"
	"github.com/cellwarden/cellwarden/audit"
)

// ProductText is what a switch says of its product: platform and hwsku of DEVICE_METADATA.
func ProductText(metadata Entry) string { return metadata["platform"] + " " + metadata["hwsku"] }

// OtherChip tells why a switch is not the one of a plan, by its own description (DEVICE_METADATA:
// platform and hwsku): its product has another chip, or its chip is of another vendor. Empty: it is, or one of them is
// not known. The chip of a virtual switch is not known: it has the HwSKU of some product.
func OtherChip(chip string, db Database) string {
	meta := db["DEVICE_METADATA"]["localhost"]
	text := ProductText(meta)
	if asic.IsVirtual(text) {
		return ""
	}
	said := fmt.Sprintf("its platform %s, HwSKU %s, has ", meta["platform"], meta["hwsku"])
	if found := asic.ProductsIn(text); len(found) > 0 && asic.KnowsChip(chip) {
		if slices.ContainsFunc(found, func(p asic.Product) bool { return p.Has(chip) }) {
			return ""
		}
		return fmt.Sprintf("%sthe chip %s (%s), and the plan is for %s", said, found[0].Chip, found[0].Source, chip)
	}
	planned, theirs := vendorOf("", chip, nil), vendorOf("", "", meta)
	if vendors[planned] == "" || vendors[theirs] == "" || planned == theirs {
		return ""
	}
	return fmt.Sprintf("%sa chip of %s, and the plan is for %s, of %s", said, vendors[theirs], chip, vendors[planned])
}

// vendors are the names of vendors, for people.
var vendors = map[vendor]string{nvidia: "NVIDIA", barefoot: "Intel (Barefoot)", otherVendor: "another vendor"}

// Identify finds the chip of a switch by its platform, such as x86_64-arista_7060_cx32s, and its HwSKU, such as
// Arista-7060CX-32S-C32. Either may be empty. A switch that is not in the tables has a chip that is not known.
func Identify(platform, hwsku string) audit.Chip {
	if p, found := asic.ProductOf(platform, ""); found {
		return audit.Catalogued(p.Chip, "platform "+platform+" ("+p.Source+")")
	}
	if p, found := asic.ProductOf("", hwsku); found {
		return audit.Catalogued(p.Chip, "HwSKU "+hwsku+" ("+p.Source+")")
	}
	switch {
	case platform == "" && hwsku == "":
		return audit.Chip{How: "not known: the configuration names neither platform nor HwSKU (--chip NAME says it)"}
	case platform == "":
		return audit.Chip{How: "not known: HwSKU " + hwsku + " is not in the tables (--chip NAME says it)"}
	}
	return audit.Chip{How: "not known: platform " + platform + " is not in the tables (--chip NAME says it)"}
}

// IdentifyBySDK finds the chip by the name of the configuration file of Broadcom's SDK, which begins with the chip, or
// by the chip's short name: th5-a7060x6.config.bcm, th5. How says where the name is from. The chip is not known if the
// text begins otherwise.
func IdentifyBySDK(text, how string) audit.Chip {
	short, _, _ := strings.Cut(text, "-")
	if name := shortNames[short]; name != "" {
		return audit.Catalogued(name, how+" names "+text)
	}
	return audit.Chip{How: "not known: " + how + " names " + text}
}

// shortNames are the chips by the names that SONiC's device files begin with. Trident 4 has variants of three sizes: it
// is left out.
var shortNames = map[string]string{"td2": "trident2", "td3": "trident3", "th": "tomahawk", "th2": "tomahawk2",
	"th3": "tomahawk3", "th4": "tomahawk4", "th5": "tomahawk5", "th6": "tomahawk6", "jr2": "jericho2",
	"jr2p": "jericho2cplus", "j2p": "jericho2cplus", "jr2cp": "jericho2cplus", "q3d": "qumran3d"}
