package eos

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/cellwarden/cellwarden/audit"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/finding"
	"github.com/cellwarden/cellwarden/internal/grouped"
	"github.com/cellwarden/cellwarden/internal/once"
	"github.com/cellwarden/cellwarden/internal/statements"
	"github.com/cellwarden/cellwarden/unit"
)

// interfaces reads the interfaces.
func (r *reader) interfaces(root *statements.Statement) {
	statements.EachInterface(root, func(s *statements.Statement, names []string) int {
		said := settings{line: s.Read().Line, object: s.Text()}
		for _, u := range s.Under {
			r.ofInterface(&said, u)
		}
		r.AtMostAll(said.line, said.object, "bandwidth percent of all queues", said.percent, "")
		for _, name := range names {
			name = strings.Replace(name, "port-channel", "Port-Channel", 1)
			p := r.ports[name]
			if p == nil {
				p = &settings{name: name, line: s.Line, object: s.Text()}
				r.ports[name] = p
				r.order = append(r.order, name)
			}
			p.take(&said)
		}
		return len(r.order)
	})
	for _, name := range r.order {
		if of := r.ports[r.ports[name].channel]; of != nil {
			of.members++
		}
	}
}

// ofInterface reads a statement of an interface.
func (r *reader) ofInterface(p *settings, u *statements.Statement) {
	words := u.After(1)
	switch u.Word(0) {
	case "service-profile":
		p.says = true
		name := words.Next()
		if name == "" || !words.End() {
			return
		}
		if p.profile = r.profiles[name]; p.profile == nil {
			r.Missing(u.Line, p.object, name, "qos profile")
		}
	case "speed":
		if rate := speed(u.Text()); rate > 0 {
			p.speed = rate
		}
		u.Read()
	case "mtu":
		p.mtu = unit.Bytes(r.Int(words.Next(), u.Line, p.object, "mtu", 0, 1<<16).Value)
		words.End()
	case "channel-group":
		if n := r.Int(words.Next(), u.Line, p.object, "channel-group", 1, 1<<20); n.Given {
			p.channel = fmt.Sprint("Port-Channel", n.Value)
		}
		u.Read()
	case "shutdown":
		p.down = true
		u.Read()
	default:
		r.setting(p, u)
	}
}

// rate finds the rate in a statement such as speed forced 100gfull or speed 400g-8.
var rate = once.Pattern(`\b([0-9]{1,4})g`)

func speed(text string) unit.BitRate {
	if m := rate().FindStringSubmatch(text); m != nil {
		n, _ := strconv.ParseInt(m[1], 10, 32)
		return unit.BitRate(n) * unit.Gbps
	}
	return 0
}

// effective returns what a port has: what the profile of its port channel says, the port channel itself, the profile of
// the port, and the port itself. Each comes before the one before it.
func (r *reader) effective(name string) *settings {
	p := r.ports[name]
	out := &settings{name: name, line: p.line, object: p.object}
	if of := r.ports[p.channel]; of != nil && of != p {
		out.take(of.profile)
		out.take(of)
	}
	out.take(p.profile)
	out.take(p)
	return out
}

// apply gives the ports what they have.
func (r *reader) apply() {
	shared := map[string][]string{} // what is wrong with queues: the ports
	at := map[string]int{}
	var all []*settings
	for _, name := range r.order {
		p := r.ports[name]
		if !strings.HasPrefix(name, "Ethernet") && (p.members > 0 || !p.says) {
			continue // a port channel is a port if the text has no member of it
		}
		own := r.effective(name)
		all = append(all, own)
		port := r.Port(name, p.line)
		port.Speed, port.MTU, port.Down = own.speed, own.mtu, p.down
		r.port(port, own)
		for _, fault := range r.shared(own) {
			shared[fault] = append(shared[fault], name)
			at[fault] = cmp.Or(at[fault], own.pfcLine, own.line)
		}
	}
	for _, fault := range slices.Sorted(maps.Keys(shared)) {
		r.Find("pfc-class-drops", at[fault], shared[fault][0], "%s: %s", fault, buffer.FoldPorts(shared[fault]))
	}
	r.trusts(all)
	r.moved(all)
	r.reserves(all)
}

// port gives a port its groups: each priority without drops has one of the same number; and its queues.
func (r *reader) port(p *audit.Port, own *settings) {
	on := own.pfc == "on" && r.off == 0
	p.HasPFC, p.Paused = own.pfc == "on" || own.noDrop != 0, on
	if p.MapAt = p.At; own.pfcLine > 0 {
		p.MapAt = r.At(own.pfcLine)
	}
	if r.off > 0 {
		p.MapAt = r.At(r.off)
	}
	if on && own.flow {
		r.Find("pfc-with-pause", own.pfcLine, own.object, "priority-flow-control and flowcontrol are both on")
	}
	for n := range 8 {
		if own.noDrop>>n&1 == 0 {
			continue
		}
		profile := r.profileOf(n)
		p.Groups[n] = &audit.Bound{Profile: profile, Name: profile.Name, At: profile.At, Object: profile.Object}
	}
	if on {
		p.PFC = own.noDrop
	}
	if own.trust != "cos" && own.trust != "none" && len(r.dscp) > 0 {
		p.Codes = map[int]int{}
		for point, to := range r.dscp {
			p.Codes[point] = to.class
		}
	}
	r.serve(p, own)
}

// serve gives a port how its queues are served.
func (r *reader) serve(p *audit.Port, own *settings) {
	if len(own.queues) == 0 {
		return
	}
	for n := range 8 {
		if q := r.queueFor(n); own.noDrop>>n&1 == 1 && q < len(p.Service) {
			p.Service[q] = &audit.Service{NoDrop: true}
		}
	}
	for q, s := range own.queues {
		if q < len(p.Service) {
			said := *s
			said.NoDrop = p.Service[q] != nil
			p.Service[q] = &said
		}
	}
}

// shared tells which traffic classes that drop share a queue with one that does not.
func (r *reader) shared(own *settings) (out []string) {
	for n := range 8 {
		for other := range 8 {
			if own.noDrop>>n&1 == 1 && own.noDrop>>other&1 == 0 && r.queueFor(other) == r.queueFor(n) {
				out = append(out, fmt.Sprintf("traffic class %d, without drops, and traffic class %d share queue %d: a pause "+
					"stops both", n, other, r.queueFor(n)))
			}
		}
	}
	return out
}

// leads returns the statement that maps a DSCP to a traffic class; 0: none does.
func (r *reader) leads(class int) (line int) {
	for _, to := range r.dscp {
		if to.class == class && (line == 0 || to.line < line) {
			line = to.line
		}
	}
	return line
}

// trusts finds ports that do not read the DSCP by which packets come into a class without drops.
func (r *reader) trusts(all []*settings) {
	type fault struct {
		trust string
		class int
	}
	var by grouped.By[fault, []*settings]
	for _, p := range all {
		for n := range 8 {
			if p.noDrop>>n&1 == 0 || p.trust != "cos" && p.trust != "none" || r.leads(n) == 0 || r.policies[p.policy][n] {
				continue
			}
			with := by.Of(fault{p.trust, n})
			*with = append(*with, p)
		}
	}
	for f, with := range by.All() {
		names := grouped.Each(*with, func(p *settings) string { return p.name })
		trust := map[string]string{"cos": "qos trust cos", "none": "no qos trust"}[f.trust]
		out := r.Find("pfc-class-drops", (*with)[0].trustLine, names[0], "%s: the DSCPs that qos map puts into traffic "+
			"class %d, which is without drops, are not read: %s", trust, f.class, buffer.FoldPorts(names))
		out.SuspectAs(finding.Warning, "packets with a VLAN tag may have the priority")
	}
}

// moved finds DSCPs that are taken out of a class without drops which no statement gives others.
func (r *reader) moved(all []*settings) {
	lossless, set := uint16(0), map[int]bool{}
	for _, p := range all {
		if p.trust != "cos" && p.trust != "none" {
			lossless |= p.noDrop
		}
		for n := range r.policies[p.policy] {
			set[n] = set[n] || r.policies[p.policy][n]
		}
	}
	for n := range 8 {
		if lossless>>n&1 == 0 || r.leads(n) > 0 || set[n] {
			continue
		}
		for _, point := range slices.Sorted(maps.Keys(r.dscp)) {
			if to := r.dscp[point]; defaultClass(point) == n && lossless>>to.class&1 == 0 {
				f := r.Find("pfc-class-drops", to.line, "qos map", "dscp %d is in traffic class %d, which drops; by default it "+
					"is in traffic class %d, which is without drops and which no statement gives a DSCP", point, to.class, n)
				f.SuspectAs(finding.Warning, "which packets must not be dropped is not in the configuration")
				break
			}
		}
	}
}

// reserves finds memory that is reserved for a group that drops, in place of one without drops.
func (r *reader) reserves(all []*settings) {
	lossless := uint16(0)
	for _, p := range all {
		lossless |= p.noDrop
	}
	if r.active == nil || lossless == 0 {
		return
	}
	other := -1
	for n, g := range r.active.group {
		switch {
		case !g.reserved.Given && !g.alpha.Given:
		case lossless>>n&1 == 1:
			return
		case other < 0:
			other = n
		}
	}
	if other < 0 {
		return
	}
	g := r.active.group[other]
	f := r.Find("pfc-class-drops", cmp.Or(g.reserved.At.Line, g.alpha.At.Line), "platform trident mmu queue "+
		"profile "+r.active.name, "priority-group %d has memory here, and drops; the groups without drops have none", other)
	f.SuspectAs(finding.Warning, "groups that drop may be meant")
}
