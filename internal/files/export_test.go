package files

// What tests outside the package compare with.
const (
	MaxBytes = maxBytes
)

// What tests outside the package compare with.
var (
	ErrExists = errExists
	ErrLong   = errLong
)
