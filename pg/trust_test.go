package pg_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/pg"
)

// A field of a packet is read as it is printed; what is not stated has no text to read.
func TestTrust(t *testing.T) {
	for _, want := range []pg.Trust{pg.TrustPCP, pg.TrustDSCP} {
		got, err := pg.ParseTrust(want.String())
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	_, err := pg.ParseTrust(pg.TrustUnknown.String())
	require.EqualError(t, err, `"unknown" is no field of a packet (want pcp, dscp)`)
}
