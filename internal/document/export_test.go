package document

// What tests outside the package compare with.
const (
	MaxKey    = maxKey
	MaxScalar = maxScalar
	MaxValues = maxValues
)
