package qos

import (
	"fmt"

	"github.com/cellwarden/cellwarden/backend/gnmi/oc"
	"github.com/cellwarden/cellwarden/backend/gnmi/profile"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
)

// The structs of openconfig-qos that cellwarden fills in.
type (
	ocPG        = oc.OpenconfigQos_Qos_BufferAllocationProfiles_BufferAllocationProfile
	ocShare     = oc.OpenconfigQos_Qos_BufferAllocationProfiles_BufferAllocationProfile_Queues_Queue_Config
	ocECN       = oc.OpenconfigQos_Qos_QueueManagementProfiles_QueueManagementProfile
	ocInterface = oc.OpenconfigQos_Qos_Interfaces_Interface
)

const (
	dynamic = oc.OpenconfigQos_SHARED_BUFFER_LIMIT_TYPE_DYNAMIC_BASED_ON_SCALING_FACTOR
	static  = oc.OpenconfigQos_SHARED_BUFFER_LIMIT_TYPE_STATIC
)

// Encode writes a layout as OpenConfig: queues, profiles and bindings, valid
// as a whole. What it cannot carry is refused with ErrInexpressible.
func Encode(l buffer.Layout, cell cells.Size) (*oc.Root, error) {
	if err := ValidateCell(cell); err != nil {
		return nil, err
	}
	ports, err := portsOf(l, plainOpenConfig(cell))
	if err != nil {
		return nil, err
	}
	root := treeOf(ports, plainOpenConfig(cell))
	if err := root.Validate(); err != nil {
		return nil, fmt.Errorf("rendered openconfig is not valid: %w", err)
	}
	return root, nil
}

// treeOf writes ports and their profiles. The result is valid by its making; a
// request is made of it without asking again, which takes longer than the rest
// of a push on our side.
func treeOf(ports map[string]port, t target) *oc.Root {
	root := &oc.Root{}
	qos := root.GetOrCreateQos()
	for name, p := range ports {
		if t.usesInterfaceRef() { // what an interface-ref points at
			i := root.GetOrCreateInterfaces().GetOrCreateInterface(name)
			i.GetOrCreateConfig().Name = &name
			i.GetOrCreateSubinterfaces().GetOrCreateSubinterface(0).GetOrCreateConfig().Index = new(uint32(0))
		}
		writeBinding(qos, name, p, t)
		if p.allocationName != "" {
			p.groups.write(qos, p.allocationName, t)
		}
		for n, c := range p.curves {
			if p.curveNames[n] != "" {
				c.write(qos, p.curveNames[n], t)
				writeQueue(qos, n, t)
			}
		}
		if p.minimaName != "" {
			p.minima.write(qos, p.minimaName, t)
		}
		if p.policyName != "" {
			p.weights.write(qos, p.policyName, t)
		}
		for v, name := range p.classifierNames {
			if name != "" {
				classifier{v, p.dscps}.write(qos, name, t)
			}
		}
	}
	return root
}

// writeQueue names queue n: everything else points at its name.
func writeQueue(qos *oc.OpenconfigQos_Qos, n int, t target) {
	name := t.queue(n)
	config := qos.GetOrCreateQueues().GetOrCreateQueue(name).GetOrCreateConfig()
	config.Name = &name
	if t.hasQuirk(profile.QueueID) {
		config.QueueId = new(uint8(n))
	}
}

// write puts an allocation into the tree as a profile.
func (a allocation) write(qos *oc.OpenconfigQos_Qos, name string, t target) {
	profile := qos.GetOrCreateBufferAllocationProfiles().GetOrCreateBufferAllocationProfile(name)
	profile.GetOrCreateConfig().Name = &name
	for n, s := range a {
		if s == (groupShare{}) {
			continue
		}
		writeQueue(qos, n, t)
		queue := t.queue(n)
		config := profile.GetOrCreateQueues().GetOrCreateQueue(queue).GetOrCreateConfig()
		config.Name = &queue
		config.DedicatedBuffer = new(uint64(t.cell.Bytes(cells.Count(s.reserved))))
		config.UseSharedBuffer = new(s.dynamic || s.static > 0)
		switch {
		case s.dynamic:
			config.SharedBufferLimitType = dynamic
			config.DynamicLimitScalingFactor = new(s.alpha)
		case s.static > 0:
			config.SharedBufferLimitType = static
			config.StaticSharedBufferLimit = new(uint32(t.bytes(buffer.GroupStatic, s.static)))
		}
	}
}

// write puts minima into the tree as a profile. What the queues may share is
// left to the switch.
func (m queueMinima) write(qos *oc.OpenconfigQos_Qos, name string, t target) {
	profile := qos.GetOrCreateBufferAllocationProfiles().GetOrCreateBufferAllocationProfile(name)
	profile.GetOrCreateConfig().Name = &name
	for n, v := range m {
		if v == 0 {
			continue
		}
		writeQueue(qos, n, t)
		queue := t.queue(n)
		config := profile.GetOrCreateQueues().GetOrCreateQueue(queue).GetOrCreateConfig()
		config.Name, config.DedicatedBuffer = &queue, new(uint64(t.cell.Bytes(cells.Count(v))))
	}
}

// write puts a curve into the tree as a profile. A probability of nothing is
// left out.
func (c curve) write(qos *oc.OpenconfigQos_Qos, name string, t target) {
	profile := qos.GetOrCreateQueueManagementProfiles().GetOrCreateQueueManagementProfile(name)
	profile.GetOrCreateConfig().Name = &name
	config := profile.GetOrCreateWred().GetOrCreateUniform().GetOrCreateConfig()
	config.EnableEcn = new(true)
	config.MinThreshold = new(uint64(t.bytes(buffer.QueueECNMin, c.low)))
	config.MaxThreshold = new(uint64(t.bytes(buffer.QueueECNMax, c.high)))
	if c.percent > 0 {
		config.MaxDropProbabilityPercent = new(c.percent)
	}
}

// writeBinding puts an interface into the tree with the profiles of a port. A port
// without any gives no interface.
func writeBinding(qos *oc.OpenconfigQos_Qos, name string, p port, t target) {
	entry := func() *ocInterface {
		id := t.interfaceID(name)
		i := qos.GetOrCreateInterfaces().GetOrCreateInterface(id)
		i.GetOrCreateConfig().InterfaceId = &id
		if t.usesInterfaceRef() {
			i.GetOrCreateInterfaceRef().GetOrCreateConfig().Interface = &name
		}
		if t.hasQuirk(profile.InterfaceUnit) {
			i.InterfaceRef.Config.Subinterface = new(uint32(0))
		}
		return i
	}
	if p.allocationName != "" {
		entry().GetOrCreateInput().GetOrCreateConfig().BufferAllocationProfile = &p.allocationName
	}
	for n, profile := range p.curveNames {
		if profile == "" {
			continue
		}
		queue := t.queue(n)
		config := entry().GetOrCreateOutput().GetOrCreateQueues().GetOrCreateQueue(queue).GetOrCreateConfig()
		config.Name, config.QueueManagementProfile = &queue, &profile
	}
	if p.minimaName != "" {
		entry().GetOrCreateOutput().GetOrCreateConfig().BufferAllocationProfile = &p.minimaName
	}
	if p.policyName != "" {
		entry().GetOrCreateOutput().GetOrCreateSchedulerPolicy().GetOrCreateConfig().Name = &p.policyName
	}
	for v, name := range p.classifierNames {
		if name != "" {
			config := entry().GetOrCreateInput().GetOrCreateClassifiers().GetOrCreateClassifier(boundTypes[v]).GetOrCreateConfig()
			config.Type, config.Name = boundTypes[v], &name
		}
	}
}
