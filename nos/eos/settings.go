package eos

import (
	"cmp"
	"maps"

	"github.com/cellwarden/cellwarden/audit"
	"github.com/cellwarden/cellwarden/internal/statements"
	"github.com/cellwarden/cellwarden/unit"
)

// settings are what an interface or a qos profile says of PFC and queues.
type settings struct {
	name, object  string
	line          int
	pfc           string // on, off; "": not said
	pfcLine       int
	noDrop, drops uint16 // priorities that are said to be without drops, and with
	trust         string // cos, dscp, none; "": not said
	trustLine     int
	policy        string // of type qos
	queues        map[int]*audit.Service
	percent       int64 // bandwidth of all queues together
	flow          bool  // PAUSE is on
	says          bool  // anything of QoS
	profile       *settings
	channel       string // of a port, the port channel that it is a member of
	members       int    // of a port channel
	speed         unit.BitRate
	mtu           unit.Bytes
	down          bool
}

// take takes over what other settings say.
func (p *settings) take(said *settings) {
	if said == nil {
		return
	}
	p.pfc, p.pfcLine = cmp.Or(said.pfc, p.pfc), cmp.Or(said.pfcLine, p.pfcLine)
	p.noDrop, p.drops = p.noDrop&^said.drops|said.noDrop, p.drops&^said.noDrop|said.drops
	p.trust, p.trustLine = cmp.Or(said.trust, p.trust), cmp.Or(said.trustLine, p.trustLine)
	p.policy, p.profile = cmp.Or(said.policy, p.policy), cmp.Or(said.profile, p.profile)
	p.channel, p.speed, p.mtu = cmp.Or(said.channel, p.channel), cmp.Or(said.speed, p.speed), cmp.Or(said.mtu, p.mtu)
	p.flow, p.says, p.down = p.flow || said.flow, p.says || said.says, p.down || said.down
	if len(said.queues) > 0 {
		all := maps.Clone(p.queues)
		if all == nil {
			all = map[int]*audit.Service{}
		}
		maps.Copy(all, said.queues)
		p.queues = all
	}
}

// profile reads a qos profile.
func (r *reader) profile(s *statements.Statement) {
	p := &settings{line: s.Line, object: s.Text()}
	for _, u := range s.Under {
		r.setting(p, u)
	}
	r.AtMostAll(p.line, p.object, "bandwidth percent of all queues", p.percent, "")
	r.profiles[s.Word(2)] = p
}

// setting reads a statement of an interface or a profile.
func (r *reader) setting(p *settings, u *statements.Statement) {
	words := u.After(1)
	p.says = p.says || ofInterface(u)
	switch u.Word(0) {
	case "no", "default":
		r.negated(p, words, u)
	case "priority-flow-control":
		r.flowControl(p, words, u)
	case "qos":
		switch what := words.Next(); what {
		case "trust":
			if mode := words.Any("cos", "dscp"); mode != "" && words.End() {
				p.trust, p.trustLine = mode, u.Line
			}
		case "cos", "dscp":
			r.Int(words.Next(), u.Line, p.object, "qos "+what, 0, int64(mostCode[what]))
			words.End()
		}
	case "service-policy":
		if words.Take("type") && words.Take("qos") && words.Take("input") {
			if p.policy = words.Next(); words.End() && r.policies[p.policy] == nil {
				r.Missing(u.Line, p.object, p.policy, "policy-map")
			}
		}
	case "shape":
		r.shape(words, u, p.object)
	case "tx-queue", "uc-tx-queue", "mc-tx-queue":
		r.queue(p, words, u)
	case "flowcontrol":
		if words.Any("send", "receive") != "" {
			state := words.Any("on", "off", "desired")
			p.flow = p.flow || state == "on"
			words.End()
		}
	}
}

// negated reads a statement that begins with no or default: show running-config all has one for all that is not set.
func (r *reader) negated(p *settings, words *statements.Cursor, u *statements.Statement) {
	no := u.Begins("no")
	switch {
	case no && words.Take("priority-flow-control"):
		words.Take("mode")
		words.Take("on")
		switch {
		case !words.Left():
			p.pfc, p.pfcLine = "off", u.Line
		case words.Take("priority"):
			if n := r.Int(words.Next(), u.Line, p.object, "priority", 0, 7); n.Given {
				p.noDrop, p.drops = p.noDrop&^(1<<n.Value), p.drops|1<<n.Value
			}
			words.Any("no-drop", "drop")
		case words.Take("pause"):
			words.Rest()
		}
		words.End()
	case no && words.Take("qos", "trust"):
		p.trust, p.trustLine = "none", u.Line
		words.End()
	case ofInterface(u), u.Word(1) == "shutdown":
		u.Read()
	}
}

// flowControl reads what is behind priority-flow-control.
func (r *reader) flowControl(p *settings, words *statements.Cursor, u *statements.Statement) {
	switch words.Next() {
	case "mode":
		if !words.Take("on") {
			return
		}
		fallthrough
	case "on":
		if words.End() {
			p.pfc, p.pfcLine = "on", u.Line
		}
	case "priority":
		n := r.Int(words.Next(), u.Line, p.object, "priority", 0, 7)
		what := words.Any("no-drop", "drop")
		if what == "" || !words.End() || !n.Given {
			return
		}
		bit := uint16(1) << n.Value
		if what == "no-drop" {
			p.noDrop, p.drops = p.noDrop|bit, p.drops&^bit
		} else {
			p.noDrop, p.drops = p.noDrop&^bit, p.drops|bit
		}
	case "pause":
		if words.Take("watchdog") {
			words.Rest()
		}
		words.End()
	}
}

// shape reads what is behind shape: rate 5000 kbps.
func (r *reader) shape(words *statements.Cursor, u *statements.Statement, object string) {
	if !words.Take("rate") {
		return
	}
	r.Int(words.Next(), u.Line, object, "shape rate", 0, 1<<40)
	words.Any("percent", "kbps", "mbps", "gbps", "pps")
	words.Take("shared")
	words.End()
}

// queue reads a queue and the statements below it. Queues of multicast are no queues of classes without drops.
func (r *reader) queue(p *settings, words *statements.Cursor, u *statements.Statement) {
	n := r.Int(words.Next(), u.Line, p.object, u.Word(0), 0, 11)
	if !words.End() {
		return
	}
	s := &audit.Service{}
	for _, q := range u.Under {
		r.ofQueue(s, q, p.object+" "+u.Text())
	}
	if n.Given && u.Word(0) != "mc-tx-queue" {
		if p.queues == nil {
			p.queues = map[int]*audit.Service{}
		}
		p.queues[int(n.Value)] = s
		p.percent += s.Percent.Value
	}
}

// ofQueue reads a statement of a queue.
func (r *reader) ofQueue(s *audit.Service, q *statements.Statement, object string) {
	words := q.After(1)
	switch q.Word(0) {
	case "bandwidth":
		switch {
		case words.Take("percent"):
			s.Percent = r.Int(words.Next(), q.Line, object, "bandwidth percent", 0, 100)
			words.End()
		case words.Take("guaranteed"):
			words.Take("percent")
			r.Int(words.Next(), q.Line, object, "bandwidth guaranteed", 0, 1<<40)
			words.Any("kbps", "pps")
			words.End()
		}
	case "priority":
		if s.Strict = words.Take("strict"); s.Strict {
			words.End()
		}
	case "shape":
		r.shape(words, q, object)
	case "random-detect":
		r.detect(s, words, q, object)
	case "no", "default", "comment", "latency":
		q.Read()
	}
}

// units are the units of thresholds: bytes and their multiples, and others, which are no number of bytes: 0. A segment
// is a part of the memory whose size differs between chips.
var units = map[string]int64{"bytes": 1, "kbytes": 1000, "mbytes": 1000_000, "segments": 0, "milliseconds": 0,
	"microseconds": 0}

// detect reads random-detect ecn minimum-threshold 150 kbytes maximum-threshold 1500 kbytes max-mark-probability 100
// weight 0, and random-detect drop with drop-probability.
func (r *reader) detect(to *audit.Service, words *statements.Cursor, q *statements.Statement, object string) {
	kind := words.Any("ecn", "drop")
	if kind == "ecn" && words.Take("count") {
		words.End()
		return
	}
	if words.Take("drop-precedence") {
		r.Int(words.Next(), q.Line, object, "drop-precedence", 0, 2)
	}
	var bounds, bytes [2]audit.Number
	var unit [2]string
	for i, what := range []string{"minimum-threshold", "maximum-threshold"} {
		if kind == "" || !words.Take(what) {
			return
		}
		bounds[i] = r.Int(words.Next(), q.Line, object, what, 0, mostSize)
		unit[i] = words.Peek()
		scale, known := units[unit[i]]
		if !known {
			return
		}
		words.Next()
		if bytes[i] = bounds[i]; scale > 0 {
			bytes[i].Value *= scale
			bounds[i] = bytes[i]
		}
		bytes[i].Given = bytes[i].Given && scale > 0
	}
	probability := audit.Number{}
	for what := words.Any("max-mark-probability", "drop-probability", "weight"); what != ""; what = words.Any(
		"max-mark-probability", "drop-probability", "weight") {
		if what == "weight" {
			r.Int(words.Next(), q.Line, object, what, 0, 15)
			continue
		}
		probability = r.Int(words.Next(), q.Line, object, what, 0, 100)
	}
	if !words.End() {
		return
	}
	if bytes[0].Given == bytes[1].Given && (bytes[0].Given || unit[0] == unit[1]) {
		r.AddMarking(object, q.Line, bounds[0], bounds[1])
	}
	if to.Marks {
		return // ECN decides about what is compared, and not what drops packets that cannot be marked
	}
	to.Min, to.Max, to.Probability, to.DetectAt = bytes[0], bytes[1], probability, r.At(q.Line)
	to.Marks, to.Drops = kind == "ecn", kind == "drop"
}
