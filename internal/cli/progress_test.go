package cli

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// A device that is no terminal shows no progress.
func TestProgressIsForTerminals(t *testing.T) {
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	require.NoError(t, err)
	defer null.Close()
	require.Nil(t, Progress[int](null))
	require.Nil(t, Progress[int](EscapeTo(null)))
}
