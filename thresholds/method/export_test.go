package method

// What tests outside the package compare with.
const (
	OtherChip = otherChip
)

// What tests outside the package compare with.
type (
	SONiCError = sonicError
)
