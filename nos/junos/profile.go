package junos

import (
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/nos/internal/profiles"
)

// juniper is where the entries of the profile come from.
var juniper = profiles.From("Juniper 24.4R1, jnx-openconfig-dev.yang (openconfig-qos 0.9.1)")

// gnmiProfile is Junos on QFX switches. The switch computes the headroom itself, from the length of the cable.
func gnmiProfile() *nos.Profile {
	p := profiles.New(nos.Profile{Name: "juniper", Title: "Juniper Junos 24.4R1 (QFX)", Models: []string{"junos-",
		"jnx-"},
		Organizations: []string{"juniper"}, Dialect: "junos"})
	p.Without("/qos/buffer-allocation-profiles is not supported", juniper,
		buffer.GroupReserved, buffer.GroupAlpha, buffer.GroupStatic, buffer.QueueReserved)

	const cnp = "class-of-service congestion-notification-profile, written by render --dialect junos: "
	p.Elsewhere(cnp+"pfc of a code point", buffer.GroupLossless)
	p.Elsewhere(cnp+"cable-length and mru, from which the switch computes the headroom", buffer.GroupHeadroom)
	p.Elsewhere(cnp+"xon of a code point", buffer.GroupXONOffset)
	p.Elsewhere("class-of-service shared-buffer ingress, in percents", buffer.PoolShared, buffer.PoolHeadroom)
	p.Elsewhere("class-of-service shared-buffer ingress buffer-partition dynamic-threshold, "+
		"for all lossless groups together", buffer.GroupAlpha)
	p.Elsewhere("", buffer.GroupReserved, buffer.GroupStatic, buffer.PortMinimum)
	p.Elsewhere("class-of-service schedulers", buffer.QueueReserved)
	p.MarkingFrom(juniper)
	p.QueuingFrom(profiles.QoSTests)

	p.AddQuirk(nos.QueueID, 0, "a queue needs its queue-id", profiles.Tests)
	p.AddQuirk(nos.InterfaceUnit, 0, "the interface-id is et-0/0/0.0, with an interface-ref", profiles.Tests)
	p.AddQuirk(profiles.WeightLimit, 100, "scheduler weights are at most 100, as they are in a plan", profiles.Tests)
	p.AddQuirk(profiles.HeadroomByCable, 0, "the switch computes the headroom from cable-length and mru",
		profiles.JuniperGuide)
	p.AddEffect(buffer.DisruptsSwitch, "traffic stops on all ports until the buffer is partitioned again",
		profiles.JuniperGuide, buffer.PoolShared, buffer.PoolHeadroom)
	p.AddEffect(buffer.DisruptsPort, "a change of PFC blocks the port", profiles.JuniperGuide, buffer.GroupLossless)
	return profiles.RestDisruptsNothing(profiles.PhasesApart(p))
}
