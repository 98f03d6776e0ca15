package qos

import (
	"slices"
	"strings"

	"github.com/openconfig/ygot/ygot"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/oc"
	"github.com/cellwarden/cellwarden/pg"
)

// A profile of OpenConfig carries one family of registers, and an interface binds profiles of each family at places of
// its own: its input, its output, or its queues. What differs between families is here and in the file of each;
// reading, naming, binding and sending go over all of them.

// family is a family of registers: those that one type of profile carries.
type family int

const (
	allocations family = iota
	minima
	curves
	policies
	classifiers
	familyCount
)

// families has, of each family, its registers, the path of a profile, and the path at which an interface binds one: of
// the leaf, or of the list's entry where that has bindingLeaf.
var families = [familyCount]struct {
	kinds                         []buffer.Kind
	profile, binding, bindingLeaf string
}{
	allocations: {kinds: []buffer.Kind{buffer.GroupReserved, buffer.GroupAlpha, buffer.GroupStatic},
		profile: pathPG, binding: pathInput},
	minima: {kinds: []buffer.Kind{buffer.QueueReserved}, profile: pathPG, binding: pathOut},
	curves: {kinds: []buffer.Kind{buffer.QueueECNMin, buffer.QueueECNMax, buffer.QueueECNPMax},
		profile: pathECN, binding: pathOutput},
	policies: {kinds: []buffer.Kind{buffer.QueueWeight}, profile: pathPolicy, binding: pathSchedule},
	classifiers: {kinds: []buffer.Kind{buffer.PriorityDSCP}, profile: pathClassifier, binding: pathClassify,
		bindingLeaf: "/config/name"},
}

// owns tells whether a profile is cellwarden's, of this family. Inputs and outputs have their profiles in one list of
// OpenConfig, so that the prefix of a name tells whether it is an allocation or minima.
func (f family) owns(profile string) bool {
	isMinima := strings.HasPrefix(profile, prefixMinima)
	return owned(profile) && (f == minima) == isMinima
}

// in is the profile with a name in a tree.
func (f family) in(qos *oc.OpenconfigQos_Qos, name string) ygot.GoStruct {
	switch f {
	case curves:
		return qos.GetQueueManagementProfiles().GetQueueManagementProfile(name)
	case policies:
		return qos.GetSchedulerPolicies().GetSchedulerPolicy(name)
	case classifiers:
		return qos.GetClassifiers().GetClassifier(name)
	}
	return qos.GetBufferAllocationProfiles().GetBufferAllocationProfile(name)
}

// slot is a place at which an interface binds a profile.
type slot struct {
	family
	number int // of the queue, for curves; the version of IP, for classifiers
}

// slots are all places of an interface, in the order in which they are read and written.
var slots = [...]slot{{allocations, 0},
	{curves, 0}, {curves, 1}, {curves, 2}, {curves, 3}, {curves, 4}, {curves, 5}, {curves, 6}, {curves, 7},
	{minima, 0}, {policies, 0}, {classifiers, ipv4}, {classifiers, ipv6}}

// slotOf is the slot whose profile carries a register; for DSCPs the one of IPv4.
func slotOf(r buffer.Register) (s slot) {
	for f := range familyCount {
		if slices.Contains(families[f].kinds, r.Kind) {
			s.family = f
		}
	}
	if s.family == curves {
		s.number = r.Index
	}
	return s
}

// content is what a profile says: an allocation, queueMinima, a curve, queueWeights or a classifier. Contents are
// compared with ==. The zero value of each type is that of a profile that says nothing.
type content interface {
	// name derives the profile's name from its content, as it will be sent; empty for the zero content.
	name(t target) string
	// write adds the profile to a tree, with what it refers to.
	write(qos *oc.OpenconfigQos_Qos, name string, t target)
}

// content is what the profile at a slot of the port shall say.
func (p *port) content(s slot) content {
	switch s.family {
	case allocations:
		return p.groups
	case minima:
		return p.minima
	case curves:
		return p.curves[s.number]
	case policies:
		return p.weights
	}
	if p.dscps == (pg.DSCPMap{}) {
		return classifier{}
	}
	return classifier{s.number, p.dscps}
}

// has tells whether the target has leaves for a family. One without is neither read nor written.
func (t target) has(f family) bool {
	return slices.ContainsFunc(families[f].kinds, func(k buffer.Kind) bool { return t.Rule(k).Expressible() })
}

// bindingKeys are the keys of the path at which an interface binds a profile at a slot.
func (t target) bindingKeys(id string, s slot) []string {
	switch s.family {
	case curves:
		return []string{id, t.queue(s.number)}
	case classifiers:
		return []string{id, versionNames[s.number]}
	}
	return []string{id}
}

// bindingPath is the path of the leaf that binds an interface to a profile at a slot.
func (t target) bindingPath(id string, s slot) string {
	return pathText(families[s.family].binding, t.bindingKeys(id, s)...) + families[s.family].bindingLeaf
}

// bound is the name of the profile that an interface is bound to at a slot; nil: none.
func (t target) bound(from *ocInterface, s slot) *string {
	in, out := from.GetInput(), from.GetOutput()
	switch s.family {
	case allocations:
		if config := in.GetConfig(); config != nil {
			return config.BufferAllocationProfile
		}
	case minima:
		if config := out.GetConfig(); config != nil {
			return config.BufferAllocationProfile
		}
	case curves:
		if config := out.GetQueues().GetQueue(t.queue(s.number)).GetConfig(); config != nil {
			return config.QueueManagementProfile
		}
	case policies:
		if config := out.GetSchedulerPolicy().GetConfig(); config != nil {
			return config.Name
		}
	case classifiers:
		if config := in.GetClassifiers().GetClassifier(boundTypes[s.number]).GetConfig(); config != nil {
			return config.Name
		}
	}
	return nil
}

// bind binds an interface to a profile at a slot.
func (t target) bind(to *ocInterface, s slot, profile string) {
	switch s.family {
	case allocations:
		to.GetOrCreateInput().GetOrCreateConfig().BufferAllocationProfile = &profile
	case minima:
		to.GetOrCreateOutput().GetOrCreateConfig().BufferAllocationProfile = &profile
	case curves:
		queue := t.queue(s.number)
		config := to.GetOrCreateOutput().GetOrCreateQueues().GetOrCreateQueue(queue).GetOrCreateConfig()
		config.Name, config.QueueManagementProfile = &queue, &profile
	case policies:
		to.GetOrCreateOutput().GetOrCreateSchedulerPolicy().GetOrCreateConfig().Name = &profile
	case classifiers:
		bound := to.GetOrCreateInput().GetOrCreateClassifiers().GetOrCreateClassifier(boundTypes[s.number])
		config := bound.GetOrCreateConfig()
		config.Type, config.Name = boundTypes[s.number], &profile
	}
}
