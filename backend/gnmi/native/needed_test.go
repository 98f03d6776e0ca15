package native_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/gnmi/native"
	"github.com/cellwarden/cellwarden/internal/sonicfake"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/unit"
)

// An undo leaves the entries that another push has come to need, and names them: CONFIG_DB
// would refuse their deletion, and with it the whole undo.
func TestUndoLeavesWhatOthersNeed(t *testing.T) {
	s := sonicfake.New(shipped())
	s.ASIC, s.Version = "th", "SONiC.20251110.1"
	client := served(t, s, 0)
	first, err := native.Look(t.Context(), client, &native.SONiC{Plan: planned(t, 40*unit.Metre, "Ethernet0")})
	require.NoError(t, err)
	i := &native.Interrupted{Changes: recorded(first), Undo: true}
	require.NoError(t, first.Run(t.Context()))
	_, err = push(t, client, &native.SONiC{Plan: planned(t, 40*unit.Metre, "Ethernet4")})
	require.NoError(t, err)

	undo, err := i.Look(t.Context(), client)
	require.NoError(t, err)
	for _, c := range undo.Report.Changes {
		require.NotContains(t, c.Path, "/TC_TO_PRIORITY_GROUP_MAP/CELLWARDEN")
		require.NotContains(t, c.Path, "/BUFFER_PROFILE/pg_lossless_100000_40m_profile")
	}
	require.ErrorIs(t, undo.Run(t.Context()), backend.ErrOthers, "not all is undone")
	var left []string
	for _, c := range undo.Report.Others {
		left = append(left, c.Path)
	}
	require.Contains(t, left, nos.Text(undo.Report.Found[0].Path[:2])+"/TC_TO_PRIORITY_GROUP_MAP/CELLWARDEN")
	db := s.Config()
	require.NotContains(t, db["BUFFER_PG"], "Ethernet0|3-4")
	require.Equal(t, "CELLWARDEN", db["PORT_QOS_MAP"]["Ethernet4"]["tc_to_pg_map"])
	require.Equal(t, "AZURE", db["PORT_QOS_MAP"]["Ethernet0"]["tc_to_pg_map"])
	require.Equal(t, "pg_lossless_100000_40m_profile", db["BUFFER_PG"]["Ethernet4|3-4"]["profile"])
}
