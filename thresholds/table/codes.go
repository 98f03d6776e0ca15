package table

import (
	_ "embed"

	"github.com/cellwarden/cellwarden/finding"
)

// meanings says what the codes mean, in the order of the audit, which has them too.
//
//go:embed codes.txt
var meanings string

var codes = finding.NewRegistry("audit", meanings)

// Codes returns the registry of the codes of headroom tables.
func Codes() *finding.Registry { return codes }
