package asic

import (
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
		"PSU-7060CX-32SX":                         nil,
		"":                                        nil,
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

// The table names chips of the catalogue.
func TestChips(t *testing.T) {
	known := map[string]bool{}
	for _, name := range Names() {
		known[name] = true
	}
	for _, p := range table {
		require.True(t, known[p.Chip], p.Name)
	}
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
