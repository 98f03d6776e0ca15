package reference

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The loopback names are known without the case of their letters, and with the point of the root.
func TestLoopback(t *testing.T) {
	for host, want := range map[string]bool{"localhost": true, "localhost.": true, "LocalHost": true, "127.0.0.1": true,
		"::1": true, "localhost..": false, "planner.lab": false, "0.0.0.0": false, "": false} {
		require.Equal(t, want, loopback(host), host)
	}
}
