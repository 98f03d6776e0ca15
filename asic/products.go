package asic

import (
	_ "embed"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/internal/csvcell"
	"github.com/cellwarden/cellwarden/internal/once"
)

// A switch seldom names its chip. It names its product, and for some products a public source names the chip. Only
// these are in the table, each with its source. Of every other product the chip is unknown.

// Product is a switch whose chip is known.
type Product struct {
	Name    string // as in the table
	Chip    string // name in the catalogue; a plan may be for a variant of it: see Has
	Source  string
	decides bool // a plan for another chip is refused by the product
}

// productTable has all products, as its first lines describe.
//
//go:embed products.csv
var productTable string

// products are the table, a product for each name, by the form of the names: word, platform, hwsku.
var products = once.Value(func() map[string][]Product {
	out := map[string][]Product{}
	for _, row := range csvcell.Rows(productTable) {
		for name := range strings.SplitSeq(row[3], ",") {
			out[row[0]] = append(out[row[0]], Product{strings.TrimSpace(name), row[1], row[4], row[2] == "yes"})
		}
	}
	return out
})

// ProductsIn lists the products that a text names, in the order of the table; none if no source names their chips. The
// text is a platform or a HwSKU of SONiC, or a part number or description of a chassis:
//
//	asic.ProductsIn("x86_64-mlnx_msn2700-r0 ACS-MSN2700") // the MSN2700, with the chip spectrum-1
//
// A virtual switch has the name of a product whose chip it does not have, so that nothing is found in its texts.
func ProductsIn(text string) []Product {
	if IsVirtual(text) {
		return nil
	}
	var out []Product
	for _, p := range products()["word"] {
		if contains(strings.ToUpper(text), p.Name) {
			out = append(out, p)
		}
	}
	if len(out) > 0 {
		return out
	}
	for _, name := range strings.FieldsFunc(text, isBetweenNames) {
		p, found := ofPlatform(name)
		if !found {
			// A name without a number is a code name, and may be a word of any text.
			p, found = ofHwSKU(name)
			found = found && strings.ContainsAny(p.Name, "0123456789")
		}
		if found && p.decides && !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	return out
}

// isBetweenNames tells whether a sign is in no platform and in no HwSKU.
func isBetweenNames(r rune) bool {
	return !strings.ContainsRune("_-.", r) && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
}

// revision ends the name of a platform: -r0, -r0021. Simulated switches of NVIDIA have the chip's pools.
var revision = once.Pattern(`(_simx)?(-r[0-9]+(\.[0-9.]+)?)?$`)

// ProductOf finds the product of a platform of SONiC, such as x86_64-arista_7060_cx32s-r0, or of a HwSKU, such as
// Arista-7060CX-32S-C32; the platform says more. Either may be empty, and may be a part number of EOS, such as
// DCS-7060X6-32PE-F, which is the platform arista_7060x6_32pe and the HwSKU Arista-7060X6-32PE.
func ProductOf(platform, hwsku string) (Product, bool) {
	if p, found := ofPlatform(platform); found {
		return p, true
	}
	return ofHwSKU(hwsku)
}

func ofPlatform(name string) (Product, bool) {
	name = strings.ToLower(strings.TrimSpace(name))
	if part, eos := strings.CutPrefix(name, "dcs-"); eos {
		// The last letter is the direction of the air.
		name = "arista_" + strings.ReplaceAll(airflow().ReplaceAllString(part, ""), "-", "_")
	}
	name = strings.TrimPrefix(revision().ReplaceAllString(name, ""), "x86_64-")
	i := slices.IndexFunc(products()["platform"], func(p Product) bool { return p.Name == name })
	if i < 0 {
		return Product{}, false
	}
	return products()["platform"][i], true
}

// airflow ends a part number of EOS.
var airflow = once.Pattern(`-[fr]$`)

// ofHwSKU finds the longest name of the table that a HwSKU begins with.
func ofHwSKU(name string) (out Product, found bool) {
	name = strings.Replace(name, "DCS-", "Arista-", 1)
	for _, p := range products()["hwsku"] {
		if len(p.Name) > len(out.Name) && strings.HasPrefix(name, p.Name) {
			out, found = p, true
		}
	}
	return out, found
}

// IsVirtual tells whether a text is of a virtual switch, which has no chip.
func IsVirtual(text string) bool {
	text = strings.ToUpper(text)
	return slices.ContainsFunc(virtual, func(word string) bool { return contains(text, word) })
}

// virtual are words in the platforms and HwSKUs of virtual switches of SONiC (sonic-buildimage 086b03bd:
// the default of device/virtual/x86_64-kvm_x86_64-r0 is the HwSKU Force10-S6000, and platform/vs is for every one).
var virtual = []string{"KVM", "VS"}

// Has tells whether the product has the chip of a plan, or the base chip of that variant: a plan for
// "tomahawk6-nh4210" suits a product with "tomahawk6".
func (p Product) Has(chip string) bool { return chip == p.Chip || strings.HasPrefix(chip, p.Chip+"-") }

// KnowsChip tells whether the table has a product with this chip. Of other chips it is not known which products have
// them, so that nothing follows from the name of a product.
func KnowsChip(chip string) bool {
	for _, all := range products() {
		if slices.ContainsFunc(all, func(p Product) bool { return p.decides && p.Has(chip) }) {
			return true
		}
	}
	return false
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
