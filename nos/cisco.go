package nos

import (
	"fmt"

	"github.com/cellwarden/cellwarden/buffer"
)

// ciscoQuantum is the number of bytes of which Cisco's marking thresholds are multiples,
// and by which the two of a queue have to differ.
const ciscoQuantum = 6144

// cisco is IOS XR. No list of deviations is published: what is accepted is inferred from
// the public tests that Cisco's switches pass.
func cisco() *Profile {
	p := &Profile{Name: Cisco, Title: "Cisco IOS XR", Models: []string{"cisco-"},
		Organizations: []string{"cisco"}, Rules: modelRules()}
	const why = "unknown whether the switch accepts it: no list of deviations was found, and no public test sets it on " +
		"this vendor"
	p.without(why, inferred(sourceTests),
		buffer.GroupReserved, buffer.GroupAlpha, buffer.GroupStatic, buffer.QueueReserved)
	p.elsewhere("the command line: policy-map type queuing; no gNMI path was found",
		buffer.PortMinimum, buffer.GroupStatic, buffer.GroupReserved, buffer.GroupAlpha,
		buffer.PoolShared, buffer.PoolHeadroom, buffer.GroupHeadroom,
		buffer.GroupXONOffset, buffer.QueueReserved)
	p.elsewhere("NX-OS: /System/intf-items/phys-items/PhysIf-list[id=*]/priorflowctrl-items/mode; "+
		"IOS XR: the command line",
		buffer.GroupLossless)
	for _, k := range []buffer.Kind{buffer.QueueECNMin, buffer.QueueECNMax} {
		p.Rules[k].Quantum, p.Rules[k].Round = ciscoQuantum, RoundUp
		p.Rules[k].Evidence = Evidence{Source: sourceECNTest + "; the direction is inferred", Inferred: true}
	}
	p.Rules[buffer.QueueECNPMax].Evidence = from(sourceTests)
	for _, k := range queuing {
		p.Rules[k].Evidence = from(sourceQoSTests)
	}

	p.quirk(QueueID, 0, "a queue needs its queue-id", from(sourceTests))
	p.quirk(ThresholdsApart, ciscoQuantum, fmt.Sprintf("kmin and kmax must differ, by %d bytes at least", ciscoQuantum),
		from(sourceECNTest))
	p.quirk(InterfaceRef, 0, "an interface-ref names the port of an interface", from(sourceTests))
	p.quirk(SchedulerNeeded, 0, "marking needs a scheduler-policy on the output (qos_scheduler_config_required): "+
		"give every class a weight or strict, or bind a policy of your own; cellwarden does not change it", from(sourceTests))
	p.quirk(WeightUnset, 0, "the switch refuses the weight of wred", from(sourceTests))
	p.quirk(NoState, 0, "state paths are not all supported: config is read back", from(sourceTests))
	const disruptive = "changes of queuing are disruptive on NX-OS"
	p.change(buffer.DisruptsSwitch, disruptive, inferred(sourceNexus), buffer.PoolShared, buffer.PoolHeadroom)
	p.change(buffer.DisruptsPort, disruptive, inferred(sourceNexus),
		buffer.GroupLossless, buffer.QueueReserved, buffer.QueueWeight)
	return p.phasesApart().restDisruptsNothing()
}
