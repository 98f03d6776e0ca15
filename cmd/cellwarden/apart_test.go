package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/backend/journal"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/effort"
)

// A push is refused while another process of this machine pushes to the same switch, and its number
// is named. A dry run needs no lock.
func TestOnePushAtATime(t *testing.T) {
	_, leaf := state(t)
	address := serve(t, "--chip", "tomahawk")
	lock, err := journal.LockTarget(address, time.Now())
	require.NoError(t, err)
	code, out, bad := cellwarden(t, "apply", leaf, "--target", address, "--insecure")
	require.Equal(t, cli.ExitFailure, code)
	require.Empty(t, out)
	require.Regexp(t, `nothing was sent: another process is pushing to \S+: process \d+ of `, bad)
	require.Empty(t, held(t, address))
	code, _, bad = cellwarden(t, "apply", leaf, "--target", address, "--insecure", "--dry-run")
	require.Zero(t, code, bad)
	lock.Release()
	code, _, bad = cellwarden(t, "apply", leaf, "--target", address, "--insecure")
	require.Zero(t, code, bad)
}

// A plan for another chip is refused before anything is sent, and drift compares nothing.
func TestPlanOfAnotherChip(t *testing.T) {
	effort.Alone(t)
	_, leaf := state(t)
	address := serve(t, "--chip", "tomahawk")
	other := filepath.Join(t.TempDir(), "other.yaml")
	require.NoError(t, os.WriteFile(other, []byte(strings.Replace(twoPorts, "tomahawk", "tomahawk3", 1)), 0o600))
	for _, verb := range []string{"apply", "drift"} {
		code, _, bad := cellwarden(t, verb, other, "--target", address, "--insecure")
		require.Equal(t, cli.ExitUsage, code, bad)
		require.Contains(t, bad, "the plan is not for this switch: it has the chip tomahawk with cells of 208 bytes, and "+
			"the plan "+
			"is for tomahawk3 with cells of 254 bytes")
		require.Empty(t, held(t, address))
	}
	code, out, bad := cellwarden(t, "apply", leaf, "--target", address, "--insecure", "-o", "json")
	require.Zero(t, code, bad)
	require.Contains(t, out, "\"not_said_by_target\": [\n    \"ports\"\n  ]", "a simulated switch has any port")
	code, out, bad = cellwarden(t, "drift", leaf, "--target", address, "--insecure")
	require.Zero(t, code, bad)
	require.Contains(t, out, "not compared, because the switch does not say it: its ports")
}

// A push is resumed on a switch of the same chip alone: the journal has what apply compared.
func TestResumeOnAnotherSwitch(t *testing.T) {
	file := journalAfter(t, watch(t), 1)
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	sameCells := serve(t, "--chip", "tomahawk2")
	for _, flags := range [][]string{nil, {"--undo"}, {"--dry-run"}} {
		code, _, bad := cellwarden(t, append([]string{"resume", file, "--target", sameCells, "--insecure"}, flags...)...)
		require.Equal(t, cli.ExitUsage, code, bad)
		require.Contains(t, bad, "nothing was sent: the plan is not for this switch: it has the chip tomahawk2, and the "+
			"plan is for tomahawk")
		require.Empty(t, held(t, sameCells))
		after, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Equal(t, string(data), string(after), "the journal is not continued")
	}
	same := serve(t, "--chip", "tomahawk")
	code, out, bad := cellwarden(t, "resume", file, "--target", same, "--insecure")
	require.Zero(t, code, bad)
	require.NotContains(t, out, "the journal does not have it")

	earlier := regexp.MustCompile(`"chip":"tomahawk",|"chip_title":"[^"]*",|"ports":\[[^]]*\],`)
	require.NoError(t, os.WriteFile(file, resealed(earlier.ReplaceAllString(string(data), "")), 0o600))
	code, out, bad = cellwarden(t, "resume", file, "--target", same, "--insecure", "-o", "json")
	require.Zero(t, code, bad)
	require.Contains(t, out, "\"not_in_journal\": [\n    \"chip\",\n    \"ports\"\n  ]")
}

// A push of CONFIG_DB is resumed on a product with the same chip, and with the same ports.
func TestResumeOnAnotherSONiC(t *testing.T) {
	g := guard(t)
	file, _, _ := nativePushed(t, g)
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	first, _, _ := strings.Cut(string(data), "\n")
	require.NoError(t, os.WriteFile(file, []byte(first+"\n"), 0o600))
	for says, metadata := range map[string]map[string]string{
		"HwSKU Arista-7260CX3-C64, has the chip tomahawk2": {"hwsku": "Arista-7260CX3-C64"},
		"has a chip of NVIDIA, and the plan is for":        {"hwsku": "Mellanox-NewOne"},
	} {
		db := g.Config()
		db["DEVICE_METADATA"]["localhost"] = metadata
		g.Load(db)
		code, _, bad := cellwarden(t, "resume", file, "--insecure", "--undo")
		require.Equal(t, cli.ExitUsage, code, bad)
		require.Contains(t, bad, "nothing was sent: the plan is not for this switch: ")
		require.Contains(t, bad, says)
	}
	db := g.Config()
	db["DEVICE_METADATA"]["localhost"] = map[string]string{"hwsku": "Force10-S6100"}
	port := db["PORT"]["Ethernet0"]
	delete(db["PORT"], "Ethernet0")
	g.Load(db)
	code, _, bad := cellwarden(t, "resume", file, "--insecure", "--undo")
	require.Equal(t, cli.ExitUsage, code, bad)
	require.Contains(t, bad, "the switch has no ports Ethernet0")
	db["PORT"]["Ethernet0"] = port
	g.Load(db)
	code, out, bad := cellwarden(t, "resume", file, "--insecure", "--undo")
	require.Zero(t, code, bad)
	require.Contains(t, out, "not compared, because the switch does not say it: its size of a cell\n")
}

// An earlier push to the same switch that did not end is named.
func TestAnEarlierPushIsNamed(t *testing.T) {
	journals, leaf := state(t)
	address := serve(t, "--chip", "tomahawk")
	require.NoError(t, os.MkdirAll(journals, 0o700))
	earlier := filepath.Join(journals, "earlier.jsonl")
	require.NoError(t, os.WriteFile(earlier, []byte(journalLine(`"kind":"start","target":"`+address+`"`)+
		journalLine(`"kind":"send","phase":1`)), 0o600))
	code, _, bad := cellwarden(t, "apply", leaf, "--target", address, "--insecure")
	require.Zero(t, code, bad)
	require.Contains(t, bad, "an earlier push to this switch did not end (phase 1 was being sent): "+earlier)
}
