package junos

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/cellwarden/cellwarden/audit"
	"github.com/cellwarden/cellwarden/internal/statements"
	"github.com/cellwarden/cellwarden/unit"
)

// profile is a congestion notification profile.
type profile struct {
	name   string
	line   int
	kind   string         // dscp, ieee-802.1
	points map[string]int // code points with PFC, and their lines
	cable  unit.Optional[unit.Length]
	at     int
	flow   map[int]map[int]bool // priority to queues that a pause frame stops
	made   *audit.Profile
}

// notifications reads the congestion notification profiles.
func (r *reader) notifications() {
	for _, n := range named(r.cos.Find("congestion-notification-profile"), "") {
		p := &profile{name: n.Word(0), line: n.Line, points: map[string]int{}, flow: map[int]map[int]bool{}}
		r.profiles[p.name] = p
		object := "congestion-notification-profile " + p.name
		n.Find("pfc-watchdog").ReadAll()
		input := n.Find("input")
		if c := input.Find("cable-length"); c != nil {
			if m := r.Int(only(c), c.Line, object, "cable-length", 0, 1_000_000); m.Given {
				p.cable, p.at = unit.Given(unit.Length(m.Value)*unit.Metre), c.Line
			}
		}
		for _, kind := range []string{"ieee-802.1", "dscp"} {
			for _, point := range named(input.Find(kind).Find("code-point"), "") {
				found := attributes(point, map[string]int{"pfc": 0, "mru": 1, "xon": 1})
				if _, on := found["pfc"]; !on {
					continue
				}
				if p.kind != "" && p.kind != kind {
					r.Find(audit.ClassNotNoDrop, point.Line, object,
						"code points of 802.1p and of DSCP in one profile: want "+
							"those of one (Juniper's command reference)")
				}
				p.kind, p.points[point.Word(0)] = kind, point.Line
				for _, number := range []string{"mru", "xon"} {
					if a, given := found[number]; given {
						r.Int(a.Text, a.Line, object, number, 0, 100_000)
					}
				}
			}
		}
		for _, point := range named(n.Find("output").Find("ieee-802.1").Find("code-point"), "") {
			priority, known := bits(point.Word(0), 3)
			if !known {
				continue
			}
			p.flow[priority] = map[int]bool{}
			for _, q := range named(point.Find("flow-control-queue"), "") {
				if queue := r.Int(q.Word(0), q.Line, object, "flow-control-queue", 0, 11); queue.Given {
					p.flow[priority][int(queue.Value)] = true
				}
			}
		}
	}
}

// interfaces reads what the interfaces have of the class of service, their speed and their MTU.
func (r *reader) interfaces(root *statements.Statement) {
	for _, s := range named(root.Find("interfaces"), "interface") {
		if !physical.MatchString(s.Word(0)) {
			continue
		}
		speed, mtu := s.Find("speed"), s.Find("mtu")
		if speed == nil && mtu == nil {
			continue
		}
		p := r.Port(s.Word(0), s.Line)
		if text := strings.TrimSuffix(only(speed), "g"); speed != nil {
			if n, err := strconv.ParseUint(text, 10, 16); err == nil {
				p.Speed = unit.BitRate(n) * unit.Gbps
			}
		}
		if mtu != nil {
			p.MTU = unit.Bytes(r.Int(only(mtu), mtu.Line, "interfaces "+p.Name, "mtu", 0, 1<<16).Value)
		}
	}
	for _, s := range named(r.cos.Find("interfaces"), "interface") {
		r.port(s)
	}
}

// physical is the name of a port, such as et-0/0/1 or xe-0/0/1:2.
var physical = regexp.MustCompile(`^(et|xe|ge|mge)-[0-9]`)

// port reads an interface of class-of-service.
func (r *reader) port(s *statements.Statement) {
	p := r.Port(s.Word(0), s.Line)
	object := "class-of-service interfaces " + p.Name
	var by *profile
	if n := s.Find("congestion-notification-profile"); n != nil {
		name := only(n)
		if by = r.profiles[name]; by == nil {
			r.Missing(n.Line, object, name, "congestion-notification-profile")
		}
		p.MapAt = r.At(n.Line)
	} else {
		p.MapAt = p.At
	}
	if n := s.Find("scheduler-map"); n != nil {
		if name := only(n); r.maps[name] == nil {
			r.Missing(n.Line, object, name, "scheduler map")
		} else {
			serve(p, r.maps[name], audit.Service{})
		}
	}
	r.groupsOf(p, s, object)
	classifiers := r.classifiersOf(s, object)
	codes(p, classifiers["dscp"])
	if by == nil {
		r.unpaused(p, classifiers)
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
}

// classifiersOf returns the classifiers of an interface by kind. Those of a unit count as those of the interface.
func (r *reader) classifiersOf(s *statements.Statement, object string) map[string]*classifier {
	out := map[string]*classifier{}
	read := func(s *statements.Statement) {
		for _, kind := range named(s.Find("classifiers"), "") {
			for _, n := range named(kind, "") {
				if c := r.classifiers[kind.Word(0)+" "+n.Word(0)]; c != nil {
					out[kind.Word(0)] = c
				} else if n.Word(0) != "default" {
					r.Missing(n.Line, object, n.Word(0), "classifier "+kind.Word(0))
				}
			}
		}
	}
	read(s)
	for _, u := range named(s.Find("unit"), "") {
		read(u)
	}
	return out
}

// pause gives a port the group of a code point with PFC, if the class of the code point is without drops.
func (r *reader) pause(p *audit.Port, by *profile, c *classifier, point string) {
	object := "congestion-notification-profile " + by.name
	line := by.points[point]
	class := r.of(c, by.kind, point)
	if class == nil || !class.noLoss {
		name := "a class that is not known"
		if class != nil {
			name = class.name
		}
		f := r.Find(audit.ClassNotNoDrop, line, object,
			fmt.Sprintf("code point %s has PFC, and its class at %s is %s, which "+
				"drops", point, p.Name, name))
		if class == nil {
			f.Suspect("the switch's default classifier is not known in full")
		}
		return
	}
	priority, known := bits(point, 3)
	if by.kind == "dscp" {
		if priority, known = int(class.priority), class.priority >= 0; !known {
			r.Find(audit.ClassNotNoDrop, line, object,
				fmt.Sprintf("code point %s has PFC, and its class %s has no pfc-priority",
					point, class.name))
			return
		}
	}
	if !known || priority > 7 {
		return
	}
	if queues, given := by.flow[priority]; given && !queues[int(class.queue)] {
		r.Find(audit.ClassNotNoDrop, line, object,
			fmt.Sprintf("priority %d is of queue %d, and a pause frame for it stops "+
				"other queues (flow-control-queue)", priority, class.queue))
	}
	if by.made == nil {
		by.made = &audit.Profile{Name: by.name, Object: object, At: r.At(by.line), HeadroomType: "dynamic"}
		r.AddProfile(by.made)
	}
	p.PFC |= 1 << priority
	p.Groups[priority] = &audit.Bound{Profile: by.made, Name: by.name, At: r.At(by.line), Object: object}
}

// unpaused finds classes without drops that a classifier of the port gives packets to, where nothing has PFC.
func (r *reader) unpaused(p *audit.Port, classifiers map[string]*classifier) {
	for _, kind := range slices.Sorted(maps.Keys(classifiers)) {
		c := classifiers[kind]
		for _, point := range slices.Sorted(maps.Keys(c.to)) {
			if c.to[point].noLoss {
				r.Find("no-drop-no-pfc", p.At.Line, p.Name,
					fmt.Sprintf("packets with code point %s are in %s, which is without "+
						"drops, and the interface has no congestion-notification-profile", point, c.to[point].name))
				return
			}
		}
	}
}
