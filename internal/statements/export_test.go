package statements

// What tests outside the package compare with.
const (
	MaxBytes      = maxBytes
	MaxKey        = maxKey
	MaxStatements = maxStatements
	MaxWord       = maxWord
	MaxWords      = maxWords
)
