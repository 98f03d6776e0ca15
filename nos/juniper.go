package nos

import (
	"github.com/cellwarden/cellwarden/buffer"
)

// juniper is Junos on QFX switches. The switch computes the headroom itself, from the
// length of the cable.
func juniper() *Profile {
	p := &Profile{Name: Juniper, Title: "Juniper Junos 24.4R1 (QFX)", Models: []string{"junos-", "jnx-"},
		Organizations: []string{"juniper"}, Dialect: "junos", Rules: modelRules()}
	p.without("/qos/buffer-allocation-profiles is not supported", from(sourceJuniper),
		buffer.GroupReserved, buffer.GroupAlpha, buffer.GroupStatic, buffer.QueueReserved)

	const cnp = "class-of-service congestion-notification-profile, written by render --dialect junos: "
	p.elsewhere(cnp+"pfc of a code point", buffer.GroupLossless)
	p.elsewhere(cnp+"cable-length and mru, from which the switch computes the headroom", buffer.GroupHeadroom)
	p.elsewhere(cnp+"xon of a code point", buffer.GroupXONOffset)
	p.elsewhere("class-of-service shared-buffer ingress, in percents", buffer.PoolShared, buffer.PoolHeadroom)
	p.elsewhere("class-of-service shared-buffer ingress buffer-partition dynamic-threshold, "+
		"for all lossless groups together", buffer.GroupAlpha)
	p.elsewhere("", buffer.GroupReserved, buffer.GroupStatic, buffer.PortMinimum)
	p.elsewhere("class-of-service schedulers", buffer.QueueReserved)
	for _, k := range marking {
		p.Rules[k].Evidence = from(sourceJuniper)
	}
	for _, k := range queuing {
		p.Rules[k].Evidence = from(sourceQoSTests)
	}

	p.quirk(QueueID, 0, "a queue needs its queue-id", from(sourceTests))
	p.quirk(InterfaceUnit, 0, "the interface-id is et-0/0/0.0, with an interface-ref", from(sourceTests))
	p.quirk(WeightLimit, 100, "scheduler weights are at most 100, as they are in a plan", from(sourceTests))
	p.quirk(HeadroomByCable, 0, "the switch computes the headroom from cable-length and mru", from(sourceJunosOwn))
	p.change(buffer.DisruptsSwitch, "traffic stops on all ports until the buffer is partitioned again",
		from(sourceJunosOwn),
		buffer.PoolShared, buffer.PoolHeadroom)
	p.change(buffer.DisruptsPort, "a change of PFC blocks the port", from(sourceJunosOwn), buffer.GroupLossless)
	return p.phasesApart().restDisruptsNothing()
}
