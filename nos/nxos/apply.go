package nxos

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/cellwarden/cellwarden/audit"
	"github.com/cellwarden/cellwarden/finding"
	"github.com/cellwarden/cellwarden/internal/statements"
	"github.com/cellwarden/cellwarden/unit"
)

// applied are the policies that the system or an interface has.
type applied struct{ qos, network, input, output *policy }

// service reads service-policy type queuing input NAME, and the forms without a type or a direction.
func (r *reader) service(a *applied, s *statements.Statement, object string) {
	words := s.Words[1:]
	kind := typeQoS
	if len(words) > 1 && words[0] == "type" {
		kind, words = words[1], words[2:]
	}
	direction := "input"
	if len(words) > 0 && (words[0] == "input" || words[0] == "output") {
		direction, words = words[0], words[1:]
	}
	if len(words) == 0 || kind != typeQoS && kind != typeNetwork && kind != typeQueuing {
		return
	}
	s.Read()
	name := words[0]
	p := r.policies[kind][name]
	if p == nil && !strings.HasPrefix(name, "default-") {
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

// system reads system qos, and checks the classes without drops that all ports have.
func (r *reader) system(root *statements.Statement) {
	for _, s := range root.Under {
		switch {
		case s.Begins("system", "qos"):
			r.any = true
			for _, u := range s.Read().Under {
				if u.Begins("service-policy") {
					r.service(&r.global, u, "system qos")
				}
			}
		case s.Begins("hostname") && len(s.Words) == 2:
			r.Switch.Hostname = s.Read().Word(1)
		case s.Begins("priority-flow-control", "watch-dog-interval"), s.Begins("priority-flow-control", "auto-restore"),
			s.Begins("priority-flow-control", "fixed-restore"), s.Begins("priority-flow-control", "recover"):
			s.Read()
		}
	}
	priorities := map[int]*policyClass{}
	for _, c := range r.noDrop() {
		if c.pause.cos >= 0 {
			if other := priorities[c.pause.cos]; other != nil {
				r.Find(audit.ClassNotNoDrop, c.pause.line, "class "+c.name,
					fmt.Sprintf("pfc-cos %d is of %s too: a pause for "+
						"one class stops both", c.pause.cos, other.name))
			}
			priorities[c.pause.cos] = c
		}
		r.classified(c)
	}
	r.lossyBuffers()
}

// noDrop lists the classes without drops of the network-qos policy that the system has.
func (r *reader) noDrop() []*policyClass {
	var out []*policyClass
	if r.global.network != nil {
		for _, c := range r.global.network.classes {
			if c.pause != nil {
				out = append(out, c)
			}
		}
	}
	return out
}

// classified checks that packets come into a class without drops, and that those classified by 802.1p have the priority
// that is paused.
func (r *reader) classified(c *policyClass) {
	if c.group <= 0 {
		return
	}
	set := false
	for _, p := range r.policies[typeQoS] {
		for _, in := range p.classes {
			if in.sets != c.group {
				continue
			}
			set = true
			for n := range 8 {
				if in.cos[n] && c.pause.cos >= 0 && n != c.pause.cos {
					r.Find(audit.ClassNotNoDrop, in.line, "policy-map type qos "+p.name+" class "+in.name, fmt.Sprintf(
						"packets with cos %d are in qos-group %d, which is paused by cos %d", n, c.group, c.pause.cos))
				}
			}
		}
	}
	if !set {
		f := r.Find(audit.ClassNotNoDrop, c.line, "class "+c.name, fmt.Sprintf(
			"no policy of type qos sets qos-group %d: no packet is in the class", c.group))
		f.Severity = finding.Warning
		f.Suspect("the switch's default maps may put packets into it")
	}
}

// lossyBuffers finds pause buffers of classes that drop.
func (r *reader) lossyBuffers() {
	if r.global.input == nil {
		return
	}
	for _, c := range r.global.input.classes {
		lossless := false
		for _, n := range r.noDrop() {
			lossless = lossless || n.group == c.group
		}
		if c.buffer.Given && !lossless {
			r.Find(audit.ClassNotNoDrop, c.buffer.At.Line,
				"policy-map type queuing "+r.global.input.name+" class "+c.name,
				fmt.Sprintf("the class has a pause buffer, and no network-qos class of qos-group %d has pause",
					c.group))
		}
	}
}

// interfaces reads the interfaces, and returns how many say anything of QoS.
func (r *reader) interfaces(root *statements.Statement) (found int) {
	var automatic []string
	for _, s := range root.Under {
		if !s.Begins("interface") || len(s.Words) != 2 || !physical(s.Word(1)) {
			continue
		}
		own, mode, flow := r.global, "", false
		p := r.Port(s.Read().Word(1), s.Line)
		for _, u := range s.Under {
			switch {
			case u.Begins("priority-flow-control", "mode") && len(u.Words) >= 3:
				mode, p.MapAt = u.Read().Word(2), r.At(u.Line)
				found++
			case u.Begins("priority-flow-control", "watch-dog-interval"), u.Begins("priority-flow-control",
				"watch-dog"):
				u.Read()
			case u.Begins("service-policy"):
				r.service(&own, u, s.Text())
				found++
			case u.Begins("flowcontrol") && len(u.Words) == 3:
				flow = flow || u.Read().Word(2) == "on"
			case u.Begins("speed") && len(u.Words) == 2 && u.Word(1) != "auto":
				if n, err := strconv.ParseInt(u.Read().Word(1), 10, 32); err == nil && n > 0 {
					p.Speed = unit.BitRate(n) * unit.Mbps
				}
			case u.Begins("mtu") && len(u.Words) == 2:
				p.MTU = unit.Bytes(r.Int(u.Read().Word(1), u.Line, s.Text(), "mtu", 0, 1<<16).Value)
			case u.Begins("shutdown"):
				p.Down = true
				u.Read()
			case u.Begins("no", "shutdown"):
				u.Read()
			}
		}
		if flow && mode == "on" {
			r.Find(audit.PFCWithPause, p.MapAt.Line, s.Text(), "priority-flow-control and flowcontrol are both on")
		}
		if mode == "" && own == r.global && len(r.noDrop()) > 0 || mode == "auto" {
			automatic = append(automatic, p.Name)
		}
		r.port(p, own, mode)
		r.traffic(p, own)
	}
	if len(automatic) > 0 && len(r.noDrop()) > 0 {
		r.Unknown = append(r.Unknown, fmt.Sprintf("PFC is auto at %d ports, the first is %s: DCBX decides, so that "+
			"their groups are not known", len(automatic), automatic[0]))
	}
	return found
}

// physical tells whether an interface is a port.
func physical(name string) bool {
	return strings.HasPrefix(name, "Ethernet") && !strings.Contains(name, ".")
}

// port gives a port its groups: of each class without drops the one that is paused. Where PFC is auto, DCBX decides.
func (r *reader) port(p *audit.Port, own applied, mode string) {
	if mode == "" || mode == "auto" {
		return
	}
	p.HasPFC, p.Paused = true, mode == "on"
	for _, c := range r.noDrop() {
		group := c.pause.cos
		if group < 0 { // the priority of the packets: by default that of the class (guide, "Default System Classes")
			group = c.group
		}
		if group < 0 || group > 7 {
			continue
		}
		profile := r.profile(c, own.input)
		p.Groups[group] = &audit.Bound{Profile: profile, Name: profile.Name, At: profile.At, Object: profile.Object}
		if p.Paused {
			p.PFC |= 1 << group
		}
	}
}

// traffic gives a port its DSCPs and how its queues are served. A queue is that of its qos-group.
func (r *reader) traffic(p *audit.Port, own applied) {
	if own.qos != nil {
		p.Codes = map[int]int{}
		for _, c := range own.qos.classes {
			for _, point := range c.dscp {
				if _, earlier := p.Codes[point]; !earlier && c.sets >= 0 {
					p.Codes[point] = c.sets
				}
			}
		}
	}
	if own.output == nil {
		return
	}
	for _, c := range own.output.classes {
		if c.group >= 0 && c.group < len(p.Service) {
			p.Service[c.group] = &c.service
		}
	}
}
