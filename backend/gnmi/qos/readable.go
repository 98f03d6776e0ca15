package qos

import (
	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"sync"
)

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
