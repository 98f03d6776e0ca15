package mmu

// Calm tells whether packets that leave only give back cells: no group is paused, so that none can resume, and no cells
// wait in a first stage. Then it does not matter in which order packets leave, only which of them have left before the
// next one arrives. An MMU of several slices or with a [Smoother] is never calm.
func (m *MMU) Calm() bool {
	s := &m.state[0]
	return s.paused == 0 && s.waiting == 0 && !m.ordered
}

// smooth tells whether the policy of a pool is a Smoother: each packet that leaves is a step of it.
func smooth(pools []livePool) bool {
	for i := range pools {
		if pools[i].smoother != nil {
			return true
		}
	}
	return false
}
