package method

// What tests outside the package compare with.
const (
	OtherChip = otherChip
)
