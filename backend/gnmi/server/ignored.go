package server

// ignoredConfig is something that a client asked for and the device does not do.
type ignoredConfig struct {
	what string // storedOnly, storedDangling or notStored
	path string // what was taken from what the device sees
	why  string
}

const (
	storedOnly     = "stored and not acted on"
	storedDangling = "stored, a reference to nothing"
	notStored      = "not stored, not in the models of this switch"
)
