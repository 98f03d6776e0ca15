package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/internal/effort"
)

// The first line, the exit code and the verdict in JSON of each command say the same, and no command says what another
// one denies: topologies that fit, with methods and pools that are enough and that are not, and topologies that do not
// fit. The library's rules are in internal/golden.
func TestCommandsAgreeOnTheirVerdicts(t *testing.T) {
	effort.SkipShort(t, "it asks every command about many topologies")
	seen := map[string]int{}
	name := filepath.Join(t.TempDir(), "leaf.yaml")
	for _, chip := range []string{"tomahawk", "spectrum-2", "silicon-one-q200"} {
		for _, how := range []string{"{method: ieee802.1qbb}", "{method: ieee802.1qbb, frame: 1024B}", "{method: mlx5}"} {
			for ratio := range 4 {
				for _, far := range []string{"40m", "1000km"} {
					text := fmt.Sprintf("chip: %s\nheadroom: %s\npool: {shared_headroom_ratio: %d}\nclasses:\n"+
						"  - {name: rdma, priorities: [3], lossless: true, mtu: 4096B}\nports:\n"+
						"  - {range: Ethernet1-8, speed: 100G, cable: %s}\n", chip, how, max(ratio, 1), far)
					if ratio == 0 {
						text = strings.Replace(text, "pool: {shared_headroom_ratio: 1}\n", "", 1)
					}
					require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
					seen[requireOneVerdict(t, name, text)]++
				}
			}
		}
	}
	for _, verdict := range []string{"", "lossless", "lossless-for-frames", "not-lossless"} {
		require.Greater(t, seen[verdict], 4, "%q of %v", verdict, seen)
	}
}

// said is what one command says: its first line, its exit code and its verdict in JSON.
type said struct {
	code        int
	first, json string
}

func saysOf(t *testing.T, args ...string) (out said) {
	t.Helper()
	code, text, _ := cellwarden(t, args...)
	out.code, out.first = code, strings.SplitN(text, "\n", 2)[0]
	if text != "" {
		out.json, _ = documentOf(t, append(args, "-o", "json")...)["verdict"].(string)
	}
	return out
}

// requireOneVerdict asks every command about a topology, and returns what verify says; empty: the plan is refused.
func requireOneVerdict(t *testing.T, name, text string) string {
	t.Helper()
	plan, far, risk := saysOf(t, "plan", name), saysOf(t, "capacity", name, "--only", "mtu"), saysOf(t, "risk", name)
	proof, explained := saysOf(t, "verify", name), saysOf(t, "explain", name, "Ethernet1", "headroom")
	fits := plan.json != "does-not-fit"
	require.Equal(t, fits, strings.HasPrefix(plan.first, "FITS"), text)
	require.Equal(t, fits, strings.HasPrefix(far.first, "FITS"), text)
	require.Equal(t, plan.json, far.json, text)
	for _, s := range []said{plan, far, explained, risk} {
		require.Equal(t, map[bool]int{true: 0, false: 3}[fits], s.code, "%s: %s", s.first, text)
	}
	if !fits {
		require.Equal(t, 3, proof.code, text)
		require.Empty(t, proof.json, text)
		require.True(t, strings.HasPrefix(risk.first, "DOES NOT FIT: "), text)
		return ""
	}
	code := map[string]int{"lossless": 0, "lossless-if": 0, "lossless-for-frames": 3, "not-lossless": 3}
	first := map[string]string{"lossless": "LOSSLESS: ", "lossless-if": "LOSSLESS IF ",
		"lossless-for-frames": "LOSSLESS for ", "not-lossless": "NOT LOSSLESS: "}
	require.Equal(t, code[proof.json], proof.code, "%s: %s", proof.first, text)
	require.True(t, strings.HasPrefix(proof.first, first[proof.json]), "%s: %s", proof.first, text)
	require.Equal(t, risk.json == "dedicated", strings.HasPrefix(risk.first, "NO RISK OF THIS KIND"), text)
	require.Equal(t, risk.json == "never", strings.HasPrefix(risk.first, "NO OVERFLOW"), text)
	overflows := risk.json != "dedicated" && risk.json != "never"
	if strings.Contains(text, "method: ieee802.1qbb}") {
		require.Equal(t, overflows, proof.json == "not-lossless", "%s, %s: %s", risk.first, proof.first, text)
	}
	if overflows {
		require.Contains(t, plan.first, " with headroom shared ", text)
	}
	return proof.json
}
