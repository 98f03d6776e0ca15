package method_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/thresholds/method"
)

// Every method says of every chip whether it is made for it.
func TestMadeFor(t *testing.T) {
	for chip, want := range map[string][]string{
		"tomahawk3":      {"broadcom-delay", "broadcom-th3", "ieee802.1qbb", "juniper", "table"},
		"Tomahawk5":      {"broadcom-delay", "ieee802.1qbb", "juniper", "table"},
		"trident2plus":   {"broadcom-delay", "ieee802.1qbb", "juniper", "table"},
		"nfe":            {"broadcom-delay", "cisco-practical", "ieee802.1qbb", "table"},
		"cloudscale-fx2": {"cisco-practical", "ieee802.1qbb", "table"},
		"spectrum-4":     {"ieee802.1qbb", "mlxsw", "sonic-dynamic", "table"},
		"spectrum-6":     {"ieee802.1qbb", "sonic-dynamic", "table"},
		"jericho2":       {"ieee802.1qbb", "table"},
		"tofino-2":       {"ieee802.1qbb", "sonic-dynamic", "table"},
	} {
		var fit []string
		for _, m := range method.Methods() {
			require.NotEqual(t, method.FitUnknown, method.MadeFor(m, chip), m)
			if method.MadeFor(m, chip) == method.FitsChip {
				fit = append(fit, m)
			}
		}
		require.Equal(t, want, fit, chip)
	}
	for m, want := range map[string]method.Fit{"ieee802.1qbb": method.FitsChip, "table": method.FitsChip,
		"mlx5": method.OtherChip, "broadcom-th3": method.FitUnknown, "sonic-dynamic": method.FitUnknown} {
		require.Equal(t, want, method.MadeFor(m, ""), m)
	}
}
