package sonic

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/internal/csvcell"
)

// What the models accept is of tables that an audit reads, and each row has one of the forms.
func TestModels(t *testing.T) {
	form := regexp.MustCompile(`^(number|-?\d+\.\.\d+|[A-Za-z_]+( [A-Za-z_]+)+)$`)
	for _, row := range csvcell.Rows(modelTable) {
		require.Regexp(t, form, row[3], row)
		require.Contains(t, []string{"", "needed"}, row[2], row)
	}
	n := 0
	for _, fields := range models() {
		require.Contains(t, AuditTables(), fields[0].table)
		for _, m := range fields {
			n++
			require.True(t, len(m.texts) > 1 || m.texts == nil && m.low < m.high, m)
		}
	}
	require.Len(t, csvcell.Rows(modelTable), n)
	pool := models()[0]
	require.Equal(t, modelled{table: "BUFFER_POOL", name: "percentage", high: 255}, pool[2])
	require.Equal(t, []string{"ingress", "egress", "both"}, pool[0].texts)
	require.True(t, pool[0].needed)
}
