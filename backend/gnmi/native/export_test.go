package native

import "github.com/cellwarden/cellwarden/backend"

// Device is what the engine drives, for the conformance suite.
func (p *Push) Device() backend.Device[Trees, Change] {
	return p.device
}

// The tests of the package name what only it uses.
type (
	Interrupted = interrupted
	Recorded    = recordedChange
)

var (
	Validate = validate
	Watch    = watch
)
