package report_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/report"
)

func TestVersionNamesTagCommitAndDate(t *testing.T) {
	v := report.VersionDocument{Version: "v0.2.0", Commit: "0123456789ab", Time: "2026-11-28T02:56:00Z", Go: "go1.26.8"}
	require.Equal(t, "cellwarden v0.2.0, commit 0123456789ab of 2026-11-28T02:56:00Z, go1.26.8", v.String())
	v.Commit, v.Time = "", ""
	require.Equal(t, "cellwarden v0.2.0, commit not known, go1.26.8", v.String())
}
