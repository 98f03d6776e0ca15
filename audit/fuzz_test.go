package audit_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/audit"
	"github.com/cellwarden/cellwarden/nos/sonic"
	"github.com/cellwarden/cellwarden/thresholds/table"
)

// FuzzRun audits any configuration with any table: it ends, every finding has a known code and a message in one line,
// and the same input gives the same findings.
func FuzzRun(f *testing.F) {
	text, err := json.Marshal(base())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text, lookup)
	f.Add([]byte(`{"BUFFER_POOL": {"ingress_lossless_pool":
		{"size": "99999999999999999999", "xoff": "-1", "type": "both"}}}`), "")
	f.Add([]byte(`{"PORT": {"a": {"speed": "0"}}, "PORT_QOS_MAP": {"a": {"pfc_enable": "7"}},
		"BUFFER_PG": {"a|9-3": {}}}`), "1 1m 1 1 1 1")
	f.Fuzz(func(t *testing.T, data []byte, lookup string) {
		db, err := sonic.System.Read("f", data, audit.Chip{})
		if err != nil {
			return
		}
		s := audit.Source{File: "f", Reading: db}
		rows, bad := table.Scan("t", strings.NewReader(lookup))
		if len(rows.Rows) > 0 {
			s.Table = rows
		}
		r := audit.Run(s)
		_ = r.What()
		for _, n := range append(r.Findings, table.Lint(rows, bad, 208)...) {
			require.True(t, audit.Codes().Known(n.Code))
			require.NotContains(t, n.Message, "\n")
			require.GreaterOrEqual(t, n.Line, 0)
		}
		require.Equal(t, r.Findings, audit.Run(s).Findings)
	})
}
