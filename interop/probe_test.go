package interop

import (
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestProbingFramework runs the probes of sonic-mgmt's framework against `cellwarden probe --requests`: four probes of
// a Tomahawk 2; on ten switches those executors that sonic-mgmt has for real switches, unchanged, beside ours; and
// identify in place of the framework's search.
func TestProbingFramework(t *testing.T) {
	if os.Getenv("SONIC_MGMT") == "" {
		t.Skip("SONIC_MGMT: a checkout of sonic-net/sonic-mgmt, and python3: see probe.sh")
	}
	for mode, want := range map[string]string{"probe/tomahawk2.yaml": "headroom pool  ",
		"--ten": "10 tomahawk2 egress drop", "--identify": "IDENTIFIED: one rule"} {
		t.Run(mode, func(t *testing.T) {
			out, err := exec.Command("./probe.sh", mode).Output()
			require.NoError(t, err, "%s", out)
			require.Contains(t, string(out), want)
			t.Logf("%s", out)
		})
	}
}
