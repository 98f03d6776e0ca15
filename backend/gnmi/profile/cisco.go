package profile

import (
	"fmt"

	"github.com/cellwarden/cellwarden/buffer"
)

func cisco() *Profile {
	p := &Profile{Name: Cisco, Title: "Cisco IOS XR", Models: []string{"cisco-"}, Organizations: []string{"cisco"}, Rules: rules()}
	const why = "it is not known to be taken: no list of deviations was found, and none of the public tests sets it on this vendor"
	p.without(why, inferred(sourceTests), buffer.GroupReserved, buffer.GroupAlpha, buffer.GroupStatic, buffer.QueueReserved)
	p.goes("the command line: policy-map type queuing; no gNMI path was found", buffer.PortMinimum, buffer.GroupStatic, buffer.GroupReserved, buffer.GroupAlpha, buffer.PoolShared, buffer.PoolHeadroom, buffer.GroupHeadroom, buffer.GroupXONOffset, buffer.QueueReserved)
	p.goes("NX-OS: /System/intf-items/phys-items/PhysIf-list[id=*]/priorflowctrl-items/mode; IOS XR: the command line", buffer.GroupLossless)
	for _, k := range []buffer.Kind{buffer.QueueECNMin, buffer.QueueECNMax} {
		p.Rules[k].Quantum, p.Rules[k].Round = apart, Up
		p.Rules[k].Evidence = Evidence{Source: sourceECNTest + "; the direction is inferred", Inferred: true}
	}
	p.Rules[buffer.QueueECNPMax].Evidence = from(sourceTests)
	for _, k := range queuing {
		p.Rules[k].Evidence = from(sourceQoSTests)
	}
	return p.quirk(QueueID, 0, "a queue has to be given its queue-id", from(sourceTests)).
		quirk(ThresholdsApart, apart, fmt.Sprintf("kmin and kmax must differ, by %d bytes at least", apart), from(sourceECNTest)).
		quirk(InterfaceRef, 0, "an interface-ref says which port an interface is", from(sourceTests)).
		quirk(SchedulerNeeded, 0, "marking takes a scheduler-policy on the output (qos_scheduler_config_required): give every class a weight or strict, or bind a policy of your own, which is left alone", from(sourceTests)).
		quirk(WeightUnset, 0, "the weight of wred is refused", from(sourceTests)).
		quirk(NoState, 0, "state paths are not all supported: config is read back", from(sourceTests)).
		change(buffer.DisruptsSwitch, "changes of queuing are disruptive on NX-OS", inferred(sourceNexus), buffer.PoolShared, buffer.PoolHeadroom).
		change(buffer.DisruptsPort, "changes of queuing are disruptive on NX-OS", inferred(sourceNexus), buffer.GroupLossless, buffer.QueueReserved, buffer.QueueWeight).phasesApart().gentle()
}

// apart is what Cisco's marking thresholds are multiples of, and apart by.
const apart = 6144
