package nxos

import (
	"strings"

	"github.com/cellwarden/cellwarden/audit"
	"github.com/cellwarden/cellwarden/internal/statements"
	"github.com/cellwarden/cellwarden/unit"
)

// policy is a policy map: its actions on each of its classes.
type policy struct {
	kind, name string
	line       int
	classes    []*policyClass
	named      map[string]*policyClass
	// What ports have of the policy is the same for all of them, and is made once.
	codes    map[int]int
	services [8]*audit.Service
	setters  [8]*policyClass // by the qos-group that they set, the first of each
	set      bool            // setters are found
}

// object names the policy in findings.
func (p *policy) object() string { return "policy-map type " + p.kind + " " + p.name }

// policyClass is a class of a policy.
type policyClass struct {
	*classMap
	name  string
	line  int
	sets  int          // qos-group that a policy of type qos sets; -1: none
	pause *pause       // of network-qos: the class is without drops
	mtu   audit.Number // of network-qos
	// Buffer, XOFF and XON are those of an input queuing class.
	buffer, xoff, xon audit.Number
	percent           audit.Number // bandwidth percent
	shares            bool         // bandwidth or priority
	service           audit.Service
	classified        bool // of network-qos: a policy that a port or the system has puts packets into it
}

// pause is the pause of a class without drops.
type pause struct {
	cos  int // -1: that of the packets
	line int
}

// policy reads a policy map. A second one of the same name adds to the first, as it does when it is typed in.
func (r *reader) policy(s *statements.Statement) {
	c := s.After(1)
	kind, name, known := typed(c)
	if !known || !c.End() {
		return
	}
	p := r.policies[kind][name]
	if p == nil {
		p = &policy{kind: kind, name: name, line: s.Line, named: map[string]*policyClass{}}
		if r.policies[kind] == nil {
			r.policies[kind] = map[string]*policy{}
		}
		r.policies[kind][name] = p
		r.ordered = append(r.ordered, p)
	}
	for _, u := range s.Under {
		switch {
		case u.Begins("description"):
			u.Read()
		case u.Begins("class"):
			r.actions(p, u)
		}
	}
}

// actions reads a class of a policy.
func (r *reader) actions(p *policy, u *statements.Statement) {
	cursor := u.After(1)
	_, name, known := typed(cursor)
	if cursor.Take("insert-before") {
		cursor.Next()
	}
	if !known || !cursor.End() {
		return
	}
	c := p.named[name]
	if c == nil {
		c = &policyClass{classMap: r.class(p.kind, name, p.object(), u.Line), name: name, line: u.Line, sets: -1}
		p.classes = append(p.classes, c)
		p.named[name] = c
	}
	object := p.object() + " class " + name
	for _, a := range u.Under {
		switch {
		case a.Begins("no"):
			a.Read()
		case p.kind == typeQoS:
			r.marks(c, a, object)
		case p.kind == typeNetwork:
			r.network(c, a, object)
		default:
			r.queuing(c, a, object)
		}
	}
}

// sums checks the bandwidths of a policy.
func (r *reader) sums(p *policy) {
	percent, remaining := int64(0), int64(0)
	for _, c := range p.classes {
		percent, remaining = percent+c.percent.Value, remaining+c.service.Percent.Value
	}
	r.AtMostAll(p.line, p.object(), "bandwidth percent of all classes", percent, "")
	r.AtMostAll(p.line, p.object(), "bandwidth remaining percent of all classes", remaining, "")
}

// marks reads an action of a policy of type qos.
func (r *reader) marks(c *policyClass, a *statements.Statement, object string) {
	if a.Begins("police") && len(a.Words) > 1 {
		a.Read()
		return
	}
	words := a.After(1)
	if !a.Begins("set") {
		return
	}
	switch what := words.Next(); what {
	case "qos-group":
		if n := r.Int(words.Next(), a.Line, object, what, 0, 7); n.Given {
			c.sets = int(n.Value)
		}
	case "dscp":
		words.Take("tunnel")
		r.Codes(words.Rest(), a, object, what, 63)
	case "precedence", "cos":
		words.Take("tunnel")
		r.Codes(words.Rest(), a, object, what, 7)
	case "discard-class":
		r.Codes(words.Rest(), a, object, what, 63)
	default:
		return
	}
	words.End()
}

// network reads an action of a network-qos class: pause no-drop, pause pfc-cos 3, mtu 9216.
func (r *reader) network(c *policyClass, a *statements.Statement, object string) {
	words := a.After(1)
	switch a.Word(0) {
	case "pause":
		r.pause(c, a, object)
		return
	case "mtu":
		c.mtu = r.Int(words.Next(), a.Line, object, "mtu", 576, 9216)
	case "set":
		if !words.Take("cos") {
			return
		}
		r.Int(words.Next(), a.Line, object, "cos", 0, 7)
	case "congestion-control":
		if words.Any("tail-drop", "random-detect") == "random-detect" {
			if words.Take("threshold") {
				words.Any("burst-optimized", "mesh-optimized")
			}
			words.Take("ecn")
		}
	case "queue-limit":
		r.queueLimit(words, a, object)
	case "multicast-optimize", "match", "description":
		words.Rest()
	default:
		return
	}
	if len(a.Words) > 1 || a.Begins("multicast-optimize") {
		words.End()
	}
}

// pause reads pause no-drop and pause pfc-cos 3. A Nexus 5000 has the sizes of the buffer here, too.
func (r *reader) pause(c *policyClass, a *statements.Statement, object string) {
	p := &pause{cos: -1, line: a.Line}
	words := a.After(1)
	for words.Left() {
		switch what := words.Next(); what {
		case "no-drop", "receive", "send":
		case "pfc-cos":
			if n := r.Int(words.Next(), a.Line, object, what, 0, 7); n.Given {
				p.cos = int(n.Value)
			}
		case "buffer-size", "pause-threshold", "resume-threshold":
			*c.size(what) = r.Int(words.Next(), a.Line, object, what, 0, mostSize)
		default:
			return // not understood
		}
	}
	if len(a.Words) > 1 && words.End() {
		c.pause = p
	}
}

// noDropMTU is the longest frame of a class without drops: that of its mtu. Frames of FCoE have at most 2,180 bytes, so
// that its classes have an mtu of their own.
func (c *policyClass) noDropMTU() audit.Number {
	if strings.Contains(strings.ToLower(c.name), "fcoe") || c.mtu.Value >= 2112 && c.mtu.Value <= 2240 {
		return audit.Number{}
	}
	return c.mtu
}

// defaultCable is the longest cable for which the switch's own headroom is: beyond it the sizes must be configured
// (Cisco's guide, release 10.5(x), "Guidelines and Limitations for Priority Flow Control").
const defaultCable = 100 * unit.Metre

// profile is the headroom of a class without drops: what its input queuing class has above the pause threshold.
// Without one the switch computes it.
func (r *reader) profile(noDrop *policyClass, input *policy) *audit.Profile {
	if p := r.ofClass[profileKey{noDrop, input}]; p != nil {
		return p
	}
	p := r.newProfile(noDrop, input)
	r.ofClass[profileKey{noDrop, input}] = p
	return p
}

// profileKey is a class without drops and the input policy of a port.
type profileKey struct {
	noDrop *policyClass
	input  *policy
}

// newProfile is profile, of a class and a policy that no port had before.
func (r *reader) newProfile(noDrop *policyClass, input *policy) *audit.Profile {
	var queue *policyClass
	name := noDrop.name
	if noDrop.buffer.Given {
		queue = noDrop
	}
	if input != nil {
		for _, c := range input.classes {
			if c.group == noDrop.group && c.buffer.Given {
				queue, name = c, input.name+" "+c.name
			}
		}
	}
	if p := r.profiles[name]; p != nil {
		return p
	}
	p := &audit.Profile{Name: name, At: r.At(noDrop.line), Object: "class " + noDrop.name, HeadroomType: "dynamic",
		DefaultCable: defaultCable}
	if queue != nil {
		p.Object, p.At, p.HeadroomType = "policy-map type queuing "+name, queue.buffer.At, ""
		p.Size, p.XON = queue.xoff, queue.xon
		p.XOFF = audit.Number{Value: max(0, queue.buffer.Value-queue.xoff.Value), Given: true, At: queue.buffer.At}
	}
	r.profiles[name] = p
	r.AddProfile(p)
	return p
}
