package gnmi

import (
	"strings"

	"github.com/cellwarden/cellwarden/backend/gnmi/profile"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
)

// style is how one target wants OpenConfig to be spoken.
type style struct {
	cell cells.Size
	*profile.Profile
}

// strict is OpenConfig as the models have it.
func strict(cell cells.Size) style {
	p, _ := profile.Load(profile.OpenConfig)
	return style{cell, p}
}

// bytes is a count of cells as it is sent: as many bytes as the leaf can hold.
func (s style) bytes(k buffer.Kind, n int64) int64 {
	return s.Rule(k).Fit(int64(s.cell.Bytes(cells.Count(n))))
}

// says tells whether the target has words for one of these kinds.
func (s style) says(kinds ...buffer.Kind) bool {
	for _, k := range kinds {
		if s.Rule(k).Expressible() {
			return true
		}
	}
	return false
}

// allocates and marks tell whether the target has words for groups, and for the
// marking of queues. What it has no words for is neither read nor written.
func (s style) allocates() bool {
	return s.says(buffer.GroupReserved, buffer.GroupAlpha, buffer.GroupStatic)
}

func (s style) marks() bool {
	return s.says(buffer.QueueECNMin, buffer.QueueECNMax, buffer.QueueECNPMax)
}

// has tells whether the target has a quirk.
func (s style) has(id profile.QuirkID) bool {
	_, found := s.Quirk(id)
	return found
}

// unitZero is what the interface-id of a port ends in where it wants a unit.
const unitZero = ".0"

// interfaceID is how the target calls a port under /qos.
func (s style) interfaceID(port string) string {
	if s.has(profile.InterfaceUnit) {
		return port + unitZero
	}
	return port
}

// port is the port of an interface-id. Other units than 0 are not ports.
func (s style) port(id string) (name string, ok bool) {
	if s.has(profile.InterfaceUnit) {
		return strings.CutSuffix(id, unitZero)
	}
	return id, true
}
