package nxos

import (
	"fmt"
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
}

// policyClass is a class of a policy.
type policyClass struct {
	*classMap
	name  string
	line  int
	sets  int    // qos-group that a policy of type qos sets; -1: none
	pause *pause // of network-qos: the class is without drops
	// Buffer, XOFF and XON are those of an input queuing class.
	buffer, xoff, xon audit.Number
	shares            bool // bandwidth or priority
	service           audit.Service
}

// pause is the pause of a class without drops.
type pause struct {
	cos  int // -1: that of the packets
	line int
}

// policy reads a policy map.
func (r *reader) policy(s *statements.Statement) {
	kind, name, known := typed(s.Words[1:])
	if !known {
		return
	}
	r.any = true
	p := r.policies[kind][name]
	if p == nil {
		p = &policy{kind: kind, name: name, line: s.Line}
	}
	s.Read()
	object := "policy-map type " + kind + " " + name
	percent, remaining := int64(0), int64(0)
	for _, u := range s.Under {
		if u.Begins("description") {
			u.Read()
		}
		if !u.Begins("class") || len(u.Words) < 2 {
			continue
		}
		_, className, _ := typed(u.Read().Words[1:])
		c := &policyClass{classMap: r.class(kind, className, object, u.Line), name: className, line: u.Line, sets: -1}
		p.classes = append(p.classes, c)
		for _, a := range u.Under {
			switch kind {
			case typeQoS:
				r.marks(c, a, object)
			case typeNetwork:
				r.network(c, a, object)
			default:
				whole, rest := r.queuing(c, a, object)
				percent, remaining = percent+whole, remaining+rest
			}
		}
		r.thresholds(c, object)
	}
	for _, sum := range []struct {
		what  string
		value int64
	}{{"bandwidth percent", percent}, {"bandwidth remaining percent", remaining}} {
		if sum.value > 100 {
			r.Find(audit.BandwidthSum, s.Line, object, fmt.Sprintf("%s of all classes is %d together", sum.what,
				sum.value))
		}
	}
	if r.policies[kind] == nil {
		r.policies[kind] = map[string]*policy{}
	}
	r.policies[kind][name] = p
}

// marks reads an action of a policy of type qos.
func (r *reader) marks(c *policyClass, a *statements.Statement, object string) {
	switch {
	case a.Begins("set", "qos-group") && len(a.Words) == 3:
		if n := r.Int(a.Read().Word(2), a.Line, object, "qos-group", 0, 7); n.Given {
			c.sets = int(n.Value)
		}
	case a.Begins("set"), a.Begins("police"):
		a.Read()
	}
}

// network reads an action of a network-qos class: pause no-drop, pause pfc-cos 3, mtu 9216.
func (r *reader) network(c *policyClass, a *statements.Statement, object string) {
	switch {
	case a.Begins("pause"):
		p := &pause{cos: -1, line: a.Line}
		for i := 1; i < len(a.Words); i++ {
			switch a.Words[i] {
			case "no-drop", "receive", "send":
			case "pfc-cos":
				i++
				if n := r.Int(a.Word(i), a.Line, object, "pfc-cos", 0, 7); n.Given {
					p.cos = int(n.Value)
				}
			default:
				return // not understood
			}
		}
		a.Read()
		c.pause = p
	case a.Begins("mtu"), a.Begins("set", "cos"), a.Begins("congestion-control"), a.Begins("multicast-optimize"):
		a.Read()
	}
}

// units are the units of sizes in a queuing policy. Packets, and the time of a queue limit, are no number of bytes.
var units = map[string]int64{"bytes": 1, "kbytes": 1 << 10, "mbytes": 1 << 20}

// queuing reads an action of a queuing class. It returns the percentages of bandwidth.
func (r *reader) queuing(c *policyClass, a *statements.Statement, object string) (whole, rest int64) {
	object += " class " + c.name
	switch {
	case a.Begins("bandwidth", "percent"):
		c.shares = true
		whole = r.Int(a.Read().Word(2), a.Line, object, "bandwidth percent", 0, 100).Value
	case a.Begins("bandwidth", "remaining", "percent"):
		c.shares = true
		c.service.Percent = r.Int(a.Read().Word(3), a.Line, object, "bandwidth remaining percent", 0, 100)
		rest = c.service.Percent.Value
	case a.Begins("priority"):
		c.shares, c.service.Strict = true, true
		if a.Read().Word(1) == "level" {
			c.service.Level = r.Int(a.Word(2), a.Line, object, "priority level", 1, 8)
		}
	case a.Begins("pause", "buffer-size"):
		r.pauses(c, a.Read(), object)
	case a.Begins("random-detect", "minimum-threshold"):
		r.marking(c, a.Read(), object)
	case a.Begins("random-detect"), a.Begins("queue-limit"), a.Begins("shape"), a.Begins("afd"):
		a.Read()
	}
	return whole, rest
}

// pauses reads pause buffer-size B pause-threshold P resume-threshold R, in bytes.
func (r *reader) pauses(c *policyClass, a *statements.Statement, object string) {
	const most = 1 << 30
	for i := 1; i+1 < len(a.Words); i += 2 {
		switch a.Words[i] {
		case "buffer-size":
			c.buffer = r.Int(a.Words[i+1], a.Line, object, "buffer-size", 0, most)
		case "pause-threshold":
			c.xoff = r.Int(a.Words[i+1], a.Line, object, "pause-threshold", 0, most)
		case "resume-threshold":
			c.xon = r.Int(a.Words[i+1], a.Line, object, "resume-threshold", 0, most)
		case "pfc-cos":
		default:
			return
		}
	}
}

// thresholds checks that resume, pause and size of a class ascend.
func (r *reader) thresholds(c *policyClass, object string) {
	object += " class " + c.name
	switch {
	case !c.buffer.Given:
		return
	case !c.xoff.Given || !c.xon.Given:
		r.Find(audit.PauseThresholds, c.buffer.At.Line, object,
			"buffer-size without pause-threshold and resume-threshold: want all three")
	case c.xon.Value > c.xoff.Value:
		r.Find(audit.PauseThresholds, c.xon.At.Line, object, fmt.Sprintf(
			"resume-threshold %d is above pause-threshold %d", c.xon.Value, c.xoff.Value))
	case c.xoff.Value > c.buffer.Value:
		r.Find(audit.PauseThresholds, c.xoff.At.Line, object, fmt.Sprintf(
			"pause-threshold %d is above buffer-size %d", c.xoff.Value, c.buffer.Value))
	case c.xoff.Value == c.buffer.Value:
		r.Find(audit.NoDropNoHeadroom, c.xoff.At.Line, object, fmt.Sprintf(
			"pause-threshold %d is the whole buffer-size: nothing is left for packets that arrive after the pause",
			c.xoff.Value))
	}
	if c.shares {
		r.Find(audit.PauseThresholds, c.buffer.At.Line, object,
			"pause buffer-size beside bandwidth or priority: an input "+
				"queuing policy has one of the two (Cisco's guide)").Suspect("a policy that is applied for output " +
			"alone")
	}
}

// marking reads random-detect minimum-threshold 150 kbytes maximum-threshold 3000 kbytes drop-probability 7 weight 0
// ecn.
func (r *reader) marking(c *policyClass, a *statements.Statement, object string) {
	var low, high audit.Number
	for i := 1; i+1 < len(a.Words); i++ {
		var to *audit.Number
		switch a.Words[i] {
		case "drop-probability": // in percent, which is inferred from public configurations, with 7 to 100
			c.service.Probability = r.Int(a.Words[i+1], a.Line, object, a.Words[i], 0, 100)
			continue
		case "minimum-threshold":
			to = &low
		case "maximum-threshold":
			to = &high
		default:
			continue
		}
		n := r.Int(a.Words[i+1], a.Line, object, a.Words[i], 0, 1<<30)
		scale, sized := units[a.Word(i+2)]
		if !sized { // packets, or microseconds: no number of bytes, but the two can be compared
			if strings.HasPrefix(a.Word(i+2), "m") || strings.HasPrefix(a.Word(i+2), "u") {
				continue
			}
			scale = 1
		}
		n.Value *= scale
		*to = n
	}
	c.service.Min, c.service.Max = low, high
	r.AddMarking(object, a.Line, low, high)
}

// defaultCable is the longest cable for which the switch's own headroom is: beyond it the sizes must be configured
// (Cisco's guide, release 10.5(x), "Guidelines and Limitations for Priority Flow Control").
const defaultCable = 100 * unit.Metre

// profile is the headroom of a class without drops: what its input queuing class has above the pause threshold.
// Without one the switch computes it.
func (r *reader) profile(noDrop *policyClass, input *policy) *audit.Profile {
	var queue *policyClass
	if input != nil {
		for _, c := range input.classes {
			if c.group == noDrop.group && c.buffer.Given {
				queue = c
			}
		}
	}
	name := noDrop.name
	if queue != nil {
		name = input.name + " " + queue.name
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
