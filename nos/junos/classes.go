package junos

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/cellwarden/cellwarden/audit"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/internal/statements"
)

// class is a forwarding class.
type class struct {
	name     string
	queue    int64
	noLoss   bool
	priority int64 // of pause frames for packets that are classified by DSCP; -1: not said
	line     int
}

// mostLossless is the largest number of forwarding classes without drops (Juniper, "class (Forwarding Classes)", Junos
// 12.3 and later).
const mostLossless = 6

// defaults are the forwarding classes that the switch has by itself (Juniper, "Understanding Default CoS Settings").
func defaults() []*class {
	return []*class{{"best-effort", 0, false, -1, 0}, {"fcoe", 3, true, -1, 0}, {"no-loss", 4, true, -1, 0},
		{"network-control", 7, false, -1, 0}, {"mcast", 8, false, -1, 0}}
}

// forwardingClasses reads the classes. A default class that the configuration names has what the configuration says.
func (r *reader) forwardingClasses() {
	for _, c := range defaults() {
		r.classes[c.name] = c
	}
	lossless := 0
	s := r.cos.Find("forwarding-classes")
	for _, n := range named(s.Find("class"), "") {
		c := &class{name: n.Word(0), priority: -1, queue: -1, line: n.Line}
		object := "forwarding-classes class " + c.name
		found := attributes(n, map[string]int{"queue-num": 1, "no-loss": 0, "pfc-priority": 1, "priority": 1})
		if a, given := found["queue-num"]; given {
			c.queue = r.Int(a.Text, a.Line, object, "queue-num", 0, 11).Value
		}
		_, c.noLoss = found["no-loss"]
		if a, given := found["pfc-priority"]; given {
			c.priority = r.Int(a.Text, a.Line, object, "pfc-priority", 0, 7).Value
		}
		if c.noLoss {
			if lossless++; lossless == mostLossless+1 {
				r.Find("no-drop-over-limit", c.line, object, fmt.Sprintf("more than %d classes are without drops",
					mostLossless))
			}
		}
		r.classes[c.name] = c
		first := r.queues[c.queue]
		if first == nil {
			r.queues[c.queue] = c
		} else if first.noLoss != c.noLoss && c.queue >= 0 {
			r.Find(audit.ClassNotNoDrop, c.line, object,
				fmt.Sprintf("queue %d has %s too: one of the two drops, the other does "+
					"not", c.queue, first.name))
		}
	}
}

// classifier maps code points to forwarding classes.
type classifier struct {
	kind   string // dscp, ieee-802.1
	to     map[string]*class
	lines  map[string]int
	others bool // it begins with the default classifier
}

// readClassifiers reads the classifiers.
func (r *reader) readClassifiers() {
	for _, kind := range named(r.cos.Find("classifiers"), "") {
		for _, n := range named(kind, "") {
			c := &classifier{kind: kind.Word(0), to: map[string]*class{}, lines: map[string]int{}}
			r.classifiers[c.kind+" "+n.Word(0)] = c
			if imported := n.Find("import"); imported != nil {
				c.others = true
				imported.ReadAll()
			}
			for _, of := range named(n.Find("forwarding-class"), "") {
				to := r.class(of.Word(0), of.Line, "classifiers "+kind.Word(0)+" "+n.Word(0))
				for _, loss := range named(of.Find("loss-priority"), "") {
					for _, point := range named(loss.Find("code-points"), "") {
						c.to[point.Word(0)], c.lines[point.Word(0)] = to, point.Line
					}
				}
			}
		}
	}
}

// class finds a forwarding class that a statement names; a missing one is a finding.
func (r *reader) class(name string, line int, object string) *class {
	c := r.classes[name]
	if c == nil {
		r.Missing(line, object, name, "forwarding class")
		c = &class{name: name, queue: -1, priority: -1}
		r.classes[name] = c // once is enough
	}
	return c
}

// of returns the class of a code point; nil: it is not known. The default classifier of 802.1p gives priorities 3 and 4
// to fcoe and no-loss, and that of DSCP gives all code points but those of network control to best-effort.
func (r *reader) of(c *classifier, kind, point string) *class {
	if c != nil && c.to[point] != nil {
		return c.to[point]
	}
	if kind == "ieee-802.1" {
		return r.classes[map[string]string{"011": "fcoe", "100": "no-loss"}[point]]
	}
	return nil
}

// bits reads a code point such as 011; false: it is an alias, or none.
func bits(point string, width int) (int, bool) {
	n, err := strconv.ParseUint(point, 2, 8)
	return int(n), err == nil && len(point) == width
}

// sharedBuffer checks that the partitions are 100 % together. Junos refuses the commit where all are given and are not;
// a partition that is not given has the switch's own percentage, which differs by product.
func (r *reader) sharedBuffer() {
	s := r.cos.Find("shared-buffer")
	for _, side := range []struct {
		name  string
		parts []string
	}{{"ingress", []string{"lossless", "lossless-headroom", "lossy"}},
		{"egress", []string{"lossless", "lossy", "multicast"}}} {
		of := s.Find(side.name)
		if of == nil {
			continue
		}
		object := "shared-buffer " + side.name
		if p := of.Find("percent"); p != nil {
			r.Int(only(p), p.Line, object, "percent", 0, 100)
		}
		sum, given := int64(0), 0
		for _, part := range named(of.Find("buffer-partition"), "") {
			known := false
			for _, name := range side.parts {
				known = known || part.Word(0) == name
			}
			if !known {
				r.Find("name-missing", part.Line, object, "there is no partition "+fielderr.Quote(part.Word(0))+
					": want "+strings.Join(side.parts, ", "))
			}
			found := attributes(part, map[string]int{"percent": 1, "dynamic-threshold": 1})
			if a, there := found["dynamic-threshold"]; there {
				r.Int(a.Text, a.Line, object, "dynamic-threshold", 0, 10)
			}
			if a, there := found["percent"]; there {
				n := r.Int(a.Text, a.Line, object, part.Word(0), 0, 100)
				sum, given = sum+n.Value, given+1
				if n.Given && n.Value == 0 && part.Word(0) == "lossless-headroom" && r.pauses() {
					r.Find(audit.NoDropNoHeadroom, a.Line, object,
						"the partition lossless-headroom is 0 %, and there are priorities "+
							"with PFC")
				}
			}
		}
		switch {
		case sum > 100, given == len(side.parts) && sum != 100:
			r.Find("partition-sum", of.Line, object, fmt.Sprintf("the partitions are %d %% together", sum))
		case given > 0 && sum != 100:
			r.Find("partition-sum", of.Line, object, fmt.Sprintf("%d of %d partitions are given, %d %% together",
				given,
				len(side.parts), sum)).Suspect("the others have the switch's own percentages, and some products " +
				"have fewer")
		}
	}
	if d := r.cos.Find("dedicated-buffer"); d != nil {
		for _, side := range named(d, "") {
			if p := side.Find("percent"); p != nil {
				r.Int(only(p), p.Line, "dedicated-buffer "+side.Word(0), "percent", 0, 100)
			}
		}
	}
}

// pauses tells whether any profile has a priority with PFC.
func (r *reader) pauses() bool {
	for _, p := range r.profiles {
		if len(p.points) > 0 {
			return true
		}
	}
	return false
}

// scheduler is how a queue is served.
type scheduler struct {
	rate, size int64
	percent    audit.Number // transmit-rate
	strict     bool
	drops      bool
}

// schedulers checks the schedulers and their maps: names, and percentages.
func (r *reader) schedulers() {
	drop := map[string]bool{}
	for _, n := range named(r.cos.Find("drop-profiles"), "") {
		drop[n.Word(0)] = true
		n.ReadAll()
	}
	known := map[string]scheduler{}
	for _, n := range named(r.cos.Find("schedulers"), "") {
		var s scheduler
		object := "schedulers " + n.Word(0)
		if p := n.Find("transmit-rate").Find("percent"); p != nil {
			s.percent = r.Int(only(p), p.Line, object, "transmit-rate percent", 0, 100)
			s.rate = s.percent.Value
		}
		s.strict = strings.HasPrefix(only(n.Find("priority")), "strict-high")
		if p := n.Find("buffer-size").Find("percent"); p != nil {
			s.size = r.Int(only(p), p.Line, object, "buffer-size percent", 0, 100).Value
		}
		for _, word := range []string{"priority", "shaping-rate", "excess-rate", "explicit-congestion-notification",
			"buffer-dynamic-threshold", "transmit-rate", "buffer-size"} {
			n.Find(word).ReadAll()
		}
		if m := n.Find("drop-profile-map"); m != nil {
			s.drops = n.Find("explicit-congestion-notification") == nil
			r.dropProfile(m, drop, object)
		}
		known[n.Word(0)] = s
	}
	for _, n := range named(r.cos.Find("scheduler-maps"), "") {
		r.maps[n.Word(0)] = map[*class]scheduler{}
		object := "scheduler-maps " + n.Word(0)
		var sum scheduler
		for _, of := range named(n.Find("forwarding-class"), "") {
			c := r.class(of.Word(0), of.Line, object)
			name := only(of.Find("scheduler"))
			s, there := known[name]
			if !there {
				r.Missing(of.Line, object, name, "scheduler")
			}
			r.maps[n.Word(0)][c] = s
			sum.rate, sum.size = sum.rate+s.rate, sum.size+s.size
			if s.drops && c.noLoss {
				r.Find(audit.ClassNotNoDrop, of.Line, object, c.name+" is without drops, and its scheduler "+
					fielderr.Quote(name)+" has a drop profile without explicit-congestion-notification")
			}
		}
		if sum.rate > 100 {
			r.Find(audit.BandwidthSum, n.Line, object, fmt.Sprintf("transmit-rate of all classes is %d %% together",
				sum.rate))
		}
		if sum.size > 100 {
			r.Find(audit.BandwidthSum, n.Line, object, fmt.Sprintf("buffer-size of all classes is %d %% together",
				sum.size))
		}
	}
}

// dropProfile reads drop-profile-map loss-priority any protocol any drop-profile NAME.
func (r *reader) dropProfile(s *statements.Statement, drop map[string]bool, object string) {
	s.ReadAll()
	var walk func(s *statements.Statement)
	walk = func(s *statements.Statement) {
		for _, u := range s.Under {
			if u.Word(0) == "drop-profile" {
				if name := only(u); !drop[name] {
					r.Missing(u.Line, object, name, "drop profile")
				}
			}
			walk(u)
		}
	}
	walk(s)
}
