package linkcheck

import (
	_ "embed"

	"github.com/cellwarden/cellwarden/finding"
)

// The codes of findings.
const (
	pfcAtOneEnd    finding.Code = "pfc-one-end"
	pfcPriorities  finding.Code = "pfc-priorities"
	pfcOff         finding.Code = "pfc-off"
	pfcCapability  finding.Code = "pfc-capability"
	creditsOneEnd  finding.Code = "credits-one-end"
	creditChannels finding.Code = "credit-channels"
	creditMap      finding.Code = "credit-map"
	creditLimits   finding.Code = "credit-limits"
	creditAccount  finding.Code = "credit-account"
	classMap       finding.Code = "class-map"
	frameLength    finding.Code = "mtu"
	losslessFrame  finding.Code = "lossless-mtu"
	trafficClasses finding.Code = "traffic-classes"
	mixedClass     finding.Code = "mixed-class"
	groups         finding.Code = "ets-groups"
	strictOrder    finding.Code = "ets-strict"
	bandwidth      finding.Code = "ets-bandwidth"
	bothWilling    finding.Code = "willing-both"
	versions       finding.Code = "version"
	severalPorts   finding.Code = "several-peers"
	applications   finding.Code = "application"
	unusable       finding.Code = "unusable"
	linkRate       finding.Code = "rate"
	cableLength    finding.Code = "cable"
	measuredDelay  finding.Code = "measured-delay"
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
