package internal_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/backend/sim/scenario"
	"github.com/cellwarden/cellwarden/internal/foreign"
)

// write exports the incast, with some text replaced.
func write(t *testing.T, simulator string, replace ...string) (string, error) {
	s, err := scenario.Read("incast.yaml", []byte(strings.NewReplacer(replace...).Replace(incast)), os.ReadFile)
	require.NoError(t, err)
	var out strings.Builder
	err = foreign.WriteSettings(&out, simulator, s.Name, &s.Network)
	return out.String(), err
}

// What ns-3 can express stands in its keys, which the program reads as words; what is left is in comments, which have
// no word that is a key.
func TestForeignNS3(t *testing.T) {
	text, err := write(t, "ns3")
	require.NoError(t, err)
	for _, want := range []string{
		"\nUSE_DYNAMIC_PFC_THRESHOLD 1\nPACKET_PAYLOAD_SIZE 1000\nBUFFER_SIZE 1\n",
		"\nKMAX_MAP 1 100000000000 400\nKMIN_MAP 1 100000000000 100\nPMAX_MAP 1 100000000000 0.200000\n",
		"need 1458176 bytes: which is no whole number of MiB",
		"headroom 98304 bytes. The program computes rate * delay * 3 = 18750; the factor that gives the plan's is 15.72.",
		"cells of 256 bytes",
	} {
		require.Contains(t, text, want)
	}
	// alpha, reserved bytes and XON offset are those of the program.
	require.NotContains(t, text, "shift")
	require.NotContains(t, text, "resume_offset")
	keys := 0
	for line := range strings.SplitSeq(text, "\n") {
		for i, word := range strings.Fields(line) {
			if strings.HasPrefix(line, "#") {
				require.NotRegexp(t, "^[A-Z0-9]+(_[A-Z]+)+$", word)
			} else if i == 0 {
				keys++
			}
		}
	}
	require.Equal(t, 6, keys)

	text, err = write(t, "ns3", "alpha: 1/8", "alpha: 1/2", "4KiB", "8KiB", "xon_offset: 3KiB", "xon_offset: 4KiB",
		"  ecn: {rdma: {kmin: 100000B, kmax: 400000B, pmax: 20%}}\n", "", "interface: 0ns", "interface: 50ns")
	require.NoError(t, err)
	for _, want := range []string{"write shift = 1.", "The plan reserves 8192 bytes", "resumes 4096 bytes below",
		"do not mark", "Interfaces delay by 50ns"} {
		require.Contains(t, text, want)
	}
	text, err = write(t, "ns3", "alpha: 1/8", "static: 100KiB")
	require.NoError(t, err)
	require.Contains(t, text, "USE_DYNAMIC_PFC_THRESHOLD 0\n")
	require.Contains(t, text, "the program has a dynamic one")
}

// htsim has static limits in packets: those of a group when all are full.
func TestForeignSettingsOfHtsim(t *testing.T) {
	text, err := write(t, "htsim")
	require.NoError(t, err)
	// 4 KiB and 1 MiB / (8+4) for each of four groups, in packets of 1,048 bytes; XON 3 KiB below.
	require.Contains(t, text, "-nodes 4 -linkspeed 100000 -mtu 1048 -hop_latency 0.5 -queue_type lossless_input")
	require.Contains(t, text, "-pfc_thresholds 84 87\n")
	require.Contains(t, text, "One that is full alone has 120604 bytes: 115 packets.")
	text, err = write(t, "htsim", "alpha: 1/8", "static: 100KiB")
	require.NoError(t, err)
	require.Contains(t, text, "-pfc_thresholds 98 101\n")
}

// What has several values where the other program has one is refused, and so is what has nothing to say.
func TestForeignWriteRefuses(t *testing.T) {
	_, err := write(t, "omnet")
	require.ErrorContains(t, err, `simulator "omnet" (want ns3, htsim`)
	_, err = write(t, "ns3", "lossless: true", "lossless: false", ", headroom: 96KiB, xon_offset: 3KiB", "",
		"  pfc: [rdma]\n", "")
	require.ErrorContains(t, err, "no switch has a lossless group")
	_, err = write(t, "ns3", "priority: 3, lossless: true}]",
		"priority: 3, lossless: true}, {name: b, priority: 4, lossless: true}]", "groups: {",
		"groups: {b: {alpha: 1, headroom: 1KiB}, ")
	require.ErrorContains(t, err, "differs among its lossless groups")
	s, err := scenario.Read("incast.yaml", []byte(incast), os.ReadFile)
	require.NoError(t, err)
	require.Error(t, foreign.WriteSettings(broken{}, "ns3", s.Name, &s.Network))
}

// broken is a file that cannot be written.
type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("full") }
