package native

import "github.com/cellwarden/cellwarden/backend"

// Device is what the engine drives, for the conformance suite.
func (p *Push) Device() backend.Device[Reading, Change] {
	return p.device
}
