package thresholds

// What tests outside the package compare with.
var (
	Light = light
)
