package sweep

// What tests outside the package compare with.
const (
	MaxValues = maxValues
)
