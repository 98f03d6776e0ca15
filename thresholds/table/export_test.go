package table

// What tests outside the package compare with.
var (
	ErrFlat      = errFlat
	ErrOneLength = errOneLength
)
