package sonic

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Up to 202505 the updater misses the fields of a profile without a digit in its name.
func TestProfileWithoutADigit(t *testing.T) {
	for _, c := range []struct {
		release release
		why     string
	}{
		{202405, "the updater of 202405 accepts no change of a profile whose name has no digit"},
		{202505, "the updater of 202505 accepts no change of a profile whose name has no digit"},
		{202511, ""},
		{master, ""},
	} {
		u := updater{asic: "th", release: c.release}
		require.Equal(t, c.why, u.field("ingress_lossy_profile", "dynamic_th"))
		require.Empty(t, u.field("pg_lossless_100000_40m_profile", "dynamic_th"))
	}
}
