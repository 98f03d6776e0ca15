package junos

import (
	"maps"
	"slices"
	"strconv"
	"strings"

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
	unknown  bool // the text does not have the class: what it is, is not known
}

// mostLossless is the largest number of forwarding classes without drops (Juniper, "class (Forwarding Classes)", Junos
// 12.3 and later).
const mostLossless = 6

// defaults are the forwarding classes that the switch has by itself (Juniper, "Understanding Default CoS Settings").
func defaults() []*class {
	return []*class{{name: "best-effort", queue: 0, priority: -1}, {name: "fcoe", queue: 3, noLoss: true, priority: -1},
		{name: "no-loss", queue: 4, noLoss: true, priority: -1}, {name: "network-control", queue: 7, priority: -1},
		{name: "mcast", queue: 8, priority: -1}}
}

// ofOthers are forwarding classes that only some products have by themselves (Juniper, "Default Forwarding Classes",
// for EX and MX; "Understanding CoS Forwarding Classes" for EX4300). Their queues differ.
const ofOthers = "expedited-forwarding assured-forwarding be be1 ef ef1 af af1 nc nc1 mcast-be mcast-ef mcast-af " +
	"mcast-nc"

// forwardingClasses reads the classes. A default class that the configuration names has what the configuration says.
func (r *reader) forwardingClasses() {
	for _, c := range defaults() {
		r.classes[c.name] = c
	}
	for name := range strings.FieldsSeq(ofOthers) {
		r.classes[name] = &class{name: name, queue: -1, priority: -1}
	}
	s := r.cos.Find("forwarding-classes")
	lossless := 0
	for _, n := range named(s.Find("class")) {
		c := &class{name: n.Word(0), priority: -1, queue: -1, line: n.Line}
		r.attributesOf(c, n, "forwarding-classes class "+c.name)
		if c.noLoss {
			if lossless++; lossless == mostLossless+1 {
				r.Find("no-drop-over-limit", c.line, "forwarding-classes class "+c.name,
					"more than %d classes are without drops", mostLossless)
			}
		}
		r.addClass(c, "forwarding-classes class "+c.name)
	}
	// The other form, queue 3 NAME, gives a queue one class.
	for _, q := range named(s.Find("queue")) {
		for _, n := range named(q) {
			c := &class{name: n.Word(0), priority: -1, line: n.Line}
			object := "forwarding-classes queue " + q.Word(0)
			c.queue = r.Int(q.Word(0), q.Line, object, "queue", 0, mostQueue).Value
			r.attributesOf(c, n, object)
			r.addClass(c, object)
		}
	}
	r.samePriority()
}

// mostQueue is the largest number of a queue. QFX switches have 12 queues, with those for multicast, and some routers
// 16.
const mostQueue = 15

// attributesOf reads what a class is given.
func (r *reader) attributesOf(c *class, n *statements.Statement, object string) {
	found := attributes(n, map[string]int{"queue-num": 1, "no-loss": 0, "pfc-priority": 1, "priority": 1,
		"policing-priority": 1, "spu-priority": 1})
	if a, given := found["queue-num"]; given {
		c.queue = r.Int(a.Text, a.Line, object, "queue-num", 0, mostQueue).Value
	}
	_, c.noLoss = found["no-loss"]
	if a, given := found["pfc-priority"]; given {
		c.priority = r.Int(a.Text, a.Line, object, "pfc-priority", 0, 7).Value
	}
}

// addClass adds a class. All classes of a queue drop, or none does.
func (r *reader) addClass(c *class, object string) {
	r.classes[c.name] = c
	first := r.queues[c.queue]
	if first == nil {
		r.queues[c.queue] = c
	} else if first.noLoss != c.noLoss && c.queue >= 0 {
		r.Find("pfc-class-drops", c.line, object, "queue %d has %s too: one of the two drops, the other "+
			"does not", c.queue, first.name)
	}
}

// samePriority finds two queues without drops with one priority: a pause frame for it is of both.
func (r *reader) samePriority() {
	first := map[int64]*class{}
	for _, q := range slices.Sorted(maps.Keys(r.queues)) {
		c := r.queues[q]
		switch other := first[c.priority]; {
		case !c.noLoss || c.priority < 0:
		case other == nil:
			first[c.priority] = c
		default:
			r.Find("pfc-class-drops", c.line, "forwarding-classes class "+c.name, "pfc-priority %d is that "+
				"of %s too, which has another queue: a pause frame for one stops both", c.priority, other.name)
		}
	}
}

// standardAliases are the code points that Junos has names for (Juniper, "Default Code-Point Aliases").
var standardAliases = map[string]string{
	"dscp": "ef 101110 be 000000 af11 001010 af12 001100 af13 001110 af21 010010 af22 010100 af23 010110 af31 011010 " +
		"af32 011100 af33 011110 af41 100010 af42 100100 af43 100110 cs1 001000 cs2 010000 cs3 011000 cs4 100000 " +
		"cs5 101000 cs6 110000 cs7 111000 nc1 110000 nc2 111000",
	"ieee-802.1": "be 000 be1 001 ef 010 ef1 011 af11 100 af12 101 nc1 110 cs6 110 nc2 111 cs7 111",
}

// codePointAliases reads the names of code points.
func (r *reader) codePointAliases() {
	for kind, of := range map[string]string{"dscp": "dscp", "dscp-ipv6": "dscp", "ieee-802.1": "ieee-802.1",
		"exp": "ieee-802.1", "inet-precedence": "ieee-802.1"} {
		r.aliases[kind] = map[string]string{}
		words := strings.Fields(standardAliases[of])
		for i := 0; i < len(words); i += 2 {
			r.aliases[kind][words[i]] = words[i+1]
		}
	}
	for _, kind := range named(r.cos.Find("code-point-aliases")) {
		for _, n := range named(kind) {
			point := only(n)
			if _, is := bits(point, width(kind.Word(0))); !is {
				r.Find("number-format", n.Line, "code-point-aliases "+kind.Word(0), "%s is %s: want %d bits",
					fielderr.Quote(n.Word(0)), fielderr.Quote(point), width(kind.Word(0)))
				continue
			}
			if r.aliases[kind.Word(0)] != nil {
				r.aliases[kind.Word(0)][n.Word(0)] = point
			}
		}
	}
}

// width is the number of bits of a code point.
func width(kind string) int {
	switch kind {
	case "dscp", "dscp-ipv6":
		return 6
	case "ieee-802.1ad":
		return 4
	}
	return 3
}

// point returns the bits of a code point or of a name of one; "": it is neither, which is a finding.
func (r *reader) point(kind string, s *statements.Statement, object string) string {
	word := s.Word(0)
	if _, is := bits(word, width(kind)); is {
		return word
	}
	if to := r.aliases[kind][word]; to != "" {
		return to
	}
	number := word != "" && word[0] >= '0' && word[0] <= '9'
	if r.part && r.cos.Member("code-point-aliases") == nil && !number {
		r.missing(s.Line, object, word, "code point", r.cos, "code-point-aliases")
		return ""
	}
	r.Find("number-format", s.Line, object, "code point %s: want %d bits, or a name of code-point-aliases",
		fielderr.Quote(word), width(kind))
	return ""
}

// classifier maps code points, as bits, to forwarding classes.
type classifier struct {
	kind string // dscp, ieee-802.1
	to   map[string]*class
}

// lossPriorities are the values of loss-priority.
var lossPriorities = map[string]bool{"low": true, "medium-low": true, "medium-high": true, "high": true}

// readClassifiers reads the classifiers.
func (r *reader) readClassifiers() {
	for _, kind := range named(r.cos.Find("classifiers")) {
		for _, n := range named(kind) {
			c := &classifier{kind: kind.Word(0), to: map[string]*class{}}
			r.classifiers[c.kind+" "+n.Word(0)] = c
			object := "classifiers " + kind.Word(0) + " " + n.Word(0)
			r.byClass(n, object, func(s *statements.Statement, to *class) { r.classify(c, s, to, object) }, "code-points")
		}
	}
}

// byClass calls with the code points that a classifier or a rewrite rule has for each class and loss priority.
func (r *reader) byClass(n *statements.Statement, object string, call func(point *statements.Statement, of *class),
	words ...string) {
	only(n.Find("import"))
	for _, of := range named(n.Find("forwarding-class")) {
		c := r.class(of.Word(0), of.Line, object)
		for _, loss := range of.Find("loss-priority").Active() {
			if !lossPriorities[loss.Word(0)] {
				continue
			}
			for _, word := range words {
				for _, s := range named(loss.Read().Find(word)) {
					call(s, c)
				}
			}
		}
	}
}

// classify gives a code point a class.
func (r *reader) classify(c *classifier, s *statements.Statement, to *class, object string) {
	point := r.point(c.kind, s, object)
	if point == "" {
		return
	}
	if other := c.to[point]; other != nil && other != to && other.noLoss != to.noLoss && !other.unknown && !to.unknown {
		r.Find("pfc-class-drops", s.Line, object, "code point %s is of %s too: one of the two drops, the "+
			"other does not", point, other.name)
	}
	c.to[point] = to
}

// class finds a forwarding class that a statement names; a missing one is a finding.
func (r *reader) class(name string, line int, object string) *class {
	c := r.classes[name]
	if c == nil {
		r.missing(line, object, name, "forwarding class", r.cos, "forwarding-classes")
		c = &class{name: name, queue: -1, priority: -1, unknown: true}
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

// rewriteRules reads the rewrite rules: their classes and code points. Which class the next switch gives a packet with
// another code point is not checked.
func (r *reader) rewriteRules() {
	for _, kind := range named(r.cos.Find("rewrite-rules")) {
		for _, n := range named(kind) {
			r.rewrites[kind.Word(0)+" "+n.Word(0)] = true
			object := "rewrite-rules " + kind.Word(0) + " " + n.Word(0)
			r.byClass(n, object, func(s *statements.Statement, _ *class) { r.point(kind.Word(0), s, object) }, "code-point",
				"code-points")
		}
	}
	if len(r.rewrites) > 0 {
		r.Unknown = append(r.Unknown, "rewrite-rules change code points as packets leave: which class the next switch gives "+
			"them is not checked")
	}
}

// others reads what the class of service says of packets that no port brings: those of the switch itself, and those to
// several ports.
func (r *reader) others() {
	if s := r.cos.Find("host-outbound-traffic"); s != nil {
		r.named(s, "host-outbound-traffic")
		for _, word := range []string{"dscp-code-point", "ieee-802.1", "tcp", "protocol", "inet", "family"} {
			s.Find(word).ReadAll()
		}
	}
	if s := r.cos.Find("multi-destination"); s != nil {
		s.ReadAll()
		r.Unknown = append(r.Unknown, "multi-destination is not checked")
	}
}

// named checks the forwarding class that a statement names.
func (r *reader) named(s *statements.Statement, object string) {
	if n := s.Find("forwarding-class"); n != nil {
		r.class(only(n), n.Line, object)
	}
}
