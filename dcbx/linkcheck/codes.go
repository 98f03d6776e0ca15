package linkcheck

import (
	_ "embed"

	"github.com/cellwarden/cellwarden/finding"
)

// What shows a code where a comparison chooses among several.
const (
	runTooFew = "credits-too-few"
	ceeOff    = "dcbx-cee-off.yaml"
)

// meanings says what the codes mean, those of errors first. Shown are scenarios of examples/scenarios
// ("pfc-at-one-end.yaml"), and runs of one link with credits by their names in package backend/sim/fabric
// ("credits-at-one-end").
//
//go:embed codes.txt
var meanings string

var codes = finding.NewRegistry("link", meanings)

// Codes returns the registry of the codes, those of errors first.
func Codes() *finding.Registry { return codes }
