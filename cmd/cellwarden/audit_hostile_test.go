package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/devicetree"
	"github.com/cellwarden/cellwarden/internal/effort"
)

// TestAuditOfLargeFiles: a file of 100 MB is refused by its length, and a template of this length is a finding. Neither
// is read into memory.
func TestAuditOfLargeFiles(t *testing.T) {
	effort.SkipShort(t, "it audits large files")
	const large, most = 100 << 20, 64 << 20
	t.Chdir(t.TempDir())
	long := func(name string) {
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(t, os.WriteFile(name, []byte("{"), 0o600))
		require.NoError(t, os.Truncate(name, large))
	}
	long("config_db.json")
	long("pg_profile_lookup.ini")
	for _, args := range [][]string{{"audit", "config_db.json"}, {"audit", "."}, {"audit", "pg_profile_lookup.ini"},
		{"audit", "config_db.json", "--headroom-table", "pg_profile_lookup.ini"}} {
		code, used := allocated(t, "", args...)
		require.Equal(t, cli.ExitUsage, code, args)
		require.LessOrEqual(t, used, uint64(most), args)
		_, _, bad := cellwarden(t, args...)
		require.Contains(t, bad, "too long: 104857600 bytes: want at most 16777216", args)
	}
	if r, err := devicetree.StartRenderer(t.Context()); err != nil {
		t.Skip(err)
	} else {
		r.Close()
	}
	folder := filepath.Join("device", "acme", "x86_64-arista_7060_cx32s", "Acme")
	long(filepath.Join(folder, "buffers.json.j2"))
	long(filepath.Join(folder, "pg_profile_lookup.ini"))
	code, used := allocated(t, "", "audit", "device")
	require.Equal(t, cli.ExitLint, code)
	require.LessOrEqual(t, used, uint64(most))
	_, out, _ := cellwarden(t, "audit", "device", "-o", "json")
	require.Contains(t, out, "a template of more than 1048576 bytes")
	require.Contains(t, out, "pg_profile_lookup.ini: too long")
}
