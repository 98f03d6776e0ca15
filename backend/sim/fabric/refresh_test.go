package fabric

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/unit"
)

// A pause that begins while the timer of an earlier one still runs is refreshed
// in time, however long it lasts. Nothing is lost behind a slow link.
func TestPauseIsRefreshedAfterXON(t *testing.T) {
	n := incast(1, 0)
	n.Links[1].Rate = 10 * unit.Mbps
	s, err := New(n)
	require.NoError(t, err)
	s.Run(200 * unit.Millisecond)
	require.Greater(t, s.Summary().ResumeSent, int64(2))
	require.Zero(t, s.Summary().Drops)
	require.NoError(t, s.Check())
}
