package qos

import (
	"maps"
	"slices"
	"sync"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/openconfig/ygot/ygot"
)

// The paths that this package reads and writes. A star means any key.
const (
	pathQueue        = "/qos/queues/queue[name=*]"
	pathPG           = "/qos/buffer-allocation-profiles/buffer-allocation-profile[name=*]"
	pathPGQueue      = pathPG + "/queues/queue[name=*]/config"
	pathECN          = "/qos/queue-management-profiles/queue-management-profile[name=*]"
	pathCurve        = pathECN + "/wred/uniform/config"
	pathGroup        = "/qos/forwarding-groups/forwarding-group[name=*]"
	pathClassifier   = "/qos/classifiers/classifier[name=*]"
	pathTerm         = pathClassifier + "/terms/term[id=*]"
	pathPolicy       = "/qos/scheduler-policies/scheduler-policy[name=*]"
	pathScheduler    = pathPolicy + "/schedulers/scheduler[sequence=*]"
	pathInterface    = "/qos/interfaces/interface[interface-id=*]"
	pathInput        = pathInterface + "/input/config/buffer-allocation-profile"
	pathOutput       = pathInterface + "/output/queues/queue[name=*]/config/queue-management-profile"
	pathOut          = pathInterface + "/output/config/buffer-allocation-profile"
	pathSchedule     = pathInterface + "/output/scheduler-policy/config/name"
	pathClassify     = pathInterface + "/input/classifiers/classifier[type=*]"
	pathClassifyName = pathClassify + "/config/name"
)

// RootPath is the path above everything that this package reads and writes.
func RootPath() *gpb.Path { return pathAt("/qos") }

// pathAt fills the keys of a path in order. Keys may hold any character, such as
// the slash of Ethernet1/8, which is why they are not written into the text.
func pathAt(template string, keys ...string) *gpb.Path {
	p := &gpb.Path{}
	for _, e := range elements(template) {
		if len(e.Key) > 0 {
			e = &gpb.PathElem{Name: e.Name, Key: maps.Clone(e.Key)}
			for _, name := range slices.Sorted(maps.Keys(e.Key)) {
				e.Key[name], keys = keys[0], keys[1:]
			}
		}
		p.Elem = append(p.Elem, e)
	}
	return p
}

// templates are the paths above, parsed once: a push fills them thousands of times.
var templates sync.Map

// elements are those of a template, which are not to be written.
func elements(template string) []*gpb.PathElem {
	if p, known := templates.Load(template); known {
		return p.([]*gpb.PathElem)
	}
	p := ygot.MustStringToPath(template).GetElem()
	templates.Store(template, p)
	return p
}

// pathText prints a path for an error.
func pathText(template string, keys ...string) string {
	s, err := ygot.PathToString(pathAt(template, keys...))
	if err != nil { // a key that is empty, which YANG allows
		return template
	}
	return s
}

// container is a container of configuration, and the leaves in it that are read.
type container struct {
	path   string
	leaves []string
}

// readable is what cellwarden reads of a switch: containers of configuration with some of their leaves, and the entries
// of the lists on the way. Decode and ReadSnapshot use nothing else, so that nothing else is read out of an answer,
// which may hold anything. A new leaf in Decode needs a place here.
var readable = []container{
	{pathQueue + "/config", []string{"name", "queue-id"}},
	{pathPG + "/config", []string{"name"}},
	{pathPGQueue, []string{"dedicated-buffer", "use-shared-buffer", "shared-buffer-limit-type",
		"dynamic-limit-scaling-factor", "static-shared-buffer-limit"}},
	{pathECN + "/config", []string{"name"}},
	{pathCurve, []string{"enable-ecn", "min-threshold", "max-threshold", "max-drop-probability-percent"}},
	{pathInterface + "/input/config", []string{"buffer-allocation-profile"}},
	{pathGroup + "/config", []string{"name", "output-queue", "unicast-output-queue", "multicast-output-queue"}},
	{pathClassifier + "/config", []string{"name", "type"}},
	{pathTerm + "/conditions/ipv4/config", conditions},
	{pathTerm + "/conditions/ipv6/config", conditions},
	{pathTerm + "/actions/config", []string{"target-group"}},
	{pathTerm + "/actions/remark/config", []string{"set-dscp", "set-dot1p", "set-mpls-tc"}},
	{pathPolicy + "/config", []string{"name"}},
	{pathScheduler + "/config", []string{"sequence", "type", "priority"}},
	{pathScheduler + "/inputs/input[id=*]/config", []string{"id", "input-type", "queue", "weight"}},
	{pathScheduler + "/output/config", []string{"output-type"}},
	{pathScheduler + "/one-rate-two-color/config", []string{"cir", "cir-pct"}},
	{pathScheduler + "/two-rate-three-color/config", []string{"cir", "cir-pct", "pir", "pir-pct"}},
	{pathInterface + "/input/classifiers/classifier[type=*]/config", []string{"type", "name"}},
	{pathInterface + "/input/scheduler-policy/config", []string{"name"}},
	{pathInterface + "/output/scheduler-policy/config", []string{"name"}},
	{pathInterface + "/input/queues/queue[name=*]/config", []string{"queue-management-profile"}},
	{pathInterface + "/output/config", []string{"buffer-allocation-profile"}},
	{pathInterface + "/output/queues/queue[name=*]/config", []string{"queue-management-profile"}},
}

// conditions are the leaves about the header of a packet, of either version of IP.
var conditions = []string{"dscp", "dscp-set", "length", "hop-limit"}

// LeafPaths returns the containers that are read, with wildcards for the keys of lists: what to subscribe to on a
// switch that sends its configuration leaf by leaf. The paths are shared and must not be written.
func LeafPaths() []*gpb.Path { return leafPaths() }

var leafPaths = sync.OnceValue(func() (out []*gpb.Path) {
	for _, c := range readable {
		out = append(out, &gpb.Path{Elem: elements(c.path)})
	}
	return out
})
