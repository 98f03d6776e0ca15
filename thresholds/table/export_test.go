package table

// What tests outside the package compare with.
const (
	MaxBytes = maxBytes
)

// What tests outside the package compare with.
var (
	ErrFlat      = errFlat
	ErrOneLength = errOneLength
)
