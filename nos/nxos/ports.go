package nxos

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/audit"
	"github.com/cellwarden/cellwarden/finding"
	"github.com/cellwarden/cellwarden/internal/statements"
	"github.com/cellwarden/cellwarden/unit"
)

// settings are what the statements of an interface say.
type settings struct {
	applied
	name, channel string // channel: of a port, the port channel that it is a member of
	line          int
	mode          string // of PFC: on, off, auto; "": not said
	modeLine      int
	send, receive string // on, off; "": not said
	flow          bool   // PAUSE is on
	says          bool   // anything of QoS
	members       int    // of a port channel
	speed         unit.BitRate
	mtu           unit.Bytes
	down          bool
}

// interfaces reads the interfaces.
func (r *reader) interfaces(root *statements.Statement) {
	statements.EachInterface(root, func(s *statements.Statement, names []string) int {
		said := settings{line: s.Read().Line}
		for _, u := range s.Under {
			r.setting(&said, u, s.Text())
		}
		for _, name := range names {
			p := r.ports[name]
			if p == nil {
				p = &settings{name: name, line: s.Line}
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

// take takes over what another statement of the same interface says.
func (p *settings) take(said *settings) {
	p.applied = said.over(p.applied)
	p.channel = cmp.Or(said.channel, p.channel)
	p.mode, p.modeLine = cmp.Or(said.mode, p.mode), cmp.Or(said.modeLine, p.modeLine)
	p.send, p.receive = cmp.Or(said.send, p.send), cmp.Or(said.receive, p.receive)
	p.speed, p.mtu = cmp.Or(said.speed, p.speed), cmp.Or(said.mtu, p.mtu)
	p.flow, p.says, p.down = p.flow || said.flow, p.says || said.says, p.down || said.down
}

// setting reads a statement of an interface.
func (r *reader) setting(p *settings, u *statements.Statement, object string) {
	words := u.After(1)
	switch u.Word(0) {
	case "priority-flow-control":
		p.says = true
		r.flowControl(p, words, u)
	case "service-policy":
		p.says = true
		r.service(&p.applied, u, object)
	case "flowcontrol":
		if direction, state := words.Any("receive", "send"), words.Any("on", "off", "desired"); direction != "" &&
			words.End() {
			p.flow = p.flow || state == "on"
		}
	case "speed":
		if n := words.Next(); n != "auto" && words.End() {
			p.speed = rate(n)
			if p.speed == 0 {
				r.Find("number-format", u.Line, object, "speed is %q: want megabits per second, such as 100000, or auto", n)
			}
		}
	case "mtu":
		p.mtu = unit.Bytes(r.Int(words.Next(), u.Line, object, "mtu", 0, 1<<16).Value)
		words.End()
	case "channel-group":
		if n := r.Int(words.Next(), u.Line, object, "channel-group", 1, 4096); n.Given {
			p.channel = fmt.Sprint("port-channel", n.Value)
		}
		u.Read()
	case "shutdown":
		p.down = true
		u.Read()
	case "queue-limit", "hardware":
		if ofInterface(u) {
			u.Read()
		}
	case "no", "default":
		if ofInterface(u) || u.Word(1) == "shutdown" {
			u.Read()
		}
	}
}

// rate reads a speed: a number of megabits per second, or with its unit as in 100G; 0: it is none.
func rate(text string) unit.BitRate {
	scale, digits := unit.Mbps, text
	if n := len(text) - 1; n > 0 && (text[n] == 'g' || text[n] == 'G') {
		scale, digits = unit.Gbps, text[:n]
	}
	var n uint32
	if _, err := fmt.Sscanf(digits, "%d", &n); err != nil || fmt.Sprint(n) != digits || n > 10_000_000 {
		return 0
	}
	return unit.BitRate(n) * scale
}

// flowControl reads what is behind priority-flow-control.
func (r *reader) flowControl(p *settings, words *statements.Cursor, u *statements.Statement) {
	switch words.Next() {
	case "mode":
		mode := words.Any("on", "off", "auto")
		words.Take("send-tlv")
		if mode != "" && words.End() {
			p.mode, p.modeLine = mode, u.Line
		}
	case "send":
		if state := words.Any("on", "off"); state != "" && words.End() {
			p.send, p.modeLine = state, u.Line
		}
	case "receive":
		if state := words.Any("on", "off"); state != "" && words.End() {
			p.receive, p.modeLine = state, u.Line
		}
	case "watch-dog-interval", "watch-dog":
		words.Rest()
		words.End()
	}
}

// isPort tells whether an interface is a port: a port channel is one if the text has no member of it.
func (p *settings) isPort(r *reader) bool {
	return strings.HasPrefix(p.name, "Ethernet") || p.members == 0 && p.says
}

// mode is whether PFC is on, off or auto at a port.
func (r *reader) mode(p *settings) string {
	of := r.ports[p.channel]
	switch {
	case r.off > 0:
		return "off"
	case p.mode != "":
		return p.mode
	case p.send == "on" || p.receive == "on":
		return "on"
	case p.send != "" || p.receive != "":
		return "off"
	case of != nil && of != p:
		if of.channel == "" {
			return r.mode(of)
		}
	}
	return "auto"
}

// apply gives the ports what they have of policies and of PFC.
func (r *reader) apply() {
	var automatic []string
	on := false
	for _, name := range r.order {
		s := r.ports[name]
		if !s.isPort(r) {
			continue
		}
		p := r.Port(s.name, s.line)
		p.Speed, p.MTU, p.Down = s.speed, s.mtu, s.down
		if p.MapAt = r.At(cmp.Or(r.off, s.modeLine)); p.MapAt.Line == 0 && r.ports[s.channel] != nil {
			p.MapAt = r.At(r.ports[s.channel].modeLine)
		}
		mode, own := r.mode(s), r.effective(name)
		on = on || mode == "on"
		if mode == "auto" {
			automatic = append(automatic, p.Name)
		}
		if mode == "on" && s.flow {
			r.Find("pfc-with-pause", p.MapAt.Line, "interface "+name, "priority-flow-control and flowcontrol are both on")
		}
		r.oneWay(s)
		r.port(p, own, mode)
		r.traffic(p, own)
	}
	if len(automatic) == 0 || len(r.noDrop()) == 0 {
		return
	}
	r.Unknown = append(r.Unknown, fmt.Sprintf("PFC is auto at %d ports, the first is %s: DCBX decides, so that "+
		"their groups are not known", len(automatic), automatic[0]))
	if !on && !r.fcoe() {
		r.nowhere(automatic)
	}
}

// oneWay finds a port that sends pauses and obeys none, or obeys them and sends none.
func (r *reader) oneWay(p *settings) {
	if len(r.noDrop()) == 0 || p.mode != "" || p.send == p.receive {
		return
	}
	what := "it sends pauses and obeys none, so that what it sends is dropped at the other end"
	if p.send != "on" {
		what = "it obeys pauses and sends none, so that its own classes without drops overflow"
	}
	f := r.Find("pfc-class-drops", p.modeLine, "interface "+p.name, "PFC is on in one direction: %s", what)
	f.Severity = finding.Warning
}

// fcoe tells whether a class without drops is that of FCoE, whose adapters switch PFC on by DCBX.
func (r *reader) fcoe() bool {
	return slices.ContainsFunc(r.noDrop(), func(c *policyClass) bool {
		return strings.Contains(strings.ToLower(c.name), "fcoe")
	})
}

// nowhere finds that no port has PFC on although the system has classes without drops.
func (r *reader) nowhere(automatic []string) {
	c := r.noDrop()[0]
	f := r.Find("pfc-class-drops", c.pause.line, "class "+c.name, "the class is without drops, and no port has "+
		"priority-flow-control mode on: at %d ports it is auto, the first is %s", len(automatic), automatic[0])
	f.SuspectAs(finding.Warning, "DCBX of a neighbour may switch it on")
}

// port gives a port its groups: of each class without drops the one that is paused. Where PFC is auto, DCBX decides. A
// port with PFC off has no packets to pause of a class that the policies of other ports alone put packets into.
func (r *reader) port(p *audit.Port, own applied, mode string) {
	if mode == "auto" {
		return
	}
	p.HasPFC, p.Paused = true, mode == "on"
	for _, c := range r.noDrop() {
		group := c.pause.cos
		if group < 0 { // the priority of the packets: by default that of the class (guide, "Default System Classes")
			group = c.group
		}
		if group < 0 || group > 7 || !p.Paused && c.classified && own.qos.setting(c.group) == nil {
			continue
		}
		if mtu := c.noDropMTU(); mtu.Given && p.MTU > mtu.Bytes() {
			r.FindAtPort("mtu-over-class", mtu.At.Line, p.Name, "class "+c.name, "", "the longest frame of the class has %v, "+
				"and the MTU of the port is %v", mtu.Bytes(), p.MTU)
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
		p.Codes = own.qos.points()
	}
	if own.output == nil {
		return
	}
	for _, c := range r.noDrop() {
		if c.group >= 0 && c.group < len(p.Service) {
			p.Service[c.group] = &audit.Service{NoDrop: true}
		}
	}
	for n, s := range own.output.served() {
		if s != nil {
			p.Service[n] = s
		}
	}
}

// points returns the qos-groups that a policy gives DSCPs: the first class that matches decides.
func (p *policy) points() map[int]int {
	if p.codes != nil {
		return p.codes
	}
	p.codes = map[int]int{}
	for _, c := range p.classes {
		for _, point := range c.dscp {
			if _, earlier := p.codes[point]; !earlier && c.sets >= 0 {
				p.codes[point] = c.sets
			}
		}
	}
	return p.codes
}

// served returns how a policy serves its queues, by their groups.
func (p *policy) served() [8]*audit.Service {
	if p.services == ([8]*audit.Service{}) {
		for _, c := range p.classes {
			if c.group >= 0 && c.group < len(p.services) {
				p.services[c.group] = &c.service
			}
		}
	}
	return p.services
}
