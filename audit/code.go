package audit

import (
	"github.com/cellwarden/cellwarden/finding"
	"github.com/cellwarden/cellwarden/internal/once"
	"github.com/cellwarden/cellwarden/thresholds/table"
)

// codes says what the codes mean, by theme.
var codes = once.Value(func() *finding.Registry {
	return finding.NewRegistry("audit", unreadable, ofPools(), ofProfiles, ofHeadroom(), ofPFC, ofTrimming, ofMaps,
		ofSystems, ofPeers)
})

// Codes returns the registry of the codes, those of headroom tables included.
func Codes() *finding.Registry { return codes() }

// ofTables returns what codes of headroom tables mean.
func ofTables(codes ...finding.Code) []finding.Meaning { return table.Codes().Some(codes...) }
