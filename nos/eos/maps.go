package eos

import (
	"strconv"
	"strings"

	"github.com/cellwarden/cellwarden/internal/statements"
)

// mostCode are the largest numbers of what qos map maps, and to what. A queue is at most 11: chips of Arista have up to
// 12 for each port.
var mostCode = map[string]int{"dscp": 63, "cos": 7, "exp": 7, "traffic-class": 7, "tx-queue": 11, "uc-tx-queue": 11,
	"mc-tx-queue": 11, "priority-group": 7}

// qosMap reads qos map traffic-class 3 4 to tx-queue 3, and the maps of code points to traffic classes.
func (r *reader) qosMap(s *statements.Statement) {
	const object = "qos map"
	c := s.After(2)
	from := c.Any("dscp", "cos", "exp", "traffic-class")
	var list []string
	for c.Left() && c.Peek() != "to" {
		list = append(list, c.Next())
	}
	if from == "" || !c.Take("to") {
		return
	}
	to := c.Any("traffic-class", "tx-queue", "uc-tx-queue", "mc-tx-queue", "cos", "dscp", "exp", "priority-group")
	target := c.Next()
	if c.Take("drop-precedence") {
		r.Int(c.Next(), s.Line, object, "drop-precedence", 0, 2)
	}
	if to == "" || target == "" || !c.End() {
		return
	}
	points := r.Codes(list, s, object, from, mostCode[from])
	n := r.Int(target, s.Line, object, to, 0, int64(mostCode[to]))
	if !n.Given {
		return
	}
	for _, point := range points {
		switch {
		case from == "dscp":
			r.dscp[point] = mapped{int(n.Value), s.Line}
		case from == "traffic-class" && (to == "tx-queue" || to == "uc-tx-queue"):
			r.queueOf[point] = int(n.Value)
		}
	}
}

// queueFor is the queue of a traffic class: its own number, unless a statement says otherwise.
func (r *reader) queueFor(class int) int {
	if q, given := r.queueOf[class]; given {
		return q
	}
	return class
}

// defaultClass is the traffic class that the switch by itself gives a DSCP: that of its first three bits, with 0 and 1
// exchanged (EOS User Guide, "Quality of Service", default DSCP to traffic class maps).
func defaultClass(dscp int) int {
	if class := dscp >> 3; class > 1 {
		return class
	}
	return 1 - dscp>>3
}

// classMap reads a class map of type qos.
func (r *reader) classMap(s *statements.Statement) {
	c := s.After(1)
	if c.Take("type") && !c.Take("qos") {
		return
	}
	c.Any("match-any", "match-all")
	name := c.Next()
	if name == "" || !c.End() {
		return
	}
	r.maps[name] = true
	for _, u := range s.Under {
		r.match(u, s.Text())
	}
}

// match reads a statement of a class map. It may begin with its number.
func (r *reader) match(u *statements.Statement, object string) {
	c := u.After(0)
	if _, err := strconv.ParseUint(c.Peek(), 10, 32); err == nil {
		c.Next()
	}
	if !c.Take("match") {
		return
	}
	family := c.Any("ip", "ipv6", "mac")
	switch what := c.Next(); what {
	case "cos":
		r.Codes(c.Rest(), u, object, what, 7)
	case "dscp":
		r.Codes(c.Rest(), u, object, what, 63)
	case "precedence":
		r.Codes(c.Rest(), u, object, what, 7)
	case "vlan":
		if c.Next() == "" {
			return
		}
		if c.Left() { // a mask
			c.Next()
		}
	case "access-group":
		c.Take("name")
		if family == "" || c.Next() == "" {
			return
		}
	default:
		return
	}
	c.End()
}

// policyMap reads a policy map of type quality-of-service.
func (r *reader) policyMap(s *statements.Statement) {
	c := s.After(1)
	if c.Take("type") && c.Any("quality-of-service", "qos") == "" {
		return
	}
	name := c.Next()
	if name == "" || !c.End() {
		return
	}
	if r.policies[name] == nil {
		r.policies[name] = map[int]bool{}
	}
	for _, u := range s.Under {
		words := u.After(0)
		if !words.Take("class") {
			continue
		}
		if words.Take("type") {
			words.Take("qos")
		}
		class := words.Next()
		if words.Take("insert-before") {
			words.Next()
		}
		if class == "" || !words.End() {
			continue
		}
		if class != "class-default" && !r.maps[class] {
			r.Missing(u.Line, s.Text(), class, "class-map")
		}
		for _, a := range u.Under {
			r.action(a, s.Text()+" class "+class, r.policies[name])
		}
	}
}

// action reads an action of a class.
func (r *reader) action(a *statements.Statement, object string, sets map[int]bool) {
	c := a.After(1)
	switch {
	case a.Begins("police") && len(a.Words) > 2, a.Begins("no"), strings.HasPrefix(a.Word(0), "!!"):
		a.Read()
	case a.Begins("set"):
		what := c.Next()
		most := map[string]int{"cos": 7, "dscp": 63, "traffic-class": 7, "drop-precedence": 2}[what]
		if most == 0 {
			return
		}
		list := r.Codes(c.Rest(), a, object, what, most)
		for _, n := range list {
			sets[n] = sets[n] || what == "traffic-class"
		}
		c.End()
	}
}
