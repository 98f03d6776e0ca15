package audit

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
)

// sortedKeys returns the keys of a map in order.
func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }

// maps checks where the code points of each port lead. Ports with the same maps are one finding.
func (c *check) maps() {
	f := folds{}
	points := map[string]bool{}
	for _, p := range c.sw.Ports {
		dscp := c.codes("DSCP_TO_TC_MAP", p.Maps["dscp_to_tc_map"])
		if dscp == nil {
			continue
		}
		if !points[dscp.name] {
			points[dscp.name] = true
			c.dscp(dscp)
		}
		c.classes(f, p, dscp)
	}
	f.report(c.collector)
}

// dscp checks that a map has all code points.
func (c *check) dscp(m *codeMap) {
	var without []int
	for point := range 64 {
		if _, there := m.to[point]; !there {
			without = append(without, point)
		}
	}
	if len(without) > 0 {
		c.add(dscpNoTC, m.at, m.object, nil, "%d of 64 code points have no traffic class, the first is %d", len(without),
			without[0])
	}
}

// classes checks that the traffic classes that a DSCP has lead to a group and a queue, both of one kind.
func (c *check) classes(f folds, p *Port, dscp *codeMap) {
	groups := c.codes("TC_TO_PRIORITY_GROUP_MAP", p.Maps["tc_to_pg_map"])
	queues := c.codes("TC_TO_QUEUE_MAP", p.Maps["tc_to_queue_map"])
	classes := slices.Sorted(maps.Values(dscp.to))
	for _, tc := range slices.Compact(classes) {
		group, grouped := 0, false
		if groups != nil {
			if group, grouped = groups.to[tc]; !grouped {
				f.note(tcNoGroup, groups.at, p, groups.object, "traffic class %d of %s has no group", tc, dscp.object)
			}
		}
		queue, queued := 0, false
		if queues != nil {
			if queue, queued = queues.to[tc]; !queued {
				f.note(tcNoQueue, queues.at, p, queues.object, "traffic class %d of %s has no queue", tc, dscp.object)
			}
		}
		if grouped && queued && p.PFC != 0 && (tc >= groupsPerPort || !p.lossless(tc)) {
			c.mixed(f, p, tc, group, queue)
		}
	}
}

// mixed compares the kinds of the group and the queue of a traffic class: lossless are those that are of a priority
// with PFC.
func (c *check) mixed(f folds, p *Port, tc, group, queue int) {
	losslessGroup, losslessQueue := false, false
	toGroup := c.codes("PFC_PRIORITY_TO_PRIORITY_GROUP_MAP", p.Maps["pfc_to_pg_map"])
	toQueue := c.codes("MAP_PFC_PRIORITY_TO_QUEUE", p.Maps["pfc_to_queue_map"])
	for n := range groupsPerPort {
		if !p.lossless(n) {
			continue
		}
		losslessGroup = losslessGroup || leads(toGroup, n) == group
		losslessQueue = losslessQueue || leads(toQueue, n) == queue
	}
	m := c.codes("TC_TO_PRIORITY_GROUP_MAP", p.Maps["tc_to_pg_map"])
	switch object := fmt.Sprintf("traffic class %d", tc); {
	case losslessGroup && !losslessQueue:
		f.note(tcMixed, m.line[tc], p, object, "group %d has PFC, and queue %d has not", group, queue)
	case !losslessGroup && losslessQueue:
		f.note(tcMixed, m.line[tc], p, object, "queue %d has PFC, and group %d has not", queue, group)
	}
}

// leads returns where a map leads a priority; without the map, to its own number.
func leads(m *codeMap, priority int) int {
	if m == nil {
		return priority
	}
	if to, there := m.to[priority]; there {
		return to
	}
	return -1
}
