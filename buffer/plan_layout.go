package buffer

import (
	"cmp"
	"slices"
)

// layout lists the registers of what the admission granted. A group's
// registers are replicated by the device in every slice of its port.
func (a *Admission) layout() Layout {
	var out []Setting
	for i := range a.pools {
		out = append(out, Setting{Register{PoolShared, "", i}, int64(a.pools[i].Shared())},
			Setting{Register{PoolHeadroom, "", i}, a.poolHeadroom(i)})
	}
	for _, i := range a.admitted(a.byName()) {
		start := len(out)
		out = appendSetting(out, Register{PortMinimum, a.in.Ports[i].Name, 0}, int64(a.ports[i].demand.port))
		for j := range a.ports[i].demand.groups {
			out = a.groupSettings(out, a.in.Ports[i].Name, &a.ports[i].demand.groups[j])
		}
		out = channelSettings(out, a.in.Ports[i].Name, a.ports[i].demand)
		out = a.queueSettings(out, &a.in.Ports[i])
		slices.SortFunc(out[start:], func(a, b Setting) int {
			return cmp.Or(cmp.Compare(a.Index, b.Index), cmp.Compare(a.Kind, b.Kind))
		})
	}
	return NewLayout(out)
}

// poolHeadroom returns the cells of a slice's shared headroom pool.
func (a *Admission) poolHeadroom(slice int) int64 {
	if a.shared == 0 {
		return 0
	}
	return int64(a.pools[slice].Headroom())
}

// groupSettings lists the registers of one group. PFC, headroom and XON offset are those of a lossless group alone.
func (a *Admission) groupSettings(out []Setting, port string, g *groupDemand) []Setting {
	set := func(k Kind, v int64) { out = appendSetting(out, Register{k, port, g.group}, v) }
	set(GroupReserved, int64(g.Reserved))
	set(limitRegister(g.Limit))
	if g.Lossless {
		set(GroupLossless, 1)
		set(GroupHeadroom, int64(g.Headroom))
		set(GroupXONOffset, int64(g.XONOffset))
	}
	return out
}

// queueSettings lists the registers of queues and priorities: each priority has the egress queue of its number. Marking
// thresholds are capacities, so they round down.
func (a *Admission) queueSettings(out []Setting, p *Port) []Setting {
	carried := false
	for i, c := range a.in.Classes {
		if !a.in.carries(p, i) {
			continue
		}
		carried = true
		for _, queue := range c.Priorities {
			set := func(k Kind, v int64) { out = appendSetting(out, Register{k, p.Name, queue}, v) }
			set(QueueReserved, int64(a.in.Chip.Cell.Holding(c.QueueReserved)))
			set(QueueECNMin, int64(a.in.Chip.marking(c.ECN.KMin)))
			set(QueueECNMax, int64(a.in.Chip.marking(c.ECN.KMax)))
			set(QueueECNPMax, int64(c.ECN.PMax))
			if len(a.in.ETS) == 0 {
				set(QueueWeight, c.weight())
			}
			set(PriorityDSCP, int64(a.in.DSCP[queue]))
		}
	}
	if s := a.in.Schedule(p); s != nil && carried {
		out = scheduleSettings(out, p.Name, s)
	}
	return out
}
