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
