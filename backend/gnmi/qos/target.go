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
	names *[pg.PerPort]string // of queues, as the switch has them; nil: their numbers
}

// strict is OpenConfig as the models have it.
func strict(cell cells.Size) target {
	p, _ := profile.Load(profile.OpenConfig)
	return target{cell: cell, Profile: p}
}

// targetOf is how a switch of a profile takes OpenConfig; nil: as the models have
// it.
func targetOf(cell cells.Size, p *profile.Profile) target {
	if p == nil {
		return strict(cell)
	}
	return target{cell: cell, Profile: p}
}

// bytes is a count of cells as it is sent: as many bytes as the leaf can hold.
func (s target) bytes(k buffer.Kind, n int64) int64 {
	return s.Rule(k).Fit(int64(s.cell.Bytes(cells.Count(n))))
}

// says tells whether the target has words for one of these kinds.
func (s target) says(kinds ...buffer.Kind) bool {
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
func (s target) allocates() bool {
	return s.says(buffer.GroupReserved, buffer.GroupAlpha, buffer.GroupStatic)
}

func (s target) marks() bool {
	return s.says(buffer.QueueECNMin, buffer.QueueECNMax, buffer.QueueECNPMax)
}

func (s target) reserves() bool { return s.says(buffer.QueueReserved) }

func (s target) schedules() bool { return s.says(buffer.QueueWeight) }

func (s target) classifies() bool { return s.says(buffer.PriorityDSCP) }

// queue is the name of the queue of a number.
func (s target) queue(n int) string {
	if s.names != nil && s.names[n] != "" {
		return s.names[n]
	}
	return strconv.Itoa(n)
}

// refers tells whether interfaces say by an interface-ref which port they are.
func (s target) refers() bool { return s.has(profile.InterfaceUnit) || s.has(profile.InterfaceRef) }

// has tells whether the target has a quirk.
func (s target) has(id profile.QuirkID) bool {
	_, found := s.Quirk(id)
	return found
}

// unitZero is what the interface-id of a port ends in where it wants a unit.
const unitZero = ".0"

// interfaceID is how the target calls a port under /qos.
func (s target) interfaceID(port string) string {
	if s.has(profile.InterfaceUnit) {
		return port + unitZero
	}
	return port
}

// port is the port of an interface-id. Other units than 0 are not ports.
func (s target) port(id string) (name string, ok bool) {
	if s.has(profile.InterfaceUnit) {
		return strings.CutSuffix(id, unitZero)
	}
	return id, true
}
