package asic

import "strings"

// The sources name chips in their own short words. SONiC's updater looks for the chip of a switch in a list of HwSKUs,
// SONiC's buffer manager for NVIDIA in a table of platforms, and SONiC's tests in lists of HwSKUs. The product is the
// part of a HwSKU that does not depend on how its ports are divided. EOS writes 7050QX-32 for the HwSKU 7050-QX32, and
// SR Linux 7220 IXR-H3 for IXR7220-H3: that these are one product is inferred from the names. Cisco's products are left
// out, because that the chip gb of SONiC's tests is a Q200 is inferred.
const (
	updater = "sonic-utilities 691b1bbc, generic_config_updater/gcu_field_operation_validators.conf.json"
	nvidia  = "sonic-buildimage 086b03bd, platform/mellanox/asic_table.j2"
	intel   = "sonic-buildimage 086b03bd, platform/barefoot/asic_table.j2"
	tests   = "sonic-mgmt b4ba9de3, ansible/group_vars/sonic/variables"
)

// table has all products, those of one chip together.
var table = join(
	of("trident2", updater, "FORCE10-S6000", "7050-QX32", "7050-QX-32S", "7050QX32S", "7050QX-32", "7050QX-32S",
		"NEXUS-3164"),
	of("trident3", updater, "7050CX3-32C", "7050CX3-32S"),
	of("trident4", updater, "IXR7220-D4", "7220 IXR-D4"),
	of("tomahawk", updater, "FORCE10-S6100", "7060CX-32S", "CELESTICA-DX010", "SEASTONE-DX010"),
	of("tomahawk2", updater, "7260CX3"),
	of("tomahawk3", updater, "IXR7220-H3", "7220 IXR-H3"),
	of("tomahawk3", tests, "DELLEMC-Z9332F"),
	of("tomahawk4", updater, "IXR7220-H4", "7220 IXR-H4"),
	of("tomahawk4", tests, "7060DX5-32", "7060DX5-64S"),
	of("tomahawk5", updater, "IXR7220-H5", "7220 IXR-H5", "7060X6-64DE", "7060X6-64PE", "7060X6-16PE-384C"),
	of("tomahawk5", tests, "NH-4010"),
	of("tomahawk6", updater, "IXR7220-H6", "7220 IXR-H6"),
	of("tomahawk6", tests, "NH-4210"),
	of("jericho2", updater, "7800R3-48CQ2", "7800R3-48CQM2"),
	of("spectrum-1", nvidia, spelled("2010", "2100", "2410", "2700", "2700A1", "2740", "2201")...),
	of("spectrum-2", nvidia, spelled("3420", "3700", "3700C", "3800")...),
	of("spectrum-3", nvidia, spelled("4280", "4410", "4600", "4600C", "4700", "4800")...),
	of("spectrum-4", nvidia, spelled("5400", "5600", "5610N")...),
	of("spectrum-5", nvidia, spelled("5640")...),
	of("spectrum-6", nvidia, "SN6600_LD", "SN6810_LD"),
	of("teralynx7", tests, "SW_TO3200K"),
	of("teralynx10", tests, "DBMVTX9180"),
	of("tofino2", intel, "AS9516_32D", "AS9516BF_32D"),
)

// of makes products of one chip.
func of(chip, source string, names ...string) []Product {
	var out []Product
	for _, name := range names {
		out = append(out, Product{name, chip, source})
	}
	return out
}

// spelled are the ways in which NVIDIA's products are written: MSN2700 in platforms, SN2700 in HwSKUs and on the
// switch.
func spelled(numbers ...string) []string {
	var out []string
	for _, n := range numbers {
		out = append(out, "MSN"+n, "SN"+n)
	}
	return out
}

func join(all ...[]Product) []Product {
	var out []Product
	for _, products := range all {
		for _, p := range products {
			p.Name = strings.ToUpper(p.Name)
			out = append(out, p)
		}
	}
	return out
}
