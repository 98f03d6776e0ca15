// Package asic says which switch chip a product has, by the name under which a switch reports itself:
// a HwSKU or platform of SONiC, or a part number or description of its chassis.
//
// A switch seldom names its chip. It names its product, and for some products a public source names the chip. Only
// these are in the table, each with its source. Of every other product the chip is unknown.
//
//	asic.ProductsIn("x86_64-mlnx_msn2700-r0 ACS-MSN2700") // the MSN2700, with the chip spectrum-1
package asic

import (
	"slices"
	"strings"
)

// Product is a switch whose chip is known.
type Product struct {
	Name   string // as it stands in a text, in upper case
	Chip   string // name in cellwarden's catalogue; a plan may be for a variant of it: see Has
	Source string
}

// ProductsIn lists the products that a text names, in the order of the table; none if no source names their chips. A virtual
// switch has the name of a product whose chip it does not have, so that nothing is found in its texts.
func ProductsIn(text string) []Product {
	if IsVirtual(text) {
		return nil
	}
	text = strings.ToUpper(text)
	var out []Product
	for _, p := range table {
		if contains(text, p.Name) {
			out = append(out, p)
		}
	}
	return out
}

// IsVirtual tells whether a text is of a virtual switch, which has no chip.
func IsVirtual(text string) bool {
	text = strings.ToUpper(text)
	return slices.ContainsFunc(virtual, func(word string) bool { return contains(text, word) })
}

// virtual are words in the platforms and HwSKUs of virtual switches of SONiC (sonic-buildimage 086b03bd:
// the default of device/virtual/x86_64-kvm_x86_64-r0 is the HwSKU Force10-S6000, and platform/vs is for every one).
var virtual = []string{"KVM", "VS"}

// Has tells whether the product has the chip of a plan, or a chip of which that is a variant: a plan for
// "tomahawk6-nh4210" suits a product with "tomahawk6".
func (p Product) Has(chip string) bool { return isOf(chip, p.Chip) }

// isOf tells whether a name in the catalogue is of a chip or of a variant of it.
func isOf(name, chip string) bool { return name == chip || strings.HasPrefix(name, chip+"-") }

// KnowsChip tells whether the table has a product with this chip. Of other chips it is not known which products have them,
// so that nothing follows from the name of a product.
func KnowsChip(chip string) bool {
	return slices.ContainsFunc(table, func(p Product) bool { return p.Has(chip) })
}

// contains tells whether a text has a name that is not part of a longer word or number.
func contains(text, name string) bool {
	for from := 0; ; {
		i := strings.Index(text[from:], name)
		if i < 0 {
			return false
		}
		begin, end := from+i, from+i+len(name)
		if !isWord(text, begin-1) && !isWord(text, end) {
			return true
		}
		from = begin + 1
	}
}

// isWord tells whether there is a letter or a digit at a place of a text.
func isWord(text string, at int) bool {
	if at < 0 || at >= len(text) {
		return false
	}
	c := text[at]
	return c >= '0' && c <= '9' || c >= 'A' && c <= 'Z'
}
