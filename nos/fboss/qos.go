package fboss

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/cellwarden/cellwarden/audit"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/internal/statements"
)

// policy is an entry of qosPolicies.
type policy struct {
	maps map[string]*audit.CodeMap // by kind
	// What the maps say, by numbers.
	dscp, classToGroup, classToQueue, priorityToGroup, priorityToQueue map[int]int
	tagged                                                             bool // packets are also classified by 802.1p
}

// numbered are the maps of numbers in qosMap, and the largest number of each side (switch_config.thrift,
// PFC_PRIORITY_VALUE_MAX and PORT_PG_VALUE_MAX; ApplyThriftConfig.cpp, createQosPolicy).
var numbered = []struct {
	key, kind string
	from, to  int
}{
	{"trafficClassToQueueId", audit.ClassToQueue, 63, 63}, {"trafficClassToPgId", audit.ClassToGroup, 63, 7},
	{"pfcPriorityToQueueId", audit.PriorityToQueue, 7, 63}, {"pfcPriorityToPgId", audit.PriorityToGroup, 7, 7},
}

// qosPolicies reads the maps of qosPolicies.
func (r *reader) qosPolicies() {
	for _, s := range r.root.Find("qosPolicies").Active() {
		name := s.Find("name").Word(1)
		object := "qosPolicies." + name
		q := &policy{maps: map[string]*audit.CodeMap{}}
		r.policies[name] = q
		s.Read()
		m := s.Find("qosMap")
		entries := m.Find("dscpMaps")
		if entries == nil || len(entries.Under) == 0 { // else it overrides the rules
			r.rules(q, object, s.Find("rules"))
		} else {
			s.Find("rules").ReadAll()
		}
		if m == nil {
			continue
		}
		for _, key := range []string{"expMaps", "trafficClassToVoqId"} {
			m.Find(key).ReadAll()
		}
		r.tagged(q, m.Find("pcpMaps"), object)
		r.dscp(q, object, entries)
		numbers := map[string]map[int]int{}
		for _, of := range numbered {
			entries := m.Find(of.key)
			if entries == nil || len(entries.Under) == 0 {
				continue
			}
			to := r.NewMap(object+"."+of.key, entries.Line)
			q.maps[of.kind], numbers[of.kind] = to, to.To
			for _, e := range entries.Under {
				from, bad := small(e.Read().Word(0))
				number, worse := small(e.Word(1))
				if bad || worse || from > of.from || number > of.to {
					r.Find("number-format", e.Line, object+"."+of.key, "%s to %s: want a number from 0 to %d "+
						"and one from 0 to %d", fielderr.Quote(e.Word(0)), fielderr.Quote(e.Word(1)), of.from, of.to)
					continue
				}
				to.Put(from, number, e.Line)
			}
		}
		q.classToGroup, q.classToQueue = numbers[audit.ClassToGroup], numbers[audit.ClassToQueue]
		q.priorityToGroup, q.priorityToQueue = numbers[audit.PriorityToGroup], numbers[audit.PriorityToQueue]
	}
}

// rules reads the older form: the queue, which is the traffic class, of DSCPs.
func (r *reader) rules(q *policy, object string, rules *statements.Statement) {
	if rules == nil || len(rules.Under) == 0 {
		return
	}
	to := r.NewMap(object+".rules", rules.Line)
	q.maps[audit.DSCPToClass], q.dscp = to, to.To
	for _, e := range rules.Under {
		class, bad := small(e.Read().Find("queueId").Word(1))
		points := e.Find("dscp")
		if len(points.Active()) == 0 {
			r.Find("number-format", e.Line, object+".rules", "a rule without DSCPs: the agent refuses it")
		}
		r.points(to, points, class, bad, object+".rules")
	}
}

// tagged reads the classes of 802.1p.
func (r *reader) tagged(q *policy, entries *statements.Statement, object string) {
	for _, e := range entries.Active() {
		q.tagged = true
		r.number(e.Read(), "internalTrafficClass", object+".pcpMaps", 0, 63)
		e.Find("fromTrafficClassToPcp")
		for _, s := range e.Find("fromPcpToTrafficClass").Active() {
			r.Int(s.Read().Word(1), s.Line, object+".pcpMaps", "fromPcpToTrafficClass", 0, 7)
		}
	}
}

// dscp reads the DSCPs of each traffic class.
func (r *reader) dscp(q *policy, object string, entries *statements.Statement) {
	if entries == nil || len(entries.Under) == 0 {
		return
	}
	to := r.NewMap(object+".dscpMaps", entries.Line)
	q.maps[audit.DSCPToClass], q.dscp = to, to.To
	for _, e := range entries.Under {
		e.Read().Find("fromTrafficClassToDscp")
		class, bad := small(e.Find("internalTrafficClass").Word(1))
		r.points(to, e.Find("fromDscpToTrafficClass"), class, bad, object+".dscpMaps")
	}
}

// points gives DSCPs a traffic class.
func (r *reader) points(to *audit.CodeMap, points *statements.Statement, class int, bad bool, object string) {
	for _, s := range points.Active() {
		point, worse := small(s.Read().Word(1))
		if bad || worse {
			r.Find("number-format", s.Line, object, "want code points and classes from 0 to 63")
			continue
		}
		to.Put(point, class, s.Line)
	}
}

// small reads a number from 0 to 63.
func small(text string) (n int, bad bool) {
	v, err := strconv.ParseUint(strings.TrimSpace(text), 10, 8)
	return int(v), err != nil || v > 63
}

// trafficPolicy returns the policy of single ports, by their logicalID, and that of all others; nil: none.
func (r *reader) trafficPolicy() (of map[string]*policy, all *policy) {
	of = map[string]*policy{}
	s := r.root.Find("dataPlaneTrafficPolicy")
	find := func(s *statements.Statement, object string) *policy {
		q := r.policies[s.Word(1)]
		if q == nil {
			r.Missing(s.Line, object, s.Word(1), "entry of qosPolicies")
		}
		return q
	}
	s.Find("matchToAction").ReadAll()
	if d := s.Find("defaultQosPolicy"); d != nil {
		all = find(d, "dataPlaneTrafficPolicy")
	}
	for _, e := range s.Find("portIdToQosPolicy").Active() {
		of[e.Read().Word(0)] = find(e, "dataPlaneTrafficPolicy.portIdToQosPolicy")
	}
	return of, all
}

// queueConfigs reads the queues: which names there are, and the thresholds that mark.
func (r *reader) queueConfigs() {
	for _, s := range r.root.Find("portQueueConfigs").Active() {
		name := s.Read().Word(0)
		r.lists[name] = nil
		for _, q := range s.Under {
			r.lists[name] = append(r.lists[name], r.queue(q, "portQueueConfigs."+name))
		}
	}
	for _, q := range r.root.Find("defaultPortQueues").Active() {
		r.lists[""] = append(r.lists[""], r.queue(q, "defaultPortQueues"))
	}
	for _, key := range []string{"cpuQueues", "cpuVoqs", "defaultVoqConfig"} {
		if s := r.root.Find(key); s != nil && len(s.Under) > 0 {
			s.ReadAll()
			r.Unknown = append(r.Unknown, key+" are not checked")
		}
	}
}

// queue reads a PortQueue.
func (r *reader) queue(s *statements.Statement, object string) queue {
	id := r.number(s.Read(), "id", object, 0, 127)
	object = fmt.Sprintf("%s[%d]", object, id.Value)
	out := queue{id: int(id.Value), line: s.Line}
	out.multicast = r.choice(s, "streamType", object, "UNICAST", "MULTICAST", "ALL", "FABRIC_TX") == 1
	if of := s.Member("scheduling"); of.Word(1) == "INTERNAL" || of.Word(1) == internal {
		of.Read()
	} else {
		r.choice(s, "scheduling", object, "WEIGHTED_ROUND_ROBIN", "STRICT_PRIORITY", "DEFICIT_ROUND_ROBIN")
	}
	s.Find("name")
	s.Find("portQueueRate").ReadAll()
	for _, key := range []string{"weight", "reservedBytes", "sharedBytes", "maxDynamicSharedBytes",
		"bandwidthBurstMinKbits", "bandwidthBurstMaxKbits", "packetsPerSec_DEPRECATED"} {
		r.number(s, key, object, 0, mostInt32)
	}
	if f := s.Find("scalingFactor"); f != nil {
		r.alpha(f, object)
	}
	if p := s.Find("bufferPoolName"); p != nil {
		if r.ofQueues[p.Word(1)] = true; r.pools[p.Word(1)] == nil {
			r.Missing(p.Line, object, p.Word(1), "entry of bufferPoolConfigs")
		}
	}
	seen := map[int]bool{}
	for _, a := range s.Find("aqms").Active() {
		behavior := r.choice(a.Read(), "behavior", object, "EARLY_DROP", "ECN")
		if seen[behavior] {
			r.Find("duplicate-key", a.Line, object, "two aqms have the same behavior: the agent refuses the queue")
		}
		if seen[behavior] = true; behavior == 0 { // EARLY_DROP, which thrift also gives an aqm without a behavior
			out.drops, out.line = true, a.Line
		}
		linear := a.Path("detection", "linear")
		if linear == nil {
			continue
		}
		r.number(linear, "probability", object, 0, 100)
		r.AddMarking(object, a.Line, r.number(linear, "minimumLength", object, 0, mostInt32),
			r.number(linear, "maximumLength", object, 0, mostInt32))
	}
	return out
}

// internal is the number of the scheduling of queues that are not for programming, those of fabric ports.
const internal = "1000"

// choice reads one of some values, by its number or its name; what is not there is the first.
func (r *reader) choice(s *statements.Statement, key, object string, names ...string) int {
	at := s.Find(key)
	if at == nil {
		return 0
	}
	for n, name := range names {
		if at.Word(1) == name || at.Word(1) == strconv.Itoa(n) {
			return n
		}
	}
	r.Find("number-format", at.Line, object, "%s is %s: want %s", key, fielderr.Quote(at.Word(1)),
		strings.Join(names, ", "))
	return -1
}

// count counts what was read. Of the ports, PFC alone is about buffers.
func (r *reader) count(tree *statements.Tree) {
	about := map[string]bool{"bufferPoolConfigs": true, "portPgConfigs": true, "portQueueConfigs": true,
		"defaultPortQueues": true, "qosPolicies": true, "dataPlaneTrafficPolicy": true}
	r.Count(tree.Count(func(path []*statements.Statement) bool {
		if last := path[len(path)-1]; len(last.Under) == 0 && len(last.Words) == 1 {
			return false // an empty list or object says nothing
		}
		if path[0].Word(0) == "sw" {
			path = path[1:]
		}
		switch {
		case len(path) == 0:
			return false
		case path[0].Word(0) == "ports":
			return len(path) > 2 && path[2].Word(0) == "pfc"
		}
		return about[path[0].Word(0)]
	}))
}
