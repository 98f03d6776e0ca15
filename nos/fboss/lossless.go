package fboss

import (
	"fmt"
	"maps"
	"slices"

	"github.com/cellwarden/cellwarden/audit"
)

// queue is a queue of portQueueConfigs.
type queue struct {
	id        int
	drops     bool // it drops packets before it is full (EARLY_DROP)
	line      int
	multicast bool
}

// lossless tells whether any group has headroom.
func (g *groups) lossless() bool {
	return slices.ContainsFunc(g[:], func(p *audit.Profile) bool { return p != nil && p.Lossless() })
}

// reaches checks, of each group with headroom, that priorities and packets lead to it: those of its priorities that are
// paused, and the traffic classes of DSCPs.
func (r *reader) reaches(p *audit.Port, g *groups, qos *policy, line int) {
	if qos == nil {
		if g.lossless() && (g[0] == nil || !g[0].Lossless()) {
			r.FindAtPort("pfc-class-drops", line, p.Name, "ports", "ACLs may give them another class", "there is no "+
				"defaultQosPolicy, and no policy of the port: all packets have traffic class 0, and none is in a group with "+
				"headroom")
		}
		return
	}
	for n, profile := range g {
		if profile == nil || !profile.Lossless() {
			continue
		}
		if len(qos.priorityToGroup) > 0 && len(leading(qos.priorityToGroup, n)) == 0 {
			r.FindAtPort("pfc-class-drops", qos.maps[audit.PriorityToGroup].At.Line, p.Name, profile.Object, "", "group %d "+
				"has headroom, and pfcPriorityToPgId leads no priority to it%s", n, g.absent(qos))
		}
		r.packets(p, profile, qos, n)
	}
}

// absent names the first priority that leads to a group that is not there; "": there is none.
func (g *groups) absent(qos *policy) string {
	for _, priority := range slices.Sorted(maps.Keys(qos.priorityToGroup)) {
		if to := qos.priorityToGroup[priority]; to >= 0 && to < len(g) && g[to] == nil {
			return fmt.Sprintf("; priority %d leads to group %d, which is not there", priority, to)
		}
	}
	return ""
}

// packets checks that traffic classes lead to a group with headroom, DSCPs to them, and they to a queue that is paused.
func (r *reader) packets(p *audit.Port, profile *audit.Profile, qos *policy, group int) {
	classes, rests := leading(qos.classToGroup, group), "ACLs may give packets the class"
	if len(qos.classToGroup) == 0 {
		classes, rests = []int{group}, "without trafficClassToPgId a class is taken to have the group of its number"
	}
	if len(classes) == 0 {
		r.FindAtPort("pfc-class-drops", qos.maps[audit.ClassToGroup].At.Line, p.Name, profile.Object, "", "group %d has "+
			"headroom, and trafficClassToPgId leads no traffic class to it", group)
		return
	}
	marked := false
	for _, class := range classes {
		marked = marked || len(leading(qos.dscp, class)) > 0
		to, there := qos.classToQueue[class]
		if there && len(qos.priorityToQueue) > 0 && !qos.paused(group, to) {
			r.FindAtPort("tc-lossless-lossy", qos.maps[audit.ClassToQueue].At.Line, p.Name, profile.Object, "", "traffic "+
				"class %d has group %d, which has headroom, and queue %d, which is of no priority of the group", class, group, to)
		}
	}
	if !marked && len(qos.dscp) > 0 && !qos.tagged {
		r.FindAtPort("pfc-class-drops", qos.maps[audit.DSCPToClass].At.Line, p.Name, profile.Object, rests, "group %d has "+
			"headroom, and no DSCP has a traffic class of the group", group)
	}
}

// paused tells whether a queue is of a priority that leads to a group.
func (q *policy) paused(group, queue int) bool {
	for priority, to := range q.priorityToQueue {
		of, there := q.priorityToGroup[priority]
		if !there && len(q.priorityToGroup) == 0 {
			of = priority
		}
		if to == queue && of == group {
			return true
		}
	}
	return false
}

// leading lists the keys that lead to a value.
func leading(of map[int]int, to int) (out []int) {
	for _, k := range slices.Sorted(maps.Keys(of)) {
		if of[k] == to {
			out = append(out, k)
		}
	}
	return out
}

// losslessQueues checks the queues of priorities with PFC. Without a map the queue has the number of the priority
// (fboss/agent/PfcUtils.cpp, findPfcEnabledQueues).
func (r *reader) losslessQueues(p *audit.Port, qos *policy, queues []queue) {
	for priority := range 8 {
		if p.PFC>>priority&1 == 0 {
			continue
		}
		number := priority
		if qos != nil && len(qos.priorityToQueue) > 0 {
			to, there := qos.priorityToQueue[priority]
			if !there {
				r.FindAtPort("pfc-class-drops", qos.maps[audit.PriorityToQueue].At.Line, p.Name, "qosPolicies", "", "priority %d "+
					"has PFC, and pfcPriorityToQueueId gives it no queue: a pause frame for it stops nothing", priority)
				continue
			}
			number = to
		}
		for _, q := range queues {
			if q.id == number && q.drops && !q.multicast {
				r.FindAtPort("pfc-class-drops", q.line, p.Name, "portQueueConfigs", "", "queue %d is of priority %d, which has "+
					"PFC, and drops early (behavior EARLY_DROP): packets without ECN are lost before it is full", number, priority)
			}
		}
	}
}
