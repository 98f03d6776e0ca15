package buffer

// What tests outside the package compare with.
const (
	InTurn         = inTurn
	MaxIntentBytes = maxIntentBytes
)

// What tests outside the package compare with.
var (
	ErrNoSteps = errNoSteps
)
