package asic

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestIn(t *testing.T) {
	for text, chips := range map[string][]string{
		"Arista-7060CX-32S-C32":                   {"tomahawk"},
		"DCS-7060CX-32S-F":                        {"tomahawk"},
		"DCS-7060CX2-32S-F":                       nil, // another product, whose chip no source names
		"Arista-7260CX3-D108C8":                   {"tomahawk2"},
		"x86_64-nvidia_sn5640-r0":                 {"spectrum-5"},
		"x86_64-mlnx_msn2700a1-r0":                {"spectrum-1"},
		"x86_64-mlnx_msn2700_simx-r0":             {"spectrum-1"}, // simulates that chip
		"Mellanox-SN4600C-D112C8":                 {"spectrum-3"},
		"7220 IXR-H4-32D":                         {"tomahawk4"},
		"7220 IXR-D3L":                            nil,
		"Nokia-IXR7220-D4-36D":                    {"trident4"},
		"x86_64-kvm_x86_64-r0 Force10-S6000":      nil, // a virtual switch
		"Force10-S6000-Q24S32":                    {"trident2"},
		"leaf1 (DCS-7060X6-32PE, EOS-4.36.1F)":    {"tomahawk5"}, // by its HwSKU
		"x86_64-cel_seastone_2-r0 Seastone_2":     nil,           // the source names the family of its chip
		"x86_64-cel_seastone-r0":                  {"tomahawk"},
		"NH-4210-F-O256":                          {"tomahawk6-nh4210"},
		"x86_64-8101_32fh_o-r0 Cisco-8101-32FH-O": nil, // its chip is inferred
		"newport":         nil,
		"PSU-7060CX-32SX": nil,
		"":                nil,
		"arista 7050cx3-32s, and 7050cx3-32c too": {"trident3", "trident3"},
	} {
		var found []string
		for _, p := range ProductsIn(text) {
			require.NotEmpty(t, p.Source)
			found = append(found, p.Chip)
		}
		require.Equal(t, chips, found, text)
	}
}

// EOS has the part number of a switch, and SONiC its platform and its HwSKU. All of them have one chip.
func TestOneTableOfProducts(t *testing.T) {
	for part, want := range map[string]string{"DCS-7060X6-32PE": "tomahawk5", "DCS-7060X6-32PE-F": "tomahawk5",
		"DCS-7060DX4-32": "tomahawk3", "DCS-7050SX3-48YC8-R": "trident3", "DCS-7280CR3-32P4": "jericho2",
		"DCS-7260CX3-64": "tomahawk2", "DCS-7060CX2-32S": ""} {
		p, _ := ProductOf(part, part)
		require.Equal(t, want, p.Chip, part)
	}
	for _, p := range products()["platform"] {
		if name, arista := strings.CutPrefix(p.Name, "arista_"); arista {
			part := "DCS-" + strings.ToUpper(strings.ReplaceAll(name, "_", "-"))
			of, found := ProductOf(part, part)
			require.True(t, found, part)
			require.Equal(t, p.Chip, of.Chip, part)
			for _, other := range ProductsIn(part) {
				require.Equal(t, p.Chip, other.Chip, part)
			}
		}
	}
}

func TestKnowsChip(t *testing.T) {
	require.True(t, KnowsChip("tomahawk6-nh4210"), "a variant of a chip of the table")
	require.False(t, KnowsChip("tomahawkplus"))
	require.False(t, Product{Chip: "tomahawk"}.Has("tomahawk2"))
}

func FuzzIn(f *testing.F) {
	f.Add("DCS-7060CX-32S-F")
	f.Add("x86_64-kvm_x86_64-r0")
	f.Fuzz(func(t *testing.T, text string) {
		for _, p := range ProductsIn(text) {
			require.NotEmpty(t, p.Chip)
		}
	})
}
