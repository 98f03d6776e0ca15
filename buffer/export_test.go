package buffer

// What tests outside the package compare with.
const InTurn = inTurn

// What tests outside the package compare with.
var ErrNoSteps = errNoSteps
