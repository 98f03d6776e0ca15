package qos

import (
	"strings"
	"sync"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/oc"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/nos/registry"
)

// target is how one kind of switch takes OpenConfig: the leaves that its profile
// has, the size of a cell, and the names of its queues.
type target struct {
	cell cells.Size
	*nos.Profile
	names Names
}

// plain is the profile of OpenConfig exactly as the models have it. It is made once, because a layout is filtered by it
// register by register.
var plain = sync.OnceValue(func() *nos.Profile {
	p, _ := registry.FindProfile(nil)
	return p
})

// plainOpenConfig is a target that takes OpenConfig exactly as the models have it.
func plainOpenConfig(cell cells.Size) target { return target{cell: cell, Profile: plain()} }

// targetOf is the target of a profile; nil is plain OpenConfig.
func targetOf(cell cells.Size, p *nos.Profile) target {
	if p == nil {
		return plainOpenConfig(cell)
	}
	return target{cell: cell, Profile: p}
}

// bytes is the value of a leaf for a count of cells: the nearest number of bytes
// that the leaf can hold, as the profile rounds it.
func (t target) bytes(k buffer.Kind, n int64) int64 {
	return t.Rule(k).Fit(int64(t.cell.Bytes(cells.Count(n))))
}

// hasQuirk tells whether the profile lists a quirk.
func (t target) hasQuirk(id nos.QuirkID) bool {
	_, found := t.Quirk(id)
	return found
}

// usesInterfaceRef tells whether an entry of /qos/interfaces names its port in an interface-ref.
func (t target) usesInterfaceRef() bool {
	return t.hasQuirk(nos.InterfaceUnit) || t.hasQuirk(nos.InterfaceRef)
}

// unitZero is the end of an interface-id on a target that names units of ports.
const unitZero = ".0"

// interfaceID is the interface-id of a port under /qos.
func (t target) interfaceID(port string) string {
	if t.hasQuirk(nos.InterfaceUnit) {
		return port + unitZero
	}
	return t.names.Interface(port)
}

// port is the port of an interface-id. Units other than 0 are not ports.
func (t target) port(id string) (name string, ok bool) {
	if t.hasQuirk(nos.InterfaceUnit) {
		return strings.CutSuffix(id, unitZero)
	}
	return t.names.Port(id), true
}

// queue is the name of the queue with a number on this target.
func (t target) queue(n int) string { return t.names.Queue(n) }

// writeQueue adds queue n to the list of queues, because what refers to it by name is valid only if the list has it.
func (t target) writeQueue(qos *oc.OpenconfigQos_Qos, n int) {
	name := t.queue(n)
	config := qos.GetOrCreateQueues().GetOrCreateQueue(name).GetOrCreateConfig()
	config.Name = &name
	if t.hasQuirk(nos.QueueID) {
		config.QueueId = new(uint8(n))
	}
}
