package registry

import (
	"fmt"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/nos/internal/profiles"
)

// iosxr is Cisco IOS XR. Its configuration is neither read nor rendered, so that it has no folder: what its gNMI server
// takes is all that there is.
var iosxr = nos.System{Name: "iosxr", Title: "IOS XR", Profile: iosxrProfile}

// Where the entries of the profile come from.
const (
	sourceECNTest = "openconfig/featureprofiles 598f5a7, qos_ecn_config_test.go, and its issue 2210"
	sourceNexus   = "Cisco Nexus 9000 10.5 QoS guide: changes of queuing are disruptive"
)

// ciscoQuantum is the unit in bytes of Cisco's marking thresholds, which are multiples of it,
// and by which the two of a queue have to differ.
const ciscoQuantum = 6144

// iosxrProfile is IOS XR. No list of deviations is published: what is accepted is inferred from
// the public tests that Cisco's switches pass.
func iosxrProfile() *nos.Profile {
	p := profiles.New(nos.Profile{Name: "cisco", Title: "Cisco IOS XR", Models: []string{"cisco-"},
		Organizations: []string{"cisco"}})
	const why = "unknown whether the switch accepts it: no list of deviations was found, and no public test sets it on " +
		"this vendor"
	p.Without(why, profiles.Inferred(profiles.Tests.Source),
		buffer.GroupReserved, buffer.GroupAlpha, buffer.GroupStatic, buffer.QueueReserved)
	p.Elsewhere("the command line: policy-map type queuing; no gNMI path was found", buffer.PortMinimum,
		buffer.GroupStatic, buffer.GroupReserved, buffer.GroupAlpha, buffer.PoolShared, buffer.PoolHeadroom,
		buffer.GroupHeadroom, buffer.GroupXONOffset, buffer.QueueReserved)
	p.Elsewhere("NX-OS: /System/intf-items/phys-items/PhysIf-list[id=*]/priorflowctrl-items/mode; IOS XR: the command "+
		"line", buffer.GroupLossless)
	for _, k := range []buffer.Kind{buffer.QueueECNMin, buffer.QueueECNMax} {
		p.Rules[k].Quantum, p.Rules[k].Round = ciscoQuantum, nos.RoundUp
		p.Rules[k].Evidence = nos.Evidence{Source: sourceECNTest + "; the direction is inferred", Inferred: true}
	}
	p.Rules[buffer.QueueECNPMax].Evidence = profiles.Tests
	p.QueuingFrom(profiles.QoSTests)

	p.AddQuirk(nos.QueueID, 0, "a queue needs its queue-id", profiles.Tests)
	p.AddQuirk(nos.ThresholdsApart, ciscoQuantum, fmt.Sprintf("kmin and kmax must differ, by %d bytes at least",
		ciscoQuantum), profiles.From(sourceECNTest))
	p.AddQuirk(nos.InterfaceRef, 0, "an interface-ref names the port of an interface", profiles.Tests)
	p.AddQuirk(nos.SchedulerNeeded, 0, "marking needs a scheduler-policy on the output (qos_scheduler_config_required): "+
		"give every class a weight or strict, or bind a policy of your own; cellwarden does not change it", profiles.Tests)
	p.AddQuirk(profiles.WeightUnset, 0, "the switch refuses the weight of wred", profiles.Tests)
	p.AddQuirk(profiles.NoState, 0, "state paths are not all supported: config is read back", profiles.Tests)
	const disruptive = "changes of queuing are disruptive on NX-OS"
	p.AddEffect(buffer.DisruptsSwitch, disruptive, profiles.Inferred(sourceNexus), buffer.PoolShared, buffer.PoolHeadroom)
	p.AddEffect(buffer.DisruptsPort, disruptive, profiles.Inferred(sourceNexus),
		buffer.GroupLossless, buffer.QueueReserved, buffer.QueueWeight)
	return profiles.RestDisruptsNothing(profiles.PhasesApart(p))
}
