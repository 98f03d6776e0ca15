package audit

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/cellwarden/cellwarden/finding"
	"github.com/cellwarden/cellwarden/internal/grouped"
)

// pfc checks the groups and queues of the priorities with PFC. Ports with the same fault are one finding.
func (c *check) pfc() {
	buffers := c.sw.Tables["BUFFER_POOL"] || !c.Part
	if !buffers {
		return
	}
	f := &folds{}
	queues := !c.noEgress()
	for _, p := range c.sw.Ports {
		for n := range groupsPerPort {
			if p.lossless(n) {
				if queues {
					c.losslessQueue(f, p, n)
				}
				c.lossyGroup(f, p, n)
			} else if p.HasPFC {
				c.idleHeadroom(f, p, n)
			}
		}
		c.otherGroups(f, p)
		if queues {
			c.queuesWithout(f, p)
		}
	}
	f.report(c.collector)
}

// folds collects ports with the same fault, in the order in which the faults are found.
type folds struct{ grouped.By[foldKey, fold] }

type foldKey struct {
	code           finding.Code
	object, detail string
}

type fold struct {
	at       finding.Place
	ports    []string
	suspect  string
	severity finding.Severity // "": that of the code
}

// note adds a port to a fault.
func (f *folds) note(code finding.Code, at finding.Place, p *Port, object, format string, args ...any) *fold {
	fault := f.Of(foldKey{code, object, fmt.Sprintf(format, args...)})
	if len(fault.ports) == 0 {
		fault.at = at
	}
	fault.ports = append(fault.ports, p.Name)
	return fault
}

// report adds a finding for each fault.
func (f *folds) report(c *collector) {
	for k, fault := range f.All() {
		out := c.add(k.code, fault.at, k.object, nil, "%s: %s", k.detail, ports(fault.ports))
		if fault.suspect != "" {
			out.Suspect(fault.suspect)
		}
		if fault.severity != "" {
			out.Severity = fault.severity
		}
	}
}

// losslessQueue checks the queue of a priority with PFC.
func (c *check) losslessQueue(f *folds, p *Port, priority int) {
	queue := p.Maps[PriorityToQueue].leads(priority, queuesPerPort)
	if queue >= queuesPerPort {
		return
	}
	object := fmt.Sprintf("priority %d queue %d", priority, queue)
	switch b := p.Queues[queue]; {
	case b == nil:
		f.note("pfc-queue-not-lossless", p.MapAt, p, object, "the queue has no profile")
	case b.Profile != nil && b.Profile.Pool != nil && b.Profile.egress() && !b.Profile.losslessQueue():
		f.note("pfc-queue-not-lossless", b.At, p, object, "the queue has %s, a lossy profile of %s", b.Name,
			b.Profile.PoolName)
	}
}

// lossyGroup checks the group of a priority with PFC. A group without an entry is what the buffer manager makes, or it
// has a finding already.
func (c *check) lossyGroup(f *folds, p *Port, priority int) {
	group := p.Maps[PriorityToGroup].leads(priority, priority)
	if group >= groupsPerPort {
		group = priority
	}
	b := p.Groups[group]
	if b == nil || b.Computed || b.Profile == nil || b.Profile.Pool == nil || b.Profile.Lossless() ||
		!b.Profile.ingress() {
		return
	}
	object := fmt.Sprintf("priority %d group %d", priority, group)
	if b.Twice {
		f.note("pfc-pg-lossy", b.At, p, object, "the group has %s, which has no xoff, and the buffer manager adds an entry "+
			"that has", b.Name).suspect = "it is not known which of the two the switch takes"
		return
	}
	f.note("pfc-pg-lossy", b.At, p, object, "the group has %s, which has no xoff", b.Name)
}

// idleHeadroom checks a group without PFC. A zero profile is what a port that is down has.
func (c *check) idleHeadroom(f *folds, p *Port, n int) {
	b := p.Groups[n]
	if b == nil || b.Profile == nil || !b.Profile.Lossless() {
		return
	}
	f.note("lossless-pg-no-pfc", b.At, p, fmt.Sprintf("group %d", n), "the group has %s with headroom, and priority %d "+
		"has no PFC", b.Name, n)
}

// otherGroups checks that the traffic class of each priority with PFC has the group of the priority. pfc_to_pg_map can
// say that it is another one.
func (c *check) otherGroups(f *folds, p *Port) {
	groups := p.Maps[ClassToGroup]
	queues := p.Maps[ClassToQueue]
	ofPriority := p.Maps[PriorityToGroup]
	if groups == nil || queues == nil {
		return
	}
	for n := range groupsPerPort {
		if !p.lossless(n) {
			continue
		}
		_, queued := queues.To[n]
		group, there := groups.To[n]
		if want := ofPriority.leads(n, n); queued && there && group != want {
			f.note("pfc-tc-other-pg", groups.Lines[n], p, groups.Object,
				"traffic class %d, of priority %d with PFC, has group %d in place of %d", n, n, group, want)
		}
	}
}

// queuesWithout lists the queues that are scheduled and have no buffer.
func (c *check) queuesWithout(f *folds, p *Port) {
	var without []string
	var first *QueueEntry
	for n, q := range p.Scheduled {
		if q != nil && p.Queues[n] == nil {
			without = append(without, strconv.Itoa(n))
			if first == nil {
				first = q
			}
		}
	}
	if first == nil {
		return
	}
	found := f.note("queue-no-buffer", first.At, p, "queue "+strings.Join(without, ", "),
		"the queues are scheduled, and BUFFER_QUEUE has no entry")
	if !c.hasQueues() {
		found.suspect = "it has none for any queue, and the defaults of the SDK may be meant"
	}
}

// noEgress tells whether the configuration is a part that leaves the egress to the rest: it declares no ports, binds no
// queue, and has neither a pool nor a profile of the egress alone.
func (c *check) noEgress() bool {
	return !c.sw.Tables["PORT"] && !c.sw.Tables["BUFFER_QUEUE"] &&
		!slices.ContainsFunc(c.sw.Pools, func(p *Pool) bool { return p.Type == "egress" }) &&
		!slices.ContainsFunc(c.sw.Profiles, func(p *Profile) bool { return strings.HasPrefix(p.PoolName, "egress") })
}

// hasQueues tells whether any queue has a buffer.
func (c *check) hasQueues() bool {
	return slices.ContainsFunc(c.sw.Ports, func(p *Port) bool {
		return slices.ContainsFunc(p.Queues[:], func(b *Bound) bool { return b != nil })
	})
}
