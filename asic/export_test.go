package asic

// What tests outside the package compare with.
var (
	ErrUnknown = errUnknown
)
