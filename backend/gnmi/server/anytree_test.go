package server

import (
	"math/rand/v2"

	"github.com/cellwarden/cellwarden/internal/oc"
)

// anyTree is a tree of few names, so that its references often point at
// something. Rarely one is cut, or a key is not its leaf.
func anyTree(r *rand.Rand, rarely int) *oc.Root {
	names := []string{"0", "3", "e1/1", "a]b", "", "<ü>"}
	name := func() string { return names[r.IntN(len(names))] }
	named := func(key *string) *string {
		switch r.IntN(rarely) {
		case 0:
			return nil
		case 1:
			return new(name())
		}
		return key
	}
	root := &oc.Root{}
	qos := root.GetOrCreateQos()
	if r.IntN(2) == 0 { // all that references may point at is there
		for _, name := range names {
			q := qos.GetOrCreateQueues().GetOrCreateQueue(name)
			q.GetOrCreateConfig().Name = q.Name
			p := qos.GetOrCreateBufferAllocationProfiles().GetOrCreateBufferAllocationProfile(name)
			p.GetOrCreateConfig().Name = p.Name
			m := qos.GetOrCreateQueueManagementProfiles().GetOrCreateQueueManagementProfile(name)
			m.GetOrCreateConfig().Name = m.Name
			g := qos.GetOrCreateForwardingGroups().GetOrCreateForwardingGroup(name)
			g.GetOrCreateConfig().Name = g.Name
			c := qos.GetOrCreateClassifiers().GetOrCreateClassifier(name)
			c.GetOrCreateConfig().Name = c.Name
			s := qos.GetOrCreateSchedulerPolicies().GetOrCreateSchedulerPolicy(name)
			s.GetOrCreateConfig().Name = s.Name
		}
	}
	for range r.IntN(8) {
		q := qos.GetOrCreateQueues().GetOrCreateQueue(name())
		q.GetOrCreateConfig().Name = named(q.Name)
		q.GetOrCreateState().QueueId = new(uint8(r.Uint32()))
	}
	for range r.IntN(6) {
		p := qos.GetOrCreateBufferAllocationProfiles().GetOrCreateBufferAllocationProfile(name())
		p.GetOrCreateConfig().Name = named(p.Name)
		for range r.IntN(3) {
			q := p.GetOrCreateQueues().GetOrCreateQueue(name())
			q.GetOrCreateConfig().Name = named(q.Name)
			q.Config.DedicatedBuffer = new(r.Uint64())
		}
	}
	for range r.IntN(6) {
		p := qos.GetOrCreateQueueManagementProfiles().GetOrCreateQueueManagementProfile(name())
		p.GetOrCreateConfig().Name = named(p.Name)
		p.GetOrCreateWred().GetOrCreateUniform().GetOrCreateConfig().MaxDropProbabilityPercent = new(uint8(r.IntN(102)))
	}
	anyQueuing(r, qos, name, named)
	for range r.IntN(3) {
		i := qos.GetOrCreateInterfaces().GetOrCreateInterface(name())
		i.GetOrCreateConfig().InterfaceId = named(i.InterfaceId)
		if r.IntN(3) > 0 {
			i.GetOrCreateInput().GetOrCreateConfig().BufferAllocationProfile = new(name())
		}
		if r.IntN(3) == 0 {
			i.GetOrCreateOutput().GetOrCreateSchedulerPolicy().GetOrCreateConfig().Name = new(name())
			c := i.GetOrCreateInput().GetOrCreateClassifiers().GetOrCreateClassifier(boundIPv4)
			c.GetOrCreateConfig().Name, c.Config.Type = new(name()), boundIPv4
			if r.IntN(rarely) == 0 {
				c.Config.Type = boundIPv6
			}
		}
		for range r.IntN(3) {
			q := i.GetOrCreateOutput().GetOrCreateQueues().GetOrCreateQueue(name())
			q.GetOrCreateConfig().Name = named(q.Name)
			q.Config.QueueManagementProfile = new(name())
		}
	}
	for range r.IntN(2) {
		i := root.GetOrCreateInterfaces().GetOrCreateInterface(name())
		i.GetOrCreateConfig().Name = named(i.Name)
		s := i.GetOrCreateSubinterfaces().GetOrCreateSubinterface(r.Uint32N(3))
		s.GetOrCreateConfig().Index = s.Index
		if r.IntN(rarely) == 0 {
			s.Config.Index = new(r.Uint32N(3))
		}
	}
	return root
}

// anyQueuing adds a forwarding group, a classifier that leads to one, and a scheduler of a queue.
func anyQueuing(r *rand.Rand, qos *oc.OpenconfigQos_Qos, name func() string, named func(*string) *string) {
	if r.IntN(2) == 0 {
		g := qos.GetOrCreateForwardingGroups().GetOrCreateForwardingGroup(name())
		g.GetOrCreateConfig().Name, g.Config.OutputQueue = named(g.Name), new(name())
		c := qos.GetOrCreateClassifiers().GetOrCreateClassifier(name())
		c.GetOrCreateConfig().Name = named(c.Name)
		term := c.GetOrCreateTerms().GetOrCreateTerm("t")
		term.GetOrCreateConfig().Id = named(term.Id)
		term.GetOrCreateActions().GetOrCreateConfig().TargetGroup = new(name())
		term.GetOrCreateConditions().GetOrCreateIpv4().GetOrCreateConfig().DscpSet = []uint8{uint8(r.IntN(64))}
	}
	if r.IntN(2) == 0 {
		p := qos.GetOrCreateSchedulerPolicies().GetOrCreateSchedulerPolicy(name())
		p.GetOrCreateConfig().Name = named(p.Name)
		s := p.GetOrCreateSchedulers().GetOrCreateScheduler(r.Uint32N(2))
		s.GetOrCreateConfig().Sequence = new(*s.Sequence)
		i := s.GetOrCreateInputs().GetOrCreateInput("i")
		i.GetOrCreateConfig().Id, i.Config.Queue = named(i.Id), new(name())
	}
}
