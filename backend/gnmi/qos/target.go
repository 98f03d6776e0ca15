package qos

import (
	"strconv"
	"strings"

	"github.com/cellwarden/cellwarden/backend/gnmi/profile"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/pg"
)

// target is how one target wants OpenConfig to be spoken.
type target struct {
	cell cells.Size
	*profile.Profile
	queueNames *[pg.PerPort]string // of queues, as the switch has them; nil: their numbers
}

// plainOpenConfig is OpenConfig as the models have it.
func plainOpenConfig(cell cells.Size) target {
	p, _ := profile.Load(profile.OpenConfig)
	return target{cell: cell, Profile: p}
}

// targetOf is how a switch of a profile takes OpenConfig; nil: as the models have
// it.
func targetOf(cell cells.Size, p *profile.Profile) target {
	if p == nil {
		return plainOpenConfig(cell)
	}
	return target{cell: cell, Profile: p}
}

// bytes is a count of cells as it is sent: as many bytes as the leaf can hold.
func (s target) bytes(k buffer.Kind, n int64) int64 {
	return s.Rule(k).Fit(int64(s.cell.Bytes(cells.Count(n))))
}

// expresses tells whether the target has words for one of these kinds.
func (s target) expresses(kinds ...buffer.Kind) bool {
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
func (s target) hasGroups() bool {
	return s.expresses(buffer.GroupReserved, buffer.GroupAlpha, buffer.GroupStatic)
}

func (s target) hasMarking() bool {
	return s.expresses(buffer.QueueECNMin, buffer.QueueECNMax, buffer.QueueECNPMax)
}

func (s target) hasQueueMinima() bool { return s.expresses(buffer.QueueReserved) }

func (s target) hasWeights() bool { return s.expresses(buffer.QueueWeight) }

func (s target) hasDSCPs() bool { return s.expresses(buffer.PriorityDSCP) }

// queue is the name of the queue of a number.
func (s target) queue(n int) string {
	if s.queueNames != nil && s.queueNames[n] != "" {
		return s.queueNames[n]
	}
	return strconv.Itoa(n)
}

// usesInterfaceRef tells whether interfaces say by an interface-ref which port they are.
func (s target) usesInterfaceRef() bool {
	return s.hasQuirk(profile.InterfaceUnit) || s.hasQuirk(profile.InterfaceRef)
}

// hasQuirk tells whether the target has a quirk.
func (s target) hasQuirk(id profile.QuirkID) bool {
	_, found := s.Quirk(id)
	return found
}

// unitZero is what the interface-id of a port ends in where it wants a unit.
const unitZero = ".0"

// interfaceID is how the target calls a port under /qos.
func (s target) interfaceID(port string) string {
	if s.hasQuirk(profile.InterfaceUnit) {
		return port + unitZero
	}
	return port
}

// port is the port of an interface-id. Other units than 0 are not ports.
func (s target) port(id string) (name string, ok bool) {
	if s.hasQuirk(profile.InterfaceUnit) {
		return strings.CutSuffix(id, unitZero)
	}
	return id, true
}
