package server

// ignoredConfig is configuration of a client that the device does not act on.
type ignoredConfig struct {
	what string // storedOnly, storedDangling or notStored
	path string // of what is ignored, in the client's names
	why  string
}

// What becomes of ignored configuration, as the log says it.
const (
	storedOnly     = "stored and not acted on"
	storedDangling = "stored, a reference to nothing"
	notStored      = "not stored, not in the models of this switch"
)
