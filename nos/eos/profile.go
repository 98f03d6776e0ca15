package eos

import (
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/nos/internal/profiles"
)

// arista is where the entries of the profile come from.
var arista = profiles.From("Arista EOS-4.36.1F, deviations of openconfig-qos (aristanetworks/yang, 2026-06-21)")

// gnmiProfile is EOS. Its published list of deviations says which leaves it refuses.
func gnmiProfile() *nos.Profile {
	p := profiles.New(nos.Profile{Name: "arista", Title: "Arista EOS 4.36.1F", Models: []string{"arista-"},
		Organizations: []string{"arista"}, Dialect: "eos"})
	const cli = "the command line: platform trident mmu queue profile (origin cli, not verified)"
	p.Without("dedicated-buffer is not supported, nor is input/config", arista, buffer.GroupReserved)
	p.Without("dynamic-limit-scaling-factor is not supported, nor is input/config", arista, buffer.GroupAlpha)
	p.Without("static-shared-buffer-limit is not supported, nor is input/config", arista, buffer.GroupStatic)
	p.Without("dedicated-buffer is not supported", arista, buffer.QueueReserved)
	p.Elsewhere(cli, buffer.PortMinimum, buffer.GroupStatic, buffer.PoolShared, buffer.PoolHeadroom, buffer.GroupReserved,
		buffer.GroupAlpha, buffer.GroupHeadroom, buffer.GroupXONOffset, buffer.QueueReserved)
	p.Elsewhere("output/arista-qos-augments:pfc/config/priorities-no-drop and the commands of pfc.cli, written by "+
		"render --dialect eos", buffer.GroupLossless)
	p.MarkingFrom(arista)
	p.QueuingFrom(arista)
	p.Rules[buffer.QueueECNMin].Most, p.Rules[buffer.QueueECNMax].Most = 1<<32-2, 1<<32-2
	p.AddQuirk(profiles.NoState, 0, "the state of profiles is not supported, nor max-queue-len and avg-queue-len: "+
		"config is read back", arista)
	p.AddQuirk(profiles.NoInterfaceRef, 0, "interface-ref/config is not supported", profiles.Tests)
	p.AddQuirk(nos.QueueNames, 0, "output queues may have vendor names, and no queue-id gives their numbers: cellwarden "+
		"writes the names 0 to 7, and the switch must have queues with these names", profiles.Tests)
	return profiles.AssumeWorst(profiles.PhasesApart(p))
}
