package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/effort"
	"github.com/cellwarden/cellwarden/report"
	"github.com/stretchr/testify/require"
)

// What an audit says a configuration would survive is what verify says of its topology.
func TestAuditVerifiesWhatImportWrites(t *testing.T) {
	effort.SkipShort(t, "it simulates what it imports")
	data, err := os.ReadFile("../../audit/intent/testdata/leaf.json")
	require.NoError(t, err)
	rows, err := os.ReadFile("../../audit/intent/testdata/pg_profile_lookup.ini")
	require.NoError(t, err)
	enough := strings.NewReplacer("165568", "300000", "268736", "500000")
	larger := strings.NewReplacer("10875072", "7001280", "4194112", "9000160") // the pool of headroom
	for name, c := range map[string]struct{ config, table, verdict string }{
		"headroom for short frames is missing": {string(data), string(rows), "not-lossless"},
		"enough headroom": {larger.Replace(string(data)), enough.Replace(string(rows)),
			"lossless if the ports are on the pipes that the plan assumes"},
		"a small pool of the egress": {strings.ReplaceAll(larger.Replace(string(data)), "15982720", "2000000"),
			enough.Replace(string(rows)), "not-lossless"},
		"it does not fit": {string(data), strings.ReplaceAll(string(rows), " 1248 ", " 1000000 "),
			"not verified: it does not fit"},
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			config, table, leaf := filepath.Join(folder, "config_db.json"), filepath.Join(folder, "t.ini"),
				filepath.Join(folder, "leaf.yaml")
			require.NoError(t, os.WriteFile(config, []byte(c.config), 0o600))
			require.NoError(t, os.WriteFile(table, []byte(c.table), 0o600))
			_, out, bad := cellwarden(t, "audit", config, "--headroom-table", table, "--verify", "-o", "json", "--fail-on",
				"never")
			require.Empty(t, bad)
			var audited report.AuditDocument
			require.NoError(t, json.Unmarshal([]byte(out), &audited))
			require.Equal(t, c.verdict, audited.What[0].Verified)
			code, out, bad := cellwarden(t, "import", config, "--headroom-table", table, "--write", leaf)
			require.Zero(t, code, "%s%s", out, bad)
			code, out, _ = cellwarden(t, "verify", leaf, "-o", "json")
			if strings.HasPrefix(c.verdict, "not verified") {
				require.Equal(t, cli.ExitNoFit, code)
				return
			}
			var verified struct {
				Verdict    string
				Conditions []string
			}
			require.NoError(t, json.Unmarshal([]byte(out), &verified))
			kind, _, _ := strings.Cut(c.verdict, " ")
			require.True(t, strings.HasPrefix(verified.Verdict, kind), verified.Verdict)
			for _, condition := range verified.Conditions {
				require.Contains(t, c.verdict, condition)
			}
		})
	}
}

func TestImportFolderOfConfigurations(t *testing.T) {
	data, err := os.ReadFile("../../audit/intent/testdata/leaf.json")
	require.NoError(t, err)
	folder := t.TempDir()
	for _, name := range []string{"leaf1.json", "leaf2.json"} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), data, 0o600))
	}
	to := filepath.Join(folder, "topologies") + "/"
	_, out, bad := cellwarden(t, "import", folder, "--headroom-table", "../../audit/intent/testdata/pg_profile_lookup.ini",
		"--write", to)
	require.Empty(t, bad, out)
	for _, name := range []string{"leaf1.yaml", "leaf2.yaml"} {
		require.FileExists(t, to+name)
	}
}
