package nos

import (
	"slices"

	"github.com/cellwarden/cellwarden/buffer"
)

// arista is EOS. Its published list of deviations says which leaves it refuses.
func arista() *Profile {
	p := &Profile{Name: Arista, Title: "Arista EOS 4.36.1F", Models: []string{"arista-"},
		Organizations: []string{"arista"}, Dialect: "eos", Rules: modelRules()}
	const cli = "the command line: platform trident mmu queue profile (origin cli, not verified)"
	p.without("dedicated-buffer is not supported, nor is input/config", from(sourceArista), buffer.GroupReserved)
	p.without("dynamic-limit-scaling-factor is not supported, nor is input/config", from(sourceArista), buffer.GroupAlpha)
	p.without("static-shared-buffer-limit is not supported, nor is input/config", from(sourceArista), buffer.GroupStatic)
	p.without("dedicated-buffer is not supported", from(sourceArista), buffer.QueueReserved)
	p.elsewhere(cli, buffer.PortMinimum, buffer.GroupStatic, buffer.PoolShared, buffer.PoolHeadroom, buffer.GroupReserved,
		buffer.GroupAlpha, buffer.GroupHeadroom, buffer.GroupXONOffset, buffer.QueueReserved)
	p.elsewhere("output/arista-qos-augments:pfc/config/priorities-no-drop and the commands of pfc.cli, written by "+
		"render --dialect eos",
		buffer.GroupLossless)
	for _, k := range slices.Concat(marking, queuing) {
		p.Rules[k].Evidence = from(sourceArista)
	}
	p.Rules[buffer.QueueECNMin].Most, p.Rules[buffer.QueueECNMax].Most = 1<<32-2, 1<<32-2
	p.quirk(NoState, 0, "the state of profiles is not supported, nor max-queue-len and avg-queue-len: config is read back",
		from(sourceArista))
	p.quirk(NoInterfaceRef, 0, "interface-ref/config is not supported", from(sourceTests))
	p.quirk(QueueNames, 0, "output queues may have vendor names, and no queue-id gives their numbers: cellwarden writes "+
		"the names 0 to 7, and the switch must have queues with these names", from(sourceTests))
	return p.phasesApart().assumeWorst()
}
