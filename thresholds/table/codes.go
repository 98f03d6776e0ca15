package table

import (
	_ "embed"

	"github.com/cellwarden/cellwarden/finding"
)

// The codes of findings.
const (
	headroomBelowFlight   finding.Code = "headroom-below-flight"
	headroomBelowFrame    finding.Code = "headroom-below-frame"
	xoffShrinksWithLength finding.Code = "xoff-shrinks-with-length"
	xoffShrinksWithSpeed  finding.Code = "xoff-shrinks-with-speed"
	xoffSameForLengths    finding.Code = "xoff-same-for-lengths"
	xoffSameAsShorter     finding.Code = "xoff-same-as-shorter"
	xoffSameForSpeeds     finding.Code = "xoff-same-for-speeds"
	xonOffsetOdd          finding.Code = "xon-offset-odd"
	rowOdd                finding.Code = "row-odd"
	rowDuplicate          finding.Code = "row-duplicate"
	rowUnreadable         finding.Code = "row-unreadable"
	cellMisaligned        finding.Code = "cell-misaligned"
)

// meanings says what the codes mean, in the order of the audit, which has them too.
//
//go:embed codes.txt
var meanings string

var codes = finding.NewRegistry("audit", meanings)

// Codes returns the registry of the codes of headroom tables.
func Codes() *finding.Registry { return codes }
