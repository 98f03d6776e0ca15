package profile

import "github.com/cellwarden/cellwarden/buffer"

func simulated() *Profile {
	p := &Profile{Name: Simulated, Title: "the simulated ASIC, served by cellwarden target", Models: []string{"cellwarden"}, Organizations: []string{"cellwarden"}, Rules: rules()}
	p.goes("apply --sim writes it to a simulated ASIC in this process", buffer.PoolShared, buffer.PoolHeadroom, buffer.PortMinimum, buffer.GroupLossless, buffer.GroupHeadroom, buffer.GroupXONOffset)
	return p.quirk(StaticBySlice, 0, bySlice, from(sourceSim)).quirk(PriorityGroupIs, 0, "priority group n is queue n of the input's profile: cellwarden's convention, the model does not say it", from(sourceSim)).
		quirk(PriorityIsQueue, 0, byQueue, from(sourceSim)).
		change(buffer.DisruptsNothing, "registers change at once and no traffic stops", from(sourceSim), buffer.Kinds()...)
}
