package mmu

// Calm tells whether packets that leave only give back cells: no group is paused, so that none can resume, and no cells
// wait in a first stage. Then it does not matter in which order packets leave, only which of them have left before the
// next one arrives. An MMU of several slices is never calm.
func (m *MMU) Calm() bool {
	s := &m.state[0]
	return s.paused == 0 && s.waiting == 0 && !m.ordered
}
