package mmu

import "fmt"

// SetPortPool gives a port, counted from 0 in Config.PortPools, other limits
// in its ingress pool in every slice. Cells above a lower one stay until they
// leave. Counts below 0 are refused, and nothing has changed then. Some paused
// groups may go on afterwards: call [MMU.Resume].
func (m *MMU) SetPortPool(port int, to PortPool) error {
	if port < 0 || port >= m.sizes.ports {
		return fmt.Errorf("port %d (accepted: 0 to %d)", port, m.sizes.ports-1)
	}
	if min(to.Reserved, to.Max) < 0 || max(to.Reserved, to.Max) > mostCells {
		return fmt.Errorf("port %d: reserved %d, max %d cells (accepted: 0 to %d)", port, to.Reserved, to.Max,
			mostCells)
	}
	for s := range m.slices {
		m.ports[s*m.sizes.ports+port].PortPool = to
	}
	m.prepare()
	for s := range m.slices {
		m.moveWaiting(s, 0)
	}
	return nil
}
