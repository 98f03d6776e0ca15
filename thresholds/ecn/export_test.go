package ecn

// What tests outside the package compare with.
const (
	MaxSharedCells = maxSharedCells
)
