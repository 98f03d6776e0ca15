package internal_test

import (
	"net"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/internal/cli/reference"
)

// The loopback names are known without the case of their letters, and with the point of the root. Another address wants
// --host. What is accepted fails next at the port, which has no number.
func TestReferenceLoopback(t *testing.T) {
	for host, want := range map[string]bool{"localhost": true, "localhost.": true, "LocalHost": true, "127.0.0.1": true,
		"::1": true, "localhost..": false, "planner.lab": false, "0.0.0.0": false, "": false} {
		c := reference.ServeCommand()
		c.SilenceErrors, c.SilenceUsage = true, true
		c.SetArgs([]string{"--listen", net.JoinHostPort(host, "no-port")})
		err := c.ExecuteContext(t.Context())
		require.Error(t, err, host)
		require.Equal(t, want, !strings.Contains(err.Error(), "is not on the loopback interface"), "%s: %v", host, err)
		require.Equal(t, want, strings.Contains(err.Error(), "no-port") && strings.Contains(err.Error(), "unknown port"),
			"%s: %v", host, err)
	}
}
