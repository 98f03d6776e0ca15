package interop

import (
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestProbingFramework runs the four probes of sonic-mgmt's framework against `cellwarden probe --requests`.
func TestProbingFramework(t *testing.T) {
	if os.Getenv("SONIC_MGMT") == "" {
		t.Skip("SONIC_MGMT: a checkout of sonic-net/sonic-mgmt, and python3: see probe.sh")
	}
	out, err := exec.Command("./probe.sh").Output()
	require.NoError(t, err, "%s", out)
	t.Logf("%s", out)
}
