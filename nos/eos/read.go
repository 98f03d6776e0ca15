package eos

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/cellwarden/cellwarden/asic"
	"github.com/cellwarden/cellwarden/audit"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/internal/statements"
	"github.com/cellwarden/cellwarden/unit"
)

// read reads a running configuration, the variables of AVD, or the JSON of OpenConfig. Chip is what the operator says
// of the chip; the zero Chip is known by the product that the first lines name.
func read(name string, data []byte, chip audit.Chip) (*audit.Reading, error) {
	ofAVD := variables(data)
	if trimmed := bytes.TrimSpace(data); len(trimmed) > 0 && trimmed[0] == '{' && !ofAVD {
		return readJSON(name, data, chip)
	}
	var tree *statements.Tree
	var wrong []error // values of AVD that are left out
	var err error
	if ofAVD {
		tree, wrong, err = readVariables(name, data)
	} else {
		tree, err = statements.Indented(name, data)
	}
	if err != nil {
		return nil, err
	}
	r := &reader{Reading: audit.NewReading(title, name), profiles: map[string]*settings{}, queueOf: map[int]int{},
		memory: map[string]*memory{}}
	if r.Chip = chip; chip.Name == "" {
		r.Chip = identify(tree)
	}
	r.definitions(tree.Root)
	if r.pool != nil {
		r.AddPool(r.pool)
	}
	r.interfaces(tree.Root)
	if r.Portless = ofAVD; ofAVD {
		r.groupsOfMemory()
		r.refused(wrong)
	}
	if !r.any {
		return nil, &fielderr.Located{File: name,
			Err: errors.New("no running configuration of EOS that says anything of " +
				"QoS: want priority-flow-control, qos map, qos profile, tx-queue, platform trident mmu queue " +
				"profile")}
	}
	r.Count(tree.Count(about))
	return r.Reading, nil
}

// identify finds the chip by the product in the remark of the first lines: device: leaf1 (DCS-7060CX-32S, EOS-4.28.1F).
func identify(tree *statements.Tree) audit.Chip {
	for _, remark := range tree.Remarks {
		if !strings.HasPrefix(remark.Text, "device:") {
			continue
		}
		how := func(p asic.Product) audit.Chip {
			return audit.Catalogued(p.Chip, fmt.Sprintf("product %s in line %d (%s)", p.Name, remark.Line, p.Source))
		}
		if found := asic.ProductsIn(remark.Text); len(found) > 0 {
			return how(found[0])
		}
		// A product whose source names a family of chips decides nothing where a plan is refused. Here it is what is
		// known, as for a configuration of SONiC.
		_, model, _ := strings.Cut(remark.Text, "(")
		model, _, _ = strings.Cut(model, ",")
		if p, found := asic.ProductOf(model, model); found {
			return how(p)
		}
	}
	return audit.Chip{}
}

// reader turns the statements into a reading.
type reader struct {
	*audit.Reading
	profiles map[string]*settings // qos profile
	queueOf  map[int]int          // traffic class to queue, where a statement says so
	memory   map[string]*memory   // platform trident mmu queue profile
	active   *memory              // the one that is applied
	pool     *audit.Pool          // of headroom; nil: the switch's own
	any      bool                 // a statement about QoS was found
}

// about tells whether a statement is about buffers or QoS.
func about(path []*statements.Statement) bool {
	switch first := path[0]; first.Word(0) {
	case "qos", "priority-flow-control", "class-map", "policy-map":
		return true
	case "platform":
		return strings.Contains(first.Text(), " mmu ")
	case "interface":
		if len(path) < 2 {
			return false
		}
		switch path[1].Word(0) {
		case "priority-flow-control", "tx-queue", "uc-tx-queue", "mc-tx-queue", "qos", "service-profile":
			return true
		case "no":
			return path[1].Word(1) == "priority-flow-control"
		}
	}
	return false
}

// settings are what an interface or a qos profile says of PFC and queues.
type settings struct {
	on      bool
	onLine  int
	noDrop  uint16
	percent int64 // bandwidth of all queues together
	line    int
	object  string
}

// definitions reads the statements outside interfaces.
func (r *reader) definitions(root *statements.Statement) {
	apply := map[string]int{}
	for _, s := range root.Under {
		switch {
		case s.Begins("hostname") && len(s.Words) == 2:
			r.Switch.Hostname = s.Read().Word(1)
		case s.Begins("qos", "profile") && len(s.Words) == 3:
			r.any = true
			p := &settings{line: s.Read().Line, object: s.Text()}
			for _, u := range s.Under {
				r.setting(p, u)
			}
			p.sum(r)
			r.profiles[s.Word(2)] = p
		case s.Begins("qos", "map"):
			r.any = true
			r.qosMap(s)
		case s.Begins("qos", "rewrite"), s.Begins("qos", "random-detect"), s.Begins("priority-flow-control", "pause"):
			r.any = true
			s.Read()
		case s.Begins("platform", "trident", "mmu", "queue", "profile") && s.Word(6) == "apply":
			r.any = true
			apply[s.Read().Word(5)] = s.Line
		case s.Begins("platform", "trident", "mmu", "headroom-pool", "limit"):
			r.any = true
			r.headroomPool(s)
		case s.Begins("platform", "trident", "mmu", "queue", "profile") && len(s.Words) == 6:
			r.any = true
			r.memoryProfile(s)
		}
	}
	for name, line := range apply {
		if r.active = r.memory[name]; r.active == nil {
			r.Missing(line, "platform trident mmu", name, "queue profile")
		}
	}
}

// qosMap reads qos map traffic-class 3 4 to tx-queue 3, and the maps of code points to traffic classes.
func (r *reader) qosMap(s *statements.Statement) {
	words := s.Words[2:]
	to := -1
	for i, w := range words {
		if w == "to" {
			to = i
		}
	}
	if to < 1 || len(words)-to < 3 {
		return
	}
	known := map[string]bool{"tx-queue": true, "uc-tx-queue": true, "mc-tx-queue": true, "traffic-class": true,
		"dscp": true, "cos": true, "exp": true, "drop-precedence": true}
	if !known[words[to+1]] {
		return
	}
	s.Read()
	if words[0] != "traffic-class" || words[to+1] != "tx-queue" && words[to+1] != "uc-tx-queue" {
		return
	}
	queue := r.Int(words[to+2], s.Line, "qos map", "queue", 0, 11)
	for _, w := range words[1:to] {
		for _, n := range statements.Numbers(w) {
			if queue.Given && n < 8 {
				r.queueOf[n] = int(queue.Value)
			}
		}
	}
}

// setting reads a statement of an interface or a profile.
func (r *reader) setting(p *settings, u *statements.Statement) {
	switch {
	case u.Begins("priority-flow-control", "on"), u.Begins("priority-flow-control", "mode", "on"):
		p.on, p.onLine = true, u.Read().Line
	case u.Begins("no", "priority-flow-control"):
		p.on = false
		u.Read()
	case u.Begins("priority-flow-control",
		"priority") && len(u.Words) == 4 && (u.Word(3) == "no-drop" || u.Word(3) == "drop"):
		if n := r.Int(u.Read().Word(2), u.Line, p.object, "priority", 0, 7); n.Given && u.Word(3) == "no-drop" {
			p.noDrop |= 1 << n.Value
		} else if n.Given {
			p.noDrop &^= 1 << n.Value
		}
	case u.Begins("priority-flow-control", "pause"), u.Begins("qos", "trust"), u.Begins("qos", "cos"), u.Begins("qos",
		"dscp"):
		u.Read()
	case u.Begins("tx-queue"), u.Begins("uc-tx-queue"), u.Begins("mc-tx-queue"):
		u.Read()
		for _, q := range u.Under {
			r.queue(p, q, p.object+" "+u.Text(), u.Word(0) != "mc-tx-queue")
		}
	default:
		return
	}
	r.any = true
}

// queue reads a statement of a queue.
func (r *reader) queue(p *settings, q *statements.Statement, object string, counted bool) {
	switch {
	case q.Begins("bandwidth", "percent") && len(q.Words) == 3:
		if n := r.Int(q.Read().Word(2), q.Line, object, "bandwidth percent", 0, 100); counted {
			p.percent += n.Value
		}
	case q.Begins("random-detect", "ecn", "minimum-threshold"):
		r.marking(q.Read(), object)
	case q.Begins("priority"), q.Begins("no", "priority"), q.Begins("shape"), q.Begins("bandwidth", "guaranteed"),
		q.Begins("random-detect"), q.Begins("comment"), q.Begins("drop-precedence"):
		q.Read()
	}
}

// marking reads random-detect ecn minimum-threshold 150 kbytes maximum-threshold 1500 kbytes. Other units than bytes
// and their multiples are not compared with a pool.
func (r *reader) marking(q *statements.Statement, object string) {
	scales := map[string]int64{"bytes": 1, "kbytes": 1000, "mbytes": 1000_000}
	value := func(what string) audit.Number {
		for i, w := range q.Words {
			if w == what {
				n := r.Int(q.Word(i+1), q.Line, object, what, 0, 1<<30)
				scale, known := scales[q.Word(i+2)]
				n.Value, n.Given = n.Value*scale, n.Given && known
				return n
			}
		}
		return audit.Number{}
	}
	r.AddMarking(object, q.Line, value("minimum-threshold"), value("maximum-threshold"))
}

// sum checks the bandwidths of all queues.
func (p *settings) sum(r *reader) {
	if p.percent > 100 {
		r.Find(audit.BandwidthSum, p.line, p.object, fmt.Sprintf("bandwidth percent of all queues is %d together",
			p.percent))
	}
}

// interfaces reads the interfaces. An interface has what its qos profile says, and what it says itself.
func (r *reader) interfaces(root *statements.Statement) {
	for _, s := range root.Under {
		if !s.Begins("interface") || len(s.Words) != 2 || !strings.HasPrefix(s.Word(1), "Ethernet") ||
			strings.Contains(s.Word(1), ".") {
			continue
		}
		p := r.Port(s.Word(1), s.Line)
		own := settings{line: s.Read().Line, object: s.Text()}
		for _, u := range s.Under {
			if !u.Begins("service-profile") || len(u.Words) != 2 {
				continue
			}
			r.any = true
			profile := r.profiles[u.Read().Word(1)]
			if profile == nil {
				r.Missing(u.Line, s.Text(), u.Word(1), "qos profile")
				continue
			}
			own.on, own.onLine, own.noDrop = profile.on, profile.onLine, profile.noDrop
		}
		for _, u := range s.Under {
			switch {
			case u.Begins("speed"):
				p.Speed = speed(u.Text())
				u.Read()
			case u.Begins("mtu") && len(u.Words) == 2:
				p.MTU = unit.Bytes(r.Int(u.Read().Word(1), u.Line, s.Text(), "mtu", 0, 1<<16).Value)
			case u.Begins("shutdown"):
				p.Down = true
				u.Read()
			default:
				r.setting(&own, u)
			}
		}
		own.sum(r)
		r.port(p, &own)
	}
}

// rate finds the rate in a statement such as speed forced 100gfull or speed 400g-8.
var rate = regexp.MustCompile(`\b([0-9]{1,4})g`)

func speed(text string) unit.BitRate {
	if m := rate.FindStringSubmatch(text); m != nil {
		n, _ := strconv.ParseInt(m[1], 10, 32)
		return unit.BitRate(n) * unit.Gbps
	}
	return 0
}

// port gives a port its groups: each priority without drops has one of the same number.
func (r *reader) port(p *audit.Port, own *settings) {
	p.HasPFC, p.Paused = own.on || own.noDrop != 0, own.on
	if own.onLine > 0 {
		p.MapAt = r.At(own.onLine)
	} else {
		p.MapAt = p.At
	}
	for n := range 8 {
		if own.noDrop>>n&1 == 0 {
			continue
		}
		profile := r.profileOf(n)
		p.Groups[n] = &audit.Bound{Profile: profile, Name: profile.Name, At: profile.At, Object: profile.Object}
		for other := range 8 {
			if own.noDrop>>other&1 == 0 && r.queueFor(other) == r.queueFor(n) {
				r.Find(audit.ClassNotNoDrop, p.MapAt.Line, p.Name,
					fmt.Sprintf("traffic class %d, without drops, and traffic "+
						"class %d share queue %d: a pause stops both", n, other, r.queueFor(n)))
			}
		}
	}
	if own.on {
		p.PFC = own.noDrop
	}
}

// queueFor is the queue of a traffic class: its own number, unless a statement says otherwise.
func (r *reader) queueFor(class int) int {
	if q, given := r.queueOf[class]; given {
		return q
	}
	return class
}
