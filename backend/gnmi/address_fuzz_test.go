package gnmi_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/backend/gnmi"
)

// FuzzAddress reads any text as an address. It is refused, and no user with a password is repeated; or its normal form
// is an address too, and its own normal form.
func FuzzAddress(f *testing.F) {
	for _, text := range []string{"leaf1", "leaf1:9339", "[2001:db8::1]:6030", "2001:db8::1", "admin:secret@leaf1",
		"unix:/x",
		"dns:///leaf1", ":9339", "leaf1:0", "leaf 1", "a\x1b:1", "[::1", "leaf1:99999"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		address, err := gnmi.Address(text)
		if err != nil {
			if strings.Contains(text, "@") {
				require.NotContains(t, err.Error(), text)
			}
			return
		}
		again, err := gnmi.Address(address)
		require.NoError(t, err)
		require.Equal(t, address, again)
	})
}
