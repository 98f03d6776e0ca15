package mmu

import (
	"errors"
	"fmt"

	"github.com/cellwarden/cellwarden/cells"
)

// ErrInUse is the error of SetGroup for a change that is possible only while the group holds nothing.
var ErrInUse = errors.New("the group is in use")

// SetGroup changes the limits of a group in every slice. Cells above a lower limit stay until they leave. Pool, port,
// headroom pool, lossless or lossy, and one or two stages can change only while the group holds nothing and is not
// paused in any slice; otherwise the error wraps ErrInUse. Limits that New would refuse are refused. An error changes
// nothing.
func (m *MMU) SetGroup(group int, to Group) error {
	if err := to.Validate(); err != nil {
		return fmt.Errorf("groups[%d].%w", group, err)
	}
	if to.Pool < 0 || to.Pool >= m.sizes.pools || to.PortPool < 0 || to.PortPool > m.sizes.ports ||
		to.HeadroomPool < 0 || to.HeadroomPool > m.sizes.headroomPools {
		return fmt.Errorf("groups[%d]: pool %d, port pool %d, headroom pool %d (want at most %d, %d, %d)",
			group, to.Pool, to.PortPool, to.HeadroomPool, m.sizes.pools-1, m.sizes.ports, m.sizes.headroomPools)
	}
	for s := range m.slices {
		g := m.group(s, group)
		moves := g.Pool != to.Pool || g.PortPool != to.PortPool || g.HeadroomPool != to.HeadroomPool ||
			g.Lossless != to.Lossless || g.Stage.on() != to.Stage.on()
		if moves && (g.gate.Paused() || g.total() > 0) {
			return fmt.Errorf("groups[%d] holds %d cells in slice %d, paused: %t: %w", group, g.total(), s,
				g.gate.Paused(), ErrInUse)
		}
	}
	for s := range m.slices {
		g := m.group(s, group)
		from, pool := &m.pools[s*m.sizes.pools+g.Pool], &m.pools[s*m.sizes.pools+to.Pool]
		from.members--
		pool.members++
		if g.shared > 0 && pool.policy != nil {
			from.busy[g.Priority]--
			pool.busy[to.Priority]++
		}
		g.Group = to
	}
	m.prepare()
	for s := range m.slices {
		m.moveWaiting(s, group)
	}
	return nil
}

// SetPool changes the size of an ingress pool in one slice. Cells above a lower size stay until they leave, and no
// packet is admitted to the pool meanwhile. A negative size is refused. Call [MMU.Resume] afterwards: paused groups may
// be resumed.
func (m *MMU) SetPool(slice, pool int, shared cells.Count) error {
	return m.setPool(m.pools, slice, m.sizes.pools, pool, shared)
}

// SetHeadroomPool changes the size of a shared headroom pool in one slice, as SetPool does.
func (m *MMU) SetHeadroomPool(slice, pool int, limit cells.Count) error {
	return m.setPool(m.headroomPools, slice, m.sizes.headroomPools, pool, limit)
}

// setPool changes the size of one of the pools.
func (m *MMU) setPool(pools []livePool, slice, each, pool int, limit cells.Count) error {
	if slice < 0 || slice >= m.slices || pool < 0 || pool >= each {
		return fmt.Errorf("slice %d, pool %d (want slices 0 to %d, pools 0 to %d)", slice, pool, m.slices-1,
			each-1)
	}
	if limit < 0 || limit > mostCells {
		return fmt.Errorf("slice %d, pool %d: %d cells (want 0 to %d)", slice, pool, limit, mostCells)
	}
	p := &pools[slice*each+pool]
	p.limit, p.usedAtChange = limit, p.used
	m.prepare()
	m.moveWaiting(slice, 0)
	return nil
}

// SetPortPool changes the limits of a port in its ingress pool in every slice. The index is that of Config.PortPools.
// Cells above a lower limit stay until they leave. Negative counts are refused, and nothing changes then. Call
// [MMU.Resume] afterwards: paused groups may be resumed.
func (m *MMU) SetPortPool(port int, to PortPool) error {
	if port < 0 || port >= m.sizes.ports {
		return fmt.Errorf("port %d (want 0 to %d)", port, m.sizes.ports-1)
	}
	if min(to.Reserved, to.Max) < 0 || max(to.Reserved, to.Max) > mostCells {
		return fmt.Errorf("port %d: reserved %d, max %d cells (want 0 to %d)", port, to.Reserved, to.Max,
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
