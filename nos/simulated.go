package nos

import (
	"github.com/cellwarden/cellwarden/buffer"
)

// simulated is the switch that package server serves in front of the simulated ASIC.
func simulated() *Profile {
	p := &Profile{Name: Simulated, Title: "the simulated ASIC, served by cellwarden target",
		Models: []string{"cellwarden"}, Organizations: []string{"cellwarden"}, Rules: modelRules()}
	p.elsewhere("apply --sim writes it to a simulated ASIC in this process", buffer.PoolShared, buffer.PoolHeadroom,
		buffer.PortMinimum, buffer.GroupLossless, buffer.GroupHeadroom, buffer.GroupXONOffset,
		buffer.QueueClass, buffer.QueueShare, buffer.ClassBandwidth, buffer.ClassIdleSlope,
		buffer.PortCredits, buffer.ChannelTraffic, buffer.ChannelReserved, buffer.ChannelAlpha, buffer.ChannelStatic)
	p.quirk(StaticBySlice, 0, bySlice, from(sourceSim))
	p.quirk(GroupIsInputQueue, 0, byInputQueue, from(sourceSim))
	p.quirk(PriorityIsQueue, 0, byQueue, from(sourceSim))
	const text = "registers change at once and no traffic stops"
	return p.change(buffer.DisruptsNothing, text, from(sourceSim), buffer.Kinds()...)
}
