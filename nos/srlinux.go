package nos

import (
	"slices"

	"github.com/cellwarden/cellwarden/buffer"
)

// srlinux is SR Linux. Its list of OpenConfig paths says which leaves it has, and its own
// model what exists besides.
func srlinux() *Profile {
	p := &Profile{Name: SRLinux, Title: "Nokia SR Linux 25.3.1", Models: []string{"srl_nokia", "urn:srl_nokia", "nokia-"},
		Organizations: []string{"nokia"}, Dialect: "srlinux", Rules: modelRules()}
	p.without("dedicated-buffer is not supported", from(sourceNokia), buffer.GroupReserved, buffer.QueueReserved)
	p.without("dynamic-limit-scaling-factor is not supported", from(sourceNokia), buffer.GroupAlpha)
	p.without("input/config/buffer-allocation-profile is not supported; "+
		"on an output static-shared-buffer-limit becomes maximum-burst-size of a queue",
		from(sourceNokia), buffer.GroupStatic)

	const own = "srl_nokia-qos, written by render --dialect srlinux: "
	p.elsewhere("", buffer.GroupStatic, buffer.PortMinimum)
	p.elsewhere("no leaf for the reserved cells of an ingress group was found in srl_nokia-qos", buffer.GroupReserved)
	p.elsewhere("the platform has a fixed alpha, used where maximum-burst-size is 0", buffer.GroupAlpha)
	p.elsewhere(own+"pfc-queue/maximum-pfc-reserved-share-bytes", buffer.GroupHeadroom)
	p.elsewhere(own+"pfc-mapping-profile and interface/pfc",
		buffer.GroupLossless)
	p.elsewhere("srl_nokia-qos: pfc-on-threshold and pfc-off-threshold, in percents of a queue", buffer.GroupXONOffset)
	p.elsewhere("srl_nokia-qos: forwarding-complex/pfc-buffer-reservation, in percents",
		buffer.PoolHeadroom, buffer.PoolShared)
	p.elsewhere("srl_nokia-qos: committed-burst-size", buffer.QueueReserved)
	for _, k := range slices.Concat(marking, queuing) {
		p.Rules[k].Evidence = from(sourceNokia)
	}

	p.quirk(QueueID, 0, "a queue needs its queue-id (qos_queue_requires_id)", from(sourceTests))
	p.quirk(InterfaceRef, 0, "an interface-ref names the port of an interface; cellwarden writes the port without a "+
		"subinterface", from(sourceTests))
	p.quirk(AllocationNeeded, 0, "an output needs a buffer-allocation-profile "+
		"with a static-shared-buffer-limit of each queue (qos_buffer_allocation_config_required): "+
		"a plan has no such register, so bind a profile of your own; cellwarden does not change it", from(sourceTests))
	p.quirk(TwoSchedulers, 1, "the sequence of a scheduler is 0 or 1: one for strict queues, one for queues with weights",
		from(sourceNokia))
	p.quirk(NeedsFeature, 0, "many leaves depend on features of the platform", from(sourceNokiaOwn))
	p.quirk(MaxBurstNoAlpha, 0, "static-shared-buffer-limit becomes maximum-burst-size, and any value but 0 disables alpha",
		from(sourceNokia))
	return p.phasesApart().assumeWorst()
}
