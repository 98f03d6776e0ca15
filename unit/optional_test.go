package unit_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/unit"
)

func TestOptionalTellsZeroFromAbsence(t *testing.T) {
	var absent unit.Optional[unit.Time]
	require.False(t, absent.IsGiven())
	require.Equal(t, unit.Second, absent.Or(unit.Second))
	zero := unit.Given(unit.Time(0))
	v, given := zero.Get()
	require.True(t, given)
	require.Zero(t, v)
	require.Zero(t, zero.Or(unit.Second))
	require.NotEqual(t, absent, zero)
}
