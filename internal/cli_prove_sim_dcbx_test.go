package internal_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/internal/cli/prove"
	"github.com/cellwarden/cellwarden/internal/unnamed"
	"github.com/cellwarden/cellwarden/report"
)

// Ports beyond the rows of a table are counted in its title, each table those that it has; since is the last change of
// all, not of those that are listed.
func TestProveTablesOfDCBXCountWhatTheyLeaveOut(t *testing.T) {
	const rows = 40
	ports := make([]report.SimDCBX, rows+5)
	for i := range ports {
		ports[i].Port = fmt.Sprint("p", i)
		if i > 1 {
			unnamed.New(&ports[i].Shares)
		}
	}
	unnamed.Add(&ports[0].Changes).At = 1_000_000
	ports[0].Changed, ports[0].Since = 2, new(int64(7_000_000))
	s := prove.SimShared(ports)
	require.Len(t, s.Rows, rows)
	require.Equal(t, "Shares by DCBX (the first 40; 3 more)", s.Title)
	require.Equal(t, "Shares by DCBX", prove.SimShared(ports[:rows]).Title)
	s = prove.SimNegotiated(ports)
	require.Equal(t, "DCBX (the first 40; 5 more)", s.Title)
	require.Equal(t, "7us", s.Rows[0][3])
}
