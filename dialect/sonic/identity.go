package sonic

// OtherChip tells why a switch is not the one of a plan, by what it says of itself (DEVICE_METADATA:
// platform and hwsku): its chip is of another vendor. Empty: it is, or one of them is not known.
func OtherChip(chip string, db Database) string {
	meta := db["DEVICE_METADATA"]["localhost"]
	planned, said := vendorOf("", chip, nil), vendorOf("", "", meta)
	ours, known := vendors[planned]
	theirs, says := vendors[said]
	if !known || !says || planned == said {
		return ""
	}
	return "its platform " + meta["platform"] + ", HwSKU " + meta["hwsku"] + ", has a chip of " + theirs +
		", and the plan is for " +
		chip + ", of " + ours
}

// vendors are the names of vendors, for people.
var vendors = map[vendor]string{nvidia: "NVIDIA", barefoot: "Intel (Barefoot)", otherVendor: "another vendor"}
