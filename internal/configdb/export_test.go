package configdb

// What tests outside the package compare with.
const (
	MaxBytes  = maxBytes
	MaxFields = maxFields
	MaxText   = maxText
	MaxValues = maxValues
)
