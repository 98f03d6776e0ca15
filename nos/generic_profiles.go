package nos

import "github.com/cellwarden/cellwarden/buffer"

// The profiles of this file are of no vendor.

// OpenConfig is the profile of a switch that accepts every leaf of the published model, as the model
// has it. It is the profile of switches about which nothing else is known.
func OpenConfig() *Profile {
	p := NewProfile(Profile{Name: "openconfig",
		Title: "OpenConfig: a target that accepts all of openconfig-qos"})
	p.AddQuirk(StaticBySlice, 0, bySlice, Inferred(sourceModel))
	p.AddQuirk(GroupIsInputQueue, 0, byInputQueue, Inferred(sourceModel))
	p.AddQuirk(PriorityIsQueue, 0, byQueue, Inferred(sourceModel))
	p.AddQuirk(CommitUnknown, 0, "the gNMI version does not show whether a target implements Commit-confirmed",
		From("openconfig/reference, gnmi-commit-confirmed"))
	return p.AssumeWorst()
}

// Simulated is the profile of the switch that package server serves in front of the simulated ASIC.
func Simulated() *Profile {
	p := NewProfile(Profile{Name: "simulated", Title: "the simulated ASIC, served by cellwarden target",
		Models: []string{"cellwarden"}, Organizations: []string{"cellwarden"}})
	p.Elsewhere("apply --sim writes it to a simulated ASIC in this process", buffer.PoolShared, buffer.PoolHeadroom,
		buffer.PortMinimum, buffer.GroupLossless, buffer.GroupHeadroom, buffer.GroupXONOffset,
		buffer.QueueClass, buffer.QueueShare, buffer.ClassBandwidth, buffer.ClassIdleSlope,
		buffer.PortCredits, buffer.ChannelTraffic, buffer.ChannelReserved, buffer.ChannelAlpha, buffer.ChannelStatic)
	p.AddQuirk(StaticBySlice, 0, bySlice, From(sourceSim))
	p.AddQuirk(GroupIsInputQueue, 0, byInputQueue, From(sourceSim))
	p.AddQuirk(PriorityIsQueue, 0, byQueue, From(sourceSim))
	const text = "registers change at once and no traffic stops"
	return p.AddEffect(buffer.DisruptsNothing, text, From(sourceSim), buffer.Kinds()...)
}
