package nxos

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/finding"
	"github.com/cellwarden/cellwarden/internal/statements"
)

// applied are the policies that the system or an interface has.
type applied struct{ qos, network, input, output *policy }

// over returns the policies of a, and those of b where a has none.
func (a applied) over(b applied) applied {
	return applied{cmp.Or(a.qos, b.qos), cmp.Or(a.network, b.network), cmp.Or(a.input, b.input), cmp.Or(a.output,
		b.output)}
}

// service reads service-policy type queuing input NAME, and the forms without a type or a direction.
func (r *reader) service(a *applied, s *statements.Statement, object string) {
	words := s.After(1)
	kind := typeQoS
	if words.Take("type") {
		kind = words.Next()
	}
	direction := cmp.Or(words.Any("input", "output"), "input")
	name := words.Next()
	words.Take("no-stats")
	if name == "" || kind != typeQoS && kind != typeNetwork && kind != typeQueuing || !words.End() {
		return
	}
	p := r.policies[kind][name]
	if p == nil && !strings.Contains(name, "default-") {
		r.Missing(s.Line, object, name, "policy-map type "+kind)
		return
	}
	switch {
	case kind == typeNetwork:
		a.network = p
	case kind == typeQoS && direction == "input":
		a.qos = p
	case kind == typeQueuing && direction == "input":
		a.input = p
	case kind == typeQueuing:
		a.output = p
	}
}

// system reads the statements that apply to all ports.
func (r *reader) system(root *statements.Statement) {
	for _, s := range root.Under {
		if !s.Begins("system", "qos") {
			continue
		}
		for _, u := range s.Read().Under {
			switch {
			case u.Begins("service-policy"):
				r.service(&r.global, u, "system qos")
			case u.Begins("no", "service-policy"), u.Begins("fex", "queue-limit"), u.Begins("no", "fex", "queue-limit"):
				u.Read()
			}
		}
	}
	for _, s := range root.Under {
		words := s.After(2)
		switch {
		case s.Begins("hostname") && len(s.Words) == 2:
			r.Switch.Hostname = s.Read().Word(1)
		case s.Begins("priority-flow-control", "override-interface", "mode", "off"):
			r.off = s.Read().Line
		case s.Begins("priority-flow-control"):
			r.watchdog(s)
		case s.Begins("no", "priority-flow-control"):
			s.Read()
		case s.Begins("hardware", "profile", "pfc", "mmu", "buffer-reservation"):
			r.reservation(s)
		case s.Begins("hardware", "qos"):
			if words.Any("min-buffer", "ns-buffer-profile", "dynamic-buffer-sharing", "include", "etrap") != "" {
				words.Rest()
				words.End()
			}
		case s.Begins("vlan"):
			r.vlan(s)
		}
	}
}

// watchdog reads a statement of the watchdog of PFC: it changes no buffer.
func (r *reader) watchdog(s *statements.Statement) {
	words := s.After(1)
	switch words.Next() {
	case "watch-dog-interval", "watch-dog", "auto-restore", "fixed-restore", "recover":
		words.Rest()
		words.End()
	}
}

// reservation reads hardware profile pfc mmu buffer-reservation 20: the percentage of the memory that classes without
// drops have (a Nexus 3000).
func (r *reader) reservation(s *statements.Statement) {
	words := s.After(5)
	n := r.Int(words.Next(), s.Line, "hardware profile pfc mmu", "buffer-reservation", 0, 100)
	if words.End() && n.Given && n.Value == 0 && len(r.noDrop()) > 0 {
		r.Find("no-drop-no-headroom", s.Line, "hardware profile pfc mmu",
			"buffer-reservation is 0, and there are classes without drops")
	}
}

// vlan reads the policies of a VLAN: they are known, and are of no port.
func (r *reader) vlan(s *statements.Statement) {
	for _, u := range s.Under {
		if u.Begins("service-policy") {
			before := r.global
			r.service(&before, u, s.Text())
		}
	}
}

// mostNoDrop is the largest number of classes without drops that are looked at: a switch has eight groups at most, and
// more than twice as many are a mistake that the first ones show.
const mostNoDrop = 16

// noDrop lists the classes without drops of the network-qos policy that the system has.
func (r *reader) noDrop() []*policyClass {
	if r.lossless == nil && r.global.network != nil {
		r.lossless = []*policyClass{}
		for _, c := range r.global.network.classes {
			if c.pause != nil && len(r.lossless) < mostNoDrop {
				r.lossless = append(r.lossless, c)
			}
		}
	}
	return r.lossless
}

// effective returns the policies of a port: its own, those of its port channel, and those of the system.
func (r *reader) effective(name string) applied {
	p := r.ports[name]
	out := p.applied
	if of := r.ports[p.channel]; of != nil {
		out = out.over(of.applied)
	}
	return out.over(r.global)
}

// everywhere lists the policies that a port or the system has, each once. Without ports they are those of the text.
func (r *reader) everywhere(of func(applied) *policy, kind string) (out []*policy) {
	seen := map[*policy]bool{nil: true}
	add := func(p *policy) {
		if !seen[p] {
			seen[p], out = true, append(out, p)
		}
	}
	if len(r.order) == 0 {
		for _, p := range r.ordered {
			if p.kind == kind {
				add(p)
			}
		}
	}
	add(of(r.global))
	for _, name := range r.order {
		add(of(r.effective(name)))
	}
	return out
}

// classes checks the classes without drops that all ports have.
func (r *reader) classes() {
	priorities := map[int]*policyClass{}
	for _, c := range r.noDrop() {
		if c.pause.cos >= 0 {
			if other := priorities[c.pause.cos]; other != nil {
				r.Find("pfc-class-drops", c.pause.line, "class "+c.name, "pfc-cos %d is of %s too: a pause for one class "+
					"stops both", c.pause.cos, other.name)
			}
			priorities[c.pause.cos] = c
		}
		r.classified(c)
	}
	for _, p := range r.everywhere(func(a applied) *policy { return a.input }, typeQueuing) {
		r.lossyBuffers(p)
	}
	for _, p := range r.ordered {
		for _, c := range p.classes {
			c.service.NoDrop = r.isNoDrop(c.group)
		}
	}
}

// isNoDrop tells whether a qos-group is without drops.
func (r *reader) isNoDrop(group int) bool {
	return group >= 0 && slices.ContainsFunc(r.noDrop(), func(c *policyClass) bool { return c.group == group })
}

// setting returns the class of a policy of type qos that puts packets into a qos-group, or nil.
func (p *policy) setting(group int) *policyClass {
	if p == nil || group < 0 || group > 7 {
		return nil
	}
	if !p.set {
		p.set = true
		for _, c := range slices.Backward(p.classes) {
			if c.sets >= 0 {
				p.setters[c.sets] = c
			}
		}
	}
	return p.setters[group]
}

// classified checks that packets come into a class without drops, and that those classified by 802.1p have the priority
// that is paused.
func (r *reader) classified(c *policyClass) {
	if c.group <= 0 {
		return
	}
	var unused, used *policy
	for _, p := range r.ordered {
		if p.setting(c.group) != nil {
			unused = p
			r.paused(c, p)
		}
	}
	for _, p := range r.everywhere(func(a applied) *policy { return a.qos }, typeQoS) {
		if p.setting(c.group) != nil {
			used = p
		}
	}
	why := fmt.Sprintf("no policy of type qos sets qos-group %d: no packet is in the class", c.group)
	switch {
	case used != nil:
		c.classified = true
		r.unclassified(c)
		return
	case unused != nil:
		why = fmt.Sprintf("policy-map type qos %s sets qos-group %d, and neither a port nor the system has the policy: "+
			"no packet is in the class", unused.name, c.group)
	}
	f := r.Find("pfc-class-drops", c.line, "class "+c.name, "%s", why)
	f.SuspectAs(finding.Warning, "the switch's default maps may put packets into it")
}

// paused checks that packets which a policy classifies by 802.1p have the priority that is paused.
func (r *reader) paused(c *policyClass, p *policy) {
	for _, in := range p.classes {
		for n := range 8 {
			if in.sets == c.group && in.cos[n] && c.pause.cos >= 0 && n != c.pause.cos {
				r.Find("pfc-class-drops", in.line, "policy-map type qos "+p.name+" class "+in.name,
					"packets with cos %d are in qos-group %d, which is paused by cos %d", n, c.group, c.pause.cos)
			}
		}
	}
}

// unclassified finds ports with PFC whose packets no policy puts into a class without drops.
func (r *reader) unclassified(c *policyClass) {
	var names []string
	line := 0
	for _, name := range r.order {
		if p := r.ports[name]; p.isPort(r) && r.mode(p) == "on" && r.effective(name).qos.setting(c.group) == nil {
			names = append(names, name)
			line = cmp.Or(line, p.line)
		}
	}
	if len(names) == 0 {
		return
	}
	f := r.Find("pfc-class-drops", line, names[0], "PFC is on, and no policy of type qos puts packets of the "+
		"port into qos-group %d, which is without drops: %s", c.group, buffer.FoldPorts(names))
	f.SuspectAs(finding.Warning, "the switch's default maps may put packets into it")
}

// lossyBuffers finds pause buffers of classes that drop.
func (r *reader) lossyBuffers(p *policy) {
	for _, c := range p.classes {
		if c.buffer.Given && !r.isNoDrop(c.group) {
			r.Find("pfc-class-drops", c.buffer.At.Line, p.object()+" class "+c.name,
				"the class has a pause buffer, and no network-qos class of qos-group %d has pause", c.group)
		}
	}
}
