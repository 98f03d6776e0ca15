package capacity

// What tests outside the package compare with.
const (
	Memory      = memory
	SharedFloor = sharedFloor
)
