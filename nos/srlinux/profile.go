package srlinux

import (
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/nos/internal/profiles"
)

// Where the entries of the profile come from.
var (
	nokia    = profiles.From("Nokia SR Linux 25.3.1, oc-srl-qos.json")
	nokiaOwn = profiles.From("Nokia SR Linux 25.3.1, srl_nokia-qos")
)

// gnmiProfile is SR Linux. Its list of OpenConfig paths says which leaves it has, and its own
// model what exists besides.
func gnmiProfile() *nos.Profile {
	p := profiles.New(nos.Profile{Name: "srlinux", Title: "Nokia SR Linux 25.3.1", Models: []string{"srl_nokia",
		"urn:srl_nokia", "nokia-"}, Organizations: []string{"nokia"}, Dialect: "srlinux"})
	p.Without("dedicated-buffer is not supported", nokia, buffer.GroupReserved, buffer.QueueReserved)
	p.Without("dynamic-limit-scaling-factor is not supported", nokia, buffer.GroupAlpha)
	p.Without("input/config/buffer-allocation-profile is not supported; on an output static-shared-buffer-limit becomes "+
		"maximum-burst-size of a queue", nokia, buffer.GroupStatic)

	const own = "srl_nokia-qos, written by render --dialect srlinux: "
	p.Elsewhere("", buffer.GroupStatic, buffer.PortMinimum)
	p.Elsewhere("no leaf for the reserved cells of an ingress group was found in srl_nokia-qos", buffer.GroupReserved)
	p.Elsewhere("the platform has a fixed alpha, used where maximum-burst-size is 0", buffer.GroupAlpha)
	p.Elsewhere(own+"pfc-queue/maximum-pfc-reserved-share-bytes", buffer.GroupHeadroom)
	p.Elsewhere(own+"pfc-mapping-profile and interface/pfc", buffer.GroupLossless)
	p.Elsewhere("srl_nokia-qos: pfc-on-threshold and pfc-off-threshold, in percents of a queue", buffer.GroupXONOffset)
	p.Elsewhere("srl_nokia-qos: forwarding-complex/pfc-buffer-reservation, in percents",
		buffer.PoolHeadroom, buffer.PoolShared)
	p.Elsewhere("srl_nokia-qos: committed-burst-size", buffer.QueueReserved)
	p.MarkingFrom(nokia)
	p.QueuingFrom(nokia)

	p.AddQuirk(nos.QueueID, 0, "a queue needs its queue-id (qos_queue_requires_id)", profiles.Tests)
	p.AddQuirk(nos.InterfaceRef, 0, "an interface-ref names the port of an interface; cellwarden writes the port "+
		"without a subinterface", profiles.Tests)
	p.AddQuirk(nos.AllocationNeeded, 0, "an output needs a buffer-allocation-profile with a static-shared-buffer-limit "+
		"of each queue (qos_buffer_allocation_config_required): a plan has no such register, so bind a profile of your "+
		"own; cellwarden does not change it", profiles.Tests)
	p.AddQuirk(profiles.TwoSchedulers, 1, "the sequence of a scheduler is 0 or 1: one for strict queues, one for queues "+
		"with weights", nokia)
	p.AddQuirk(profiles.NeedsFeature, 0, "many leaves depend on features of the platform", nokiaOwn)
	p.AddQuirk(profiles.MaxBurstNoAlpha, 0, "static-shared-buffer-limit becomes maximum-burst-size, and any value but 0 "+
		"disables alpha", nokia)
	return profiles.AssumeWorst(profiles.PhasesApart(p))
}
