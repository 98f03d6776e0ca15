package gnmi

import (
	"strconv"
	"strings"

	"github.com/cellwarden/cellwarden/backend/gnmi/profile"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/pg"
)

// style is how one target wants OpenConfig to be spoken.
type style struct {
	cell cells.Size
	*profile.Profile
	names *[pg.PerPort]string // of queues, as the switch has them; nil: their numbers
}

// strict is OpenConfig as the models have it.
func strict(cell cells.Size) style {
	p, _ := profile.Load(profile.OpenConfig)
	return style{cell: cell, Profile: p}
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

// allocates, marks, reserves, schedules and classifies tell whether the target
// has words for groups, for the marking, minima and weights of queues, and for
// DSCPs. What it has no words for is neither read nor written.
func (s style) allocates() bool {
	return s.says(buffer.GroupReserved, buffer.GroupAlpha, buffer.GroupStatic)
}

func (s style) marks() bool {
	return s.says(buffer.QueueECNMin, buffer.QueueECNMax, buffer.QueueECNPMax)
}

func (s style) reserves() bool { return s.says(buffer.QueueReserved) }

func (s style) schedules() bool { return s.says(buffer.QueueWeight) }

func (s style) classifies() bool { return s.says(buffer.PriorityDSCP) }

// speaks tells whether the target has words for anything.
func (s style) speaks() bool { return s.says(buffer.Kinds()...) }

// queue is the name of the queue of a number.
func (s style) queue(n int) string {
	if s.names != nil && s.names[n] != "" {
		return s.names[n]
	}
	return strconv.Itoa(n)
}

// refers tells whether interfaces say by an interface-ref which port they are.
func (s style) refers() bool { return s.has(profile.InterfaceUnit) || s.has(profile.InterfaceRef) }

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
