package junos

import (
	"maps"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/audit"
	"github.com/cellwarden/cellwarden/internal/statements"
)

// control is a traffic control profile: how a forwarding class set, which is a group of queues, shares a port.
type control struct {
	guaranteed audit.Number // percent of the port
	queues     map[*class]scheduler
}

// groups reads the forwarding class sets and the traffic control profiles.
func (r *reader) groups() {
	for _, n := range named(r.cos.Find("forwarding-class-sets")) {
		object := "forwarding-class-sets " + n.Word(0)
		r.sets[n.Word(0)] = []*class{}
		for _, of := range named(n.Find("class")) {
			r.sets[n.Word(0)] = append(r.sets[n.Word(0)], r.class(of.Word(0), of.Line, object))
		}
	}
	for _, n := range named(r.cos.Find("traffic-control-profiles")) {
		object, c := "traffic-control-profiles "+n.Word(0), &control{}
		r.controls[n.Word(0)] = c
		if m := n.Find("scheduler-map"); m != nil {
			if name := only(m); r.maps[name] == nil {
				r.missing(m.Line, object, name, "scheduler map", r.cos, "scheduler-maps")
			} else {
				c.queues = r.maps[name]
			}
		}
		c.guaranteed = r.number(n.Find("guaranteed-rate"), "percent", object, "guaranteed-rate percent", 0, 100)
		for _, word := range []string{"guaranteed-rate", "shaping-rate", "delay-buffer-rate", "excess-rate"} {
			value(n.Member(word), "percent", "burst-size", "proportion")
		}
	}
}

// groupsOf gives a port the groups of its queues.
func (r *reader) groupsOf(p *audit.Port, s *statements.Statement, object string) {
	sum := int64(0)
	sets := named(s.Find("forwarding-class-set"))
	for _, n := range sets {
		set, known := r.sets[n.Word(0)]
		if !known {
			r.once(n.Line, object, n.Word(0), "forwarding class set", "forwarding-class-sets")
		}
		by := n.Find("output-traffic-control-profile")
		if by == nil {
			continue
		}
		c := r.control(by, object)
		if c == nil {
			continue
		}
		sum += c.guaranteed.Value
		served := map[*class]scheduler{}
		for _, of := range set {
			if s, there := c.queues[of]; there {
				served[of] = s
			}
		}
		serve(p, served, audit.Service{Group: n.Word(0), GroupPercent: c.guaranteed})
	}
	if sum > 100 {
		r.FindAtPort("bandwidth-sum", sets[0].Line, p.Name, object, "", "guaranteed-rate of all forwarding class "+
			"sets is %d %% together", sum)
	}
}

// control returns the traffic control profile that a statement names; nil: there is none.
func (r *reader) control(by *statements.Statement, object string) *control {
	name := only(by)
	if inner := by.Find("profile-name"); inner != nil { // as in JSON
		name = only(inner)
	}
	c := r.controls[name]
	if c == nil {
		r.once(by.Line, object, name, "traffic control profile", "traffic-control-profiles")
	}
	return c
}

// serve gives the queues of a port their schedulers.
func serve(p *audit.Port, by map[*class]scheduler, group audit.Service) {
	names := slices.SortedFunc(maps.Keys(by), func(a, b *class) int { return strings.Compare(a.name, b.name) })
	for _, c := range names {
		s := by[c]
		if c.queue >= 0 && c.queue < int64(len(p.Service)) {
			of := group
			of.Strict, of.Percent = s.strict, s.percent
			p.Service[c.queue] = &of
		}
	}
}

// codes gives a port the queues of the DSCPs that its classifier names.
func codes(p *audit.Port, c *classifier) {
	if c == nil {
		return
	}
	p.Codes = map[int]int{}
	for point, to := range c.to {
		if n, known := bits(point, 6); known && to.queue >= 0 {
			p.Codes[n] = int(to.queue)
		}
	}
}
