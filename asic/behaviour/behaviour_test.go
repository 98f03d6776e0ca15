package behaviour_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/asic/behaviour"
)

// Every family names its sources and lists what is inferred.
func TestBehaviours(t *testing.T) {
	for _, b := range behaviour.Families() {
		require.NotEmpty(t, b.Source, b.Name)
		require.NotEmpty(t, b.Inferred, b.Name)
		again, ok := behaviour.Lookup(b.Name)
		require.True(t, ok)
		require.Equal(t, b, again)
	}
	_, ok := behaviour.Lookup("shallow")
	require.False(t, ok)
}
