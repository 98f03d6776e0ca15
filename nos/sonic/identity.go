package sonic

import (
	"fmt"
	"slices"

	"github.com/cellwarden/cellwarden/asic"
)

// ProductText is what a switch says of its product: platform and hwsku of DEVICE_METADATA.
func ProductText(metadata Entry) string { return metadata["platform"] + " " + metadata["hwsku"] }

// OtherChip tells why a switch is not the one of a plan, by what it says of itself (DEVICE_METADATA:
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
