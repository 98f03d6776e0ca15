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
	maps            map[string]string // kind of a map to its name
	priorityToGroup map[int]int
}

// qosPolicies reads the maps of qosPolicies.
func (r *reader) qosPolicies() {
	for _, s := range under(r.root.Find("qosPolicies")) {
		name := s.Find("name").Word(1)
		object := "qosPolicies." + name
		q := &policy{maps: map[string]string{}, priorityToGroup: map[int]int{}}
		r.policies[name] = q
		s.Read()
		if rules := s.Find("rules"); rules != nil {
			rules.ReadAll() // the older form, which the agent reads if there is no qosMap
		}
		m := s.Find("qosMap")
		if m == nil {
			continue
		}
		for _, key := range []string{"expMaps", "pcpMaps", "trafficClassToVoqId"} {
			m.Find(key).ReadAll()
		}
		r.dscp(q, name, object, m.Find("dscpMaps"))
		for _, of := range []struct{ key, kind string }{
			{"trafficClassToQueueId", audit.ClassToQueue}, {"trafficClassToPgId", audit.ClassToGroup},
			{"pfcPriorityToQueueId", audit.PriorityToQueue}, {"pfcPriorityToPgId", audit.PriorityToGroup},
		} {
			entries := m.Find(of.key)
			if entries == nil || len(entries.Under) == 0 {
				continue
			}
			to := r.AddMapping(of.kind, name, object+"."+of.key, entries.Line)
			q.maps[of.kind] = name
			for _, e := range entries.Under {
				from, bad := small(e.Read().Word(0))
				number, worse := small(e.Word(1))
				if bad || worse {
					r.Find(audit.NumberFormat, e.Line, object+"."+of.key, fmt.Sprintf(
						"%s to %s: want numbers from 0 to 63", fielderr.Quote(e.Word(0)), fielderr.Quote(e.Word(1))))
					continue
				}
				to.Put(from, number, e.Line)
				if of.kind == audit.PriorityToGroup {
					q.priorityToGroup[from] = number
				}
			}
		}
	}
}

// dscp reads the DSCPs of each traffic class.
func (r *reader) dscp(q *policy, name, object string, entries *statements.Statement) {
	if entries == nil || len(entries.Under) == 0 {
		return
	}
	to := r.AddMapping(audit.DSCPToClass, name, object+".dscpMaps", entries.Line)
	q.maps[audit.DSCPToClass] = name
	for _, e := range entries.Under {
		e.Read()
		e.Find("fromTrafficClassToDscp")
		class, bad := small(e.Find("internalTrafficClass").Word(1))
		points := e.Find("fromDscpToTrafficClass")
		for _, s := range under(points) {
			point, worse := small(s.Read().Word(1))
			if bad || worse {
				r.Find(audit.NumberFormat, s.Line, object+".dscpMaps",
					"want code points and classes from 0 to 63")
				continue
			}
			to.Put(point, class, s.Line)
		}
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
	for _, e := range under(s.Find("portIdToQosPolicy")) {
		of[e.Read().Word(0)] = find(e, "dataPlaneTrafficPolicy.portIdToQosPolicy")
	}
	return of, all
}

// queueConfigs reads the queues: which names there are, and the thresholds that mark.
func (r *reader) queueConfigs() {
	for _, s := range under(r.root.Find("portQueueConfigs")) {
		r.queues[s.Read().Word(0)] = true
		for _, q := range s.Under {
			r.queue(q, "portQueueConfigs."+s.Word(0))
		}
	}
	for _, q := range under(r.root.Find("defaultPortQueues")) {
		r.queue(q, "defaultPortQueues")
	}
	for _, key := range []string{"cpuQueues", "cpuVoqs", "defaultVoqConfig"} {
		if s := r.root.Find(key); s != nil && len(s.Under) > 0 {
			s.ReadAll()
			r.Unknown = append(r.Unknown, key+" are not checked")
		}
	}
}

// queue reads a PortQueue.
func (r *reader) queue(s *statements.Statement, object string) {
	id := r.number(s.Read(), "id", object, 0, 127)
	object = fmt.Sprintf("%s[%d]", object, id.Value)
	for _, key := range []string{"streamType", "weight", "scheduling", "name", "portQueueRate",
		"bandwidthBurstMinKbits",
		"bandwidthBurstMaxKbits", "packetsPerSec_DEPRECATED"} {
		s.Find(key).ReadAll()
	}
	for _, key := range []string{"reservedBytes", "sharedBytes", "maxDynamicSharedBytes"} {
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
	for _, a := range under(s.Find("aqms")) {
		a.Read()
		a.Find("behavior")
		linear := a.Path("detection", "linear")
		if linear == nil {
			continue
		}
		r.number(linear, "probability", object, 0, 100)
		r.AddMarking(object, a.Line, r.number(linear, "minimumLength", object, 0, mostInt32),
			r.number(linear, "maximumLength", object, 0, mostInt32))
	}
}

// count counts what was read. Of the ports, PFC alone is about buffers.
func (r *reader) count(tree *statements.Tree) {
	about := map[string]bool{"bufferPoolConfigs": true, "portPgConfigs": true, "portQueueConfigs": true,
		"defaultPortQueues": true, "qosPolicies": true, "dataPlaneTrafficPolicy": true}
	r.Count(tree.Count(func(path []*statements.Statement) bool {
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
