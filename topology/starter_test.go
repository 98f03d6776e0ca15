package topology_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/asic"
	"github.com/cellwarden/cellwarden/backend/sim"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/topology"
)

// The topology of init is admitted for every chip that can be planned with, at the chip's fastest ports and at slower
// ones. No group has less headroom than the worst case of its link, none is shared, and verify proves it at the
// fastest ports: LOSSLESS, or with memory beside the chip LOSSLESS IF packets move there fast enough. A port that is
// faster than the chip's fastest is refused.
func TestStarterOfEveryChipFits(t *testing.T) {
	planned := 0
	for _, chip := range asic.All() {
		if len(chip.Slices) == 0 {
			continue
		}
		planned++
		for _, speed := range []string{"", "100G", "25G", "10G"} {
			text, err := topology.Starter(chip.Name, speed, 0, 0, 0, nil, nil)
			require.NoError(t, err, "%s %s", chip.Name, speed)
			in, err := topology.Parse(chip.Name, []byte(text), noFiles)
			require.NoError(t, err, "%s %s", chip.Name, speed)
			p, err := buffer.New(in)
			require.NoError(t, err, "%s %s", chip.Name, speed)
			require.True(t, p.Fits, "%s %s: %v", chip.Name, speed, p.Err())
			require.Empty(t, p.SizeNotes(), "%s %s", chip.Name, speed)
			require.Equal(t, buffer.Pool{}, in.Pool, "%s %s: every group has headroom of its own", chip.Name, speed)
			if speed != "" || testing.Short() && planned > 1 {
				continue // verify takes long for the far cables of all of them
			}
			v, err := sim.Verify(t.Context(), in, p.Layout(), sim.VerifyOptions{})
			require.NoError(t, err, chip.Name)
			if !chip.Deep() {
				require.Equal(t, report.Lossless, v.Verdict, "%s: %v", chip.Name, v.Conditions)
				continue
			}
			require.Equal(t, report.LosslessIf, v.Verdict, chip.Name)
			for _, c := range v.Conditions {
				require.Contains(t, c, "packets move to the memory beside the chip at ", chip.Name)
			}
		}
		if chip.PortSpeed > 0 {
			_, err := topology.Starter(chip.Name, "3200G", 1, 0, 0, nil, nil)
			require.ErrorContains(t, err, "the fastest port of "+chip.Name)
		}
	}
	require.Greater(t, planned, 25)
}
