package junos

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/cellwarden/cellwarden/audit"
	"github.com/cellwarden/cellwarden/finding"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/internal/statements"
	"github.com/cellwarden/cellwarden/unit"
)

// profile is a congestion notification profile.
type profile struct {
	name   string
	line   int
	kind   string             // dscp, ieee-802.1
	points map[string]pausing // code points with PFC, as bits
	cable  unit.Optional[unit.Length]
	at     int
	flow   map[int]map[int]bool // priority to queues that a pause frame stops
	made   *audit.Profile
	// withoutMRU says that a port has a code point of the profile with PFC and without mru.
	withoutMRU bool
}

// pausing is a code point with PFC.
type pausing struct {
	line int
	mru  audit.Number // longest frame that the switch computes the headroom with
}

// defaultCable is the cable that the switch computes the headroom with if cable-length is not set (Juniper,
// "cable-length (Congestion Notification)").
const defaultCable = 100 * unit.Metre

// notifications reads the congestion notification profiles.
func (r *reader) notifications() {
	for _, n := range named(r.cos.Find("congestion-notification-profile")) {
		p := &profile{name: n.Word(0), line: n.Line, points: map[string]pausing{}, flow: map[int]map[int]bool{}}
		r.profiles[p.name] = p
		object := "congestion-notification-profile " + p.name
		n.Find("pfc-watchdog").ReadAll()
		input := n.Find("input")
		if m := r.number(input, "cable-length", object, "cable-length", 0, 1_000_000); m.Given {
			p.cable, p.at = unit.Given(unit.Length(m.Value)*unit.Metre), m.At.Line
		}
		for _, kind := range []string{"ieee-802.1", "dscp"} {
			for _, point := range named(input.Find(kind).Find("code-point")) {
				r.input(p, kind, point, object)
			}
		}
		for _, point := range named(n.Find("output").Find("ieee-802.1").Find("code-point")) {
			r.output(p, point, object)
		}
	}
}

// input reads a code point whose packets are paused.
func (r *reader) input(p *profile, kind string, s *statements.Statement, object string) {
	found := attributes(s, map[string]int{"pfc": 0, "mru": 1, "xon": 1})
	if _, on := found["pfc"]; !on {
		return
	}
	if p.kind != "" && p.kind != kind {
		r.Find("pfc-class-drops", s.Line, object, "code points of 802.1p and of DSCP in one profile: want those of "+
			"one (Juniper's command reference)")
	}
	at := pausing{line: s.Line, mru: r.attribute(found, "mru", object, "mru", 0, 100_000)}
	r.attribute(found, "xon", object, "xon", 0, 100_000)
	if point := r.point(kind, s, object); point != "" {
		p.kind, p.points[point] = kind, at
	}
}

// output reads the queues that a pause frame for a priority stops. They must be of classes without drops.
func (r *reader) output(p *profile, s *statements.Statement, object string) {
	priority, known := bits(r.point("ieee-802.1", s, object), 3)
	if !known {
		return
	}
	p.flow[priority] = map[int]bool{}
	for _, q := range named(s.Find("flow-control-queue")) {
		queue := r.Int(q.Word(0), q.Line, object, "flow-control-queue", 0, mostQueue)
		if !queue.Given {
			continue
		}
		p.flow[priority][int(queue.Value)] = true
		if c := r.queues[queue.Value]; c != nil && !c.noLoss && !c.unknown {
			f := r.Find("pfc-class-drops", q.Line, object, "a pause frame for priority %d stops queue %d, "+
				"whose class %s drops", priority, queue.Value, c.name)
			if f.Suspect("the command reference wants a class without drops"); len(p.points) == 0 {
				f.Severity = finding.Warning // the profile only answers pause frames
			}
		}
	}
}

// interfaces reads what the ports have of the class of service, their speed and their MTU.
func (r *reader) interfaces(root *statements.Statement) {
	ifs := elements(root.Find("interfaces"), "interface")
	speeds := r.chassis(root)
	for _, name := range r.known {
		s := ifs.Member(name)
		whole, _, _ := strings.Cut(name, ":")
		p := r.Port(name, s.Line)
		p.Speed = speeds[name]
		for _, of := range []string{name, whole} { // the speed of a broken out port is that of each part
			if speed, given := rate(only(ifs.Member(of).Find("speed"))); given && p.Speed == 0 {
				p.Speed = speed
			}
		}
		p.Speed = cmp.Or(p.Speed, speeds[whole])
		p.MTU = unit.Bytes(r.number(s, "mtu", "interfaces "+p.Name, "mtu", 0, 1<<16).Value)
		p.Down = s.Find("disable") != nil
	}
	for _, s := range elements(r.cos.Find("interfaces"), "interface").Active() {
		r.port(s.Read(), ifs.Member(s.Word(0)))
	}
}

// rate reads a speed such as 400g.
func rate(text string) (unit.BitRate, bool) {
	for suffix, of := range map[string]unit.BitRate{"g": unit.Gbps, "m": unit.Mbps} {
		if number, is := strings.CutSuffix(text, suffix); is {
			n, err := strconv.ParseUint(number, 10, 16)
			return unit.BitRate(n) * of, err == nil
		}
	}
	return 0, false
}

// chassis reads the speeds that the chassis gives ports: chassis fpc 0 pic 0 port 3 speed 100g. The speed of the parts
// of a port is channel-speed.
func (r *reader) chassis(root *statements.Statement) map[string]unit.BitRate {
	out := map[string]unit.BitRate{}
	for _, fpc := range named(root.Find("chassis").Find("fpc")) {
		for _, pic := range named(fpc.Find("pic")) {
			for _, port := range named(pic.Find("port")) {
				for _, word := range []string{"speed", "channel-speed"} {
					if speed, given := rate(only(port.Find(word))); given {
						for _, kind := range []string{"et", "xe", "ge", "mge"} {
							out[fmt.Sprintf("%s-%s/%s/%s", kind, fpc.Word(0), pic.Word(0), port.Word(0))] = speed
						}
					}
				}
			}
		}
	}
	return out
}

// port reads an interface of class-of-service. Of a wildcard or an aggregated interface, whose ports have it too, only
// the ports are read.
func (r *reader) port(s, itself *statements.Statement) {
	object := "class-of-service interfaces " + s.Word(0)
	if r.spreadOut[s] {
		return
	}
	p := r.ofBlock(s)
	var by *profile
	p.MapAt = p.At
	if n := s.Find("congestion-notification-profile"); n != nil {
		name := only(n)
		if by = r.profiles[name]; by == nil {
			r.once(n.Line, object, name, "congestion-notification-profile", "congestion-notification-profile")
		}
		p.MapAt = r.At(n.Line)
	}
	r.serviceOf(p, s, object)
	classifiers := r.classifiersOf(s, object)
	codes(p, classifiers["dscp"])
	switch {
	case by == nil && s.Member("congestion-notification-profile") == nil:
		r.unpaused(p, classifiers)
		return
	case by == nil:
		return
	}
	p.HasPFC, p.Paused = true, len(by.points) > 0
	if by.cable.IsGiven() {
		p.Cable, _ = by.cable.Get()
		p.CableGiven, p.CableAt = true, r.At(by.at)
	}
	for _, point := range slices.Sorted(maps.Keys(by.points)) {
		r.pause(p, by, classifiers[by.kind], point)
	}
	for _, options := range []string{"ether-options", "gigether-options"} {
		if f := itself.Find(options).Find("flow-control"); f != nil && p.Paused {
			r.FindAtPort("pfc-with-pause", f.Line, p.Name, object, "", "flow-control and a "+
				"congestion-notification-profile are both on")
		}
	}
}

// ofBlock returns the port of an interface. What is no port, such as irb or a name of a template, is read and is none.
func (r *reader) ofBlock(s *statements.Statement) *audit.Port {
	name := s.Word(0)
	switch {
	case physical().MatchString(name) || aggregated().MatchString(name):
		return r.Port(name, s.Line)
	case strings.ContainsAny(name, "*?[") || name == "all":
		r.Unknown = append(r.Unknown, "the class of service of "+fielderr.Quote(name)+" is for ports that the text does not "+
			"name: how many there are, and their speeds, is not known")
		return r.Port(name, s.Line)
	}
	return &audit.Port{Name: name, At: r.At(s.Line), Maps: map[string]*audit.CodeMap{}}
}

// once is missing, once for all ports that have the statement from a wildcard.
func (r *reader) once(line int, object, name, kind, in string) {
	key := fmt.Sprintf("%d %s %s", line, kind, name)
	if !r.said[key] {
		r.said[key] = true
		r.missing(line, object, name, kind, r.cos, in)
	}
}

// serviceOf reads how the queues of an interface are served, and names of other objects that it has.
func (r *reader) serviceOf(p *audit.Port, s *statements.Statement, object string) {
	for _, of := range append(named(s.Member("unit")), s) {
		if n := of.Find("scheduler-map"); n != nil {
			if name := only(n); r.maps[name] == nil {
				r.once(n.Line, object, name, "scheduler map", "scheduler-maps")
			} else {
				serve(p, r.maps[name], audit.Service{})
			}
		}
		if n := of.Find("output-traffic-control-profile"); n != nil {
			r.control(n, object)
		}
		if n := of.Find("forwarding-class"); n != nil {
			r.class(only(n), n.Line, object)
		}
		for _, kind := range named(of.Find("rewrite-rules")) {
			for _, n := range named(kind) {
				if name := n.Word(0); name != "default" && !r.rewrites[kind.Word(0)+" "+name] {
					r.once(n.Line, object, name, "rewrite rule "+kind.Word(0), "rewrite-rules")
				}
				n.Find("protocol").ReadAll() // which packets of MPLS
			}
		}
		value(of.Member("shaping-rate"), "percent")
		for _, word := range []string{"description", "exclude-queue-overhead-bytes",
			"logical-interface-aggregate-statistics"} {
			of.Find(word).ReadAll()
		}
	}
	if n := s.Find("dedicated-buffer-profile"); n != nil && r.cos.Member("dedicated-buffer-profile", only(n)) == nil {
		r.once(n.Line, object, only(n), "dedicated-buffer-profile", "dedicated-buffer-profile")
	}
	r.groupsOf(p, s, object)
}

// classifiersOf returns the classifiers of an interface by kind. Those of a unit count as those of the interface.
func (r *reader) classifiersOf(s *statements.Statement, object string) map[string]*classifier {
	out := map[string]*classifier{}
	for _, of := range append([]*statements.Statement{s}, named(s.Find("unit"))...) {
		for _, kind := range named(of.Find("classifiers")) {
			for _, n := range named(kind) {
				if c := r.classifiers[kind.Word(0)+" "+n.Word(0)]; c != nil {
					out[kind.Word(0)] = c
				} else if n.Word(0) != "default" {
					r.once(n.Line, object, n.Word(0), "classifier "+kind.Word(0), "classifiers")
				}
			}
		}
	}
	return out
}

// pause gives a port the group of a code point with PFC, if the class of the code point is without drops.
func (r *reader) pause(p *audit.Port, by *profile, c *classifier, point string) {
	object, at := "congestion-notification-profile "+by.name, by.points[point]
	class := r.of(c, by.kind, point)
	switch {
	case class == nil:
		r.FindAtPort("pfc-class-drops", at.line, p.Name, object,
			"the default classifier is not known in full", "code point %s has PFC, and no classifier "+
				"of the port gives it a class: it has that of the switch's default classifier, which drops", point)
		return
	case class.unknown:
		return
	case !class.noLoss:
		r.FindAtPort("pfc-class-drops", at.line, p.Name, object, "", "code point %s has PFC, and its class is %s, "+
			"which drops", point, class.name)
		return
	}
	priority, known := bits(point, 3)
	if by.kind == "dscp" {
		if priority, known = int(class.priority), class.priority >= 0; !known {
			r.FindAtPort("pfc-class-drops", at.line, p.Name, object, "", "code point %s has PFC, and its class %s has "+
				"no pfc-priority", point, class.name)
			return
		}
	}
	if !known || priority > 7 {
		return
	}
	r.stops(p, by, class, priority)
	if !at.mru.Given && !by.withoutMRU {
		by.withoutMRU, r.withoutMRU = true, append(r.withoutMRU, by.name)
	}
	if at.mru.Given && p.MTU > at.mru.Bytes() {
		r.FindAtPort("mtu-over-class", at.mru.At.Line, p.Name, object, "", "the headroom of priority %d is for frames of "+
			"at most %d bytes (mru), and the MTU of the port is %d", priority, at.mru.Value, p.MTU)
	}
	if by.made == nil {
		by.made = &audit.Profile{Name: by.name, Object: object, At: r.At(by.line), HeadroomType: "dynamic"}
		if !by.cable.IsGiven() {
			by.made.DefaultCable = defaultCable
		}
		r.AddProfile(by.made)
	}
	p.PFC |= 1 << priority
	p.Groups[priority] = &audit.Bound{Profile: by.made, Name: by.name, At: r.At(by.line), Object: object}
}

// stops checks that a pause frame for a priority stops the queue of its class. Without an output, queues 3 and 4 answer
// frames for priorities 3 and 4; with one, no queue answers that it does not name (Juniper, "Configuring CoS PFC").
func (r *reader) stops(p *audit.Port, by *profile, class *class, priority int) {
	object, line := "congestion-notification-profile "+by.name, by.line
	queues, given := by.flow[priority]
	switch {
	case class.queue < 0:
	case given && !queues[int(class.queue)]:
		r.FindAtPort("pfc-class-drops", line, p.Name, object, "", "priority %d is of queue %d, and a pause frame "+
			"for it stops other queues (flow-control-queue)", priority, class.queue)
	case !given && len(by.flow) > 0:
		r.FindAtPort("pfc-class-drops", line, p.Name, object, "", "priority %d is of %s, and the output has no code "+
			"point %03b: a pause frame for it stops no queue", priority, class.name, priority)
	case !given && int64(priority) != class.queue:
		r.FindAtPort("pfc-class-drops", line, p.Name, object,
			"what the switch does without an output differs by product", "priority %d is of queue %d, and the profile "+
				"has no output: a pause frame for it stops queue %d", priority, class.queue, priority)
	}
}

// unpaused finds classes without drops that a classifier of the port gives packets to, where nothing has PFC.
func (r *reader) unpaused(p *audit.Port, classifiers map[string]*classifier) {
	for _, kind := range slices.Sorted(maps.Keys(classifiers)) {
		c := classifiers[kind]
		for _, point := range slices.Sorted(maps.Keys(c.to)) {
			if c.to[point].noLoss {
				r.FindAtPort("no-drop-no-pfc", p.At.Line, p.Name, "class-of-service interfaces", "", "packets with code point %s "+
					"are in %s, which is without drops, and the interface has no congestion-notification-profile", point,
					c.to[point].name)
				return
			}
		}
	}
}
