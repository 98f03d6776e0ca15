package mmu

// Clone returns an MMU with the same limits and counters that shares nothing
// with the first. Use it to try something out.
func (m *MMU) Clone() *MMU {
	c := *m
	c.groups = append([]liveGroup(nil), m.groups...)
	c.queues = append([]liveQueue(nil), m.queues...)
	c.pools = append([]livePool(nil), m.pools...)
	c.egressPools = append([]livePool(nil), m.egressPools...)
	c.headroomPools = append([]livePool(nil), m.headroomPools...)
	c.global = append([]livePool(nil), m.global...)
	c.ports = append([]livePort(nil), m.ports...)
	c.egressPorts = append([]livePort(nil), m.egressPorts...)
	c.state = append([]liveSlice(nil), m.state...)
	c.prepare()
	return &c
}
