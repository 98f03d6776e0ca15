package audit

import (
	"fmt"
	"maps"
	"slices"
)

// maps checks where the code points of each port lead. Ports with the same maps are one finding.
func (c *check) maps() {
	f := &folds{}
	told := map[*CodeMap]bool{}
	for _, p := range c.sw.Ports {
		dscp := p.Maps[DSCPToClass]
		if dscp == nil {
			continue
		}
		if !told[dscp] {
			told[dscp] = true
			c.dscp(dscp)
		}
		c.classes(f, p, dscp)
	}
	f.report(c.collector)
}

// dscp checks that a map has all code points.
func (c *check) dscp(m *CodeMap) {
	var without []int
	for point := range 64 {
		if _, there := m.To[point]; !there {
			without = append(without, point)
		}
	}
	if len(without) > 0 {
		c.add("dscp-no-tc", m.At, m.Object, nil, "%d of 64 code points have no traffic class, the first is %d", len(without),
			without[0])
	}
}

// classes checks that the traffic classes that a DSCP has lead to a group and a queue, both of one kind.
func (c *check) classes(f *folds, p *Port, dscp *CodeMap) {
	groups := p.Maps[ClassToGroup]
	queues := p.Maps[ClassToQueue]
	classes := slices.Sorted(maps.Values(dscp.To))
	for _, tc := range slices.Compact(classes) {
		group, grouped := 0, false
		if groups != nil {
			if group, grouped = groups.To[tc]; !grouped {
				f.note("tc-no-pg", groups.At, p, groups.Object, "traffic class %d of %s has no group", tc, dscp.Object)
			}
		}
		queue, queued := 0, false
		if queues != nil {
			if queue, queued = queues.To[tc]; !queued {
				f.note("tc-no-queue", queues.At, p, queues.Object, "traffic class %d of %s has no queue", tc, dscp.Object)
			}
		}
		if grouped && queued && p.PFC != 0 && (tc >= groupsPerPort || !p.lossless(tc)) {
			c.mixed(f, p, tc, group, queue)
		}
	}
}

// mixed compares the kinds of the group and the queue of a traffic class: lossless are those that are of a priority
// with PFC.
func (c *check) mixed(f *folds, p *Port, tc, group, queue int) {
	losslessGroup, losslessQueue := false, false
	toGroup := p.Maps[PriorityToGroup]
	toQueue := p.Maps[PriorityToQueue]
	for n := range groupsPerPort {
		if !p.lossless(n) {
			continue
		}
		losslessGroup = losslessGroup || toGroup.leads(n, -1) == group
		losslessQueue = losslessQueue || toQueue.leads(n, -1) == queue
	}
	m := p.Maps[ClassToGroup]
	switch object := fmt.Sprintf("traffic class %d", tc); {
	case losslessGroup && !losslessQueue:
		f.note("tc-lossless-lossy", m.Lines[tc], p, object, "group %d has PFC, and queue %d has not", group, queue)
	case !losslessGroup && losslessQueue:
		f.note("tc-lossless-lossy", m.Lines[tc], p, object, "queue %d has PFC, and group %d has not", queue, group)
	}
}

// leads returns where a map leads a priority, or what is given where it does not; without a map, to its own number.
func (m *CodeMap) leads(priority, otherwise int) int {
	if m == nil {
		return priority
	}
	if to, there := m.To[priority]; there {
		return to
	}
	return otherwise
}
