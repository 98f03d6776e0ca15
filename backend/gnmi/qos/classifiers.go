package qos

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/internal/oc"
	"github.com/cellwarden/cellwarden/pg"
)

// The map from DSCPs to priorities is two classifiers that the input of an interface is bound to, one for IPv4 and one
// for IPv6. This is the term of priority 3 with DSCPs 24 and 26, and its forwarding group:
//
// 	"term": [{"id": "3",
// 	  "conditions": {"ipv4": {"config": {"dscp-set": [24, 26]}}},
// 	  "actions": {"config": {"target-group": "cellwarden-priority-3"}}}]
// 	"forwarding-group": [{"name": "cellwarden-priority-3",
// 	  "config": {"name": "cellwarden-priority-3", "output-queue": "3"}}]

// A classifier of OpenConfig looks at packets of one version of IP. In cellwarden a switch has one map of DSCPs for
// both versions, so that there are always two classifiers with the same content.
const (
	ipv4 = iota
	ipv6
	versions
)

// The parts of a classifier in openconfig-qos.
type (
	ocClassifier = oc.OpenconfigQos_Qos_Classifiers_Classifier
	ocGroup      = oc.OpenconfigQos_Qos_ForwardingGroups_ForwardingGroup
	ocConditions = oc.OpenconfigQos_Qos_Classifiers_Classifier_Terms_Term_Conditions
	ocActions    = oc.OpenconfigQos_Qos_Classifiers_Classifier_Terms_Term_Actions
	ocMatch4     = oc.OpenconfigQos_Qos_Classifiers_Classifier_Terms_Term_Conditions_Ipv4_Config
	ocBoundType  = oc.E_OpenconfigQos_Qos_Interfaces_Interface_Input_Classifiers_Classifier_Config_Type
	ocType       = oc.E_OpenconfigQos_Qos_Classifiers_Classifier_Config_Type
)

// The names of the two versions: in keys of lists, in paths, and in the
// enumerations of classifiers and of their bindings.
var (
	versionNames    = [versions]string{"IPV4", "IPV6"}
	versionPaths    = [versions]string{"ipv4", "ipv6"}
	classifierTypes = [versions]ocType{
		oc.OpenconfigQos_Qos_Classifiers_Classifier_Config_Type_IPV4,
		oc.OpenconfigQos_Qos_Classifiers_Classifier_Config_Type_IPV6}
	boundTypes = [versions]ocBoundType{
		oc.OpenconfigQos_Qos_Interfaces_Interface_Input_Classifiers_Classifier_Config_Type_IPV4,
		oc.OpenconfigQos_Qos_Interfaces_Interface_Input_Classifiers_Classifier_Config_Type_IPV6}
)

// classifier is the content of a classifier: the version of its packets, and the DSCPs of each priority. OpenConfig has
// no priorities: priority n is the forwarding group whose output queue is queue n.
type classifier struct {
	version int
	dscps   pg.DSCPMap
}

func (c classifier) name(target) string {
	if c.dscps == (pg.DSCPMap{}) {
		return ""
	}
	var b strings.Builder
	for p, dscps := range c.dscps {
		if dscps != 0 {
			fmt.Fprintf(&b, "%d: dscp %v\n", p, dscps)
		}
	}
	return [versions]string{prefixIPv4, prefixIPv6}[c.version] + digest(b.String())
}

// groupName is the name of the forwarding group of a priority.
func groupName(priority int) string { return prefixGroup + strconv.Itoa(priority) }

// write also adds the forwarding groups that the terms lead to. A term is named by its priority.
func (c classifier) write(qos *oc.OpenconfigQos_Qos, name string, t target) {
	out := qos.GetOrCreateClassifiers().GetOrCreateClassifier(name)
	out.GetOrCreateConfig().Name, out.Config.Type = &name, classifierTypes[c.version]
	for priority, dscps := range c.dscps {
		if dscps == 0 {
			continue
		}
		t.writeForwardingGroup(qos, priority)
		id := strconv.Itoa(priority)
		term := out.GetOrCreateTerms().GetOrCreateTerm(id)
		term.GetOrCreateConfig().Id = &id
		var set []uint8
		for _, d := range dscps.List() {
			set = append(set, uint8(d))
		}
		if c.version == ipv4 {
			term.GetOrCreateConditions().GetOrCreateIpv4().GetOrCreateConfig().DscpSet = set
		} else {
			term.GetOrCreateConditions().GetOrCreateIpv6().GetOrCreateConfig().DscpSet = set
		}
		term.GetOrCreateActions().GetOrCreateConfig().TargetGroup = new(groupName(priority))
	}
}

// writeForwardingGroup adds the forwarding group of a priority to a tree.
func (t target) writeForwardingGroup(qos *oc.OpenconfigQos_Qos, priority int) {
	t.writeQueue(qos, priority)
	group := qos.GetOrCreateForwardingGroups().GetOrCreateForwardingGroup(groupName(priority))
	config := group.GetOrCreateConfig()
	config.Name, config.OutputQueue = new(groupName(priority)), new(t.queue(priority))
}

// readClassifier reads a classifier. One that does anything but give DSCPs to priorities cannot be registers.
func (s *Snapshot) readClassifier(name string, from *ocClassifier, bad *fielderr.List) (c classifier) {
	var kind ocType
	if config := from.GetConfig(); config != nil {
		kind = config.Type
	}
	switch kind {
	case classifierTypes[ipv4]:
	case classifierTypes[ipv6]:
		c.version = ipv6
	default:
		bad.Add(pathText(pathClassifier, name)+"/config/type", enumText(kind), "IPV4 or IPV6")
		return c
	}
	all := from.GetTerms()
	if all == nil {
		return c
	}
	var taken pg.CodePoints
	for _, id := range slices.Sorted(maps.Keys(all.Term)) {
		path := pathText(pathTerm, name, id)
		conditions := path + "/conditions/" + versionPaths[c.version] + "/config"
		dscps := dscpsOfTerm(c.version, all.Term[id].GetConditions(), conditions, bad)
		priority := s.priorityOfTerm(all.Term[id].GetActions(), path+"/actions", bad)
		// What two terms for one DSCP mean would depend on the order of terms.
		if both := taken & dscps; both != 0 {
			bad.Add(path, both.String(), "DSCPs of no other term")
		}
		taken |= dscps
		c.dscps[priority] |= dscps
	}
	return c
}

// dscpsOfTerm reads the conditions of a term: its DSCPs, and nothing else.
func dscpsOfTerm(version int, from *ocConditions, path string, bad *fielderr.List) (dscps pg.CodePoints) {
	const none = "none: cellwarden tells packets apart by DSCP alone"
	c, other := from.GetIpv4().GetConfig(), from.GetIpv6().GetConfig() != nil
	if version == ipv6 { // its struct has the same leaves
		c, other = (*ocMatch4)(from.GetIpv6().GetConfig()), from.GetIpv4().GetConfig() != nil
	}
	switch {
	case other:
		bad.Add(path, "conditions of the other version of IP", "those of the classifier's type alone")
	case c == nil || c.Dscp == nil && len(c.DscpSet) == 0:
		bad.Add(path+"/dscp-set", "none", "DSCPs")
	case c.Dscp != nil && len(c.DscpSet) > 0:
		bad.Add(path+"/dscp", strconv.Itoa(int(*c.Dscp)), "none beside dscp-set")
	case c.Length != nil:
		bad.Add(path+"/length", strconv.Itoa(int(*c.Length)), none)
	case c.HopLimit != nil:
		bad.Add(path+"/hop-limit", strconv.Itoa(int(*c.HopLimit)), none)
	default:
		all := c.DscpSet
		if c.Dscp != nil {
			all = []uint8{*c.Dscp}
		}
		for _, d := range all {
			if d >= pg.DSCPs {
				bad.Add(path+"/dscp-set", strconv.Itoa(int(d)), "0 to 63")
				continue
			}
			dscps |= pg.Points(int(d))
		}
	}
	return dscps
}

// priorityOfTerm reads the priority that a term leads to: the number of the output queue of its forwarding group.
func (s *Snapshot) priorityOfTerm(from *ocActions, path string, bad *fielderr.List) int {
	if c := from.GetRemark().GetConfig(); c != nil && (c.SetDscp != nil || c.SetDot1P != nil || c.SetMplsTc != nil) {
		bad.Add(path+"/remark/config", "a remark", "none: cellwarden leaves packets as they are")
	}
	config := from.GetConfig()
	if config == nil || config.TargetGroup == nil {
		bad.Add(path+"/config/target-group", "none", "a forwarding group")
		return 0
	}
	queue, found := s.forwardingGroups[*config.TargetGroup]
	if !found {
		bad.Add(path+"/config/target-group", strconv.Quote(*config.TargetGroup),
			"the name of a forwarding group that the switch lists")
		return 0
	}
	n, ok := s.names.Number(queue)
	if !ok {
		bad.Add(pathText(pathGroup, *config.TargetGroup)+"/config/output-queue", strconv.Quote(queue),
			"a queue with a number, 0 to 7, for unicast and multicast alike")
	}
	return n
}

// outputQueue is the one queue of a forwarding group; empty if there are two or none.
func outputQueue(from *ocGroup) string {
	c := from.GetConfig()
	if c == nil || c.OutputQueue == nil || c.UnicastOutputQueue != nil || c.MulticastOutputQueue != nil {
		return ""
	}
	return *c.OutputQueue
}

// forwardingGroupsOf lists the forwarding groups that the terms of a classifier lead to.
func forwardingGroupsOf(from *ocClassifier) (out []string) {
	all := from.GetTerms()
	if all == nil {
		return nil
	}
	for _, id := range slices.Sorted(maps.Keys(all.Term)) {
		if config := all.Term[id].GetActions().GetConfig(); config != nil && config.TargetGroup != nil {
			out = append(out, *config.TargetGroup)
		}
	}
	return out
}

// mergeVersions makes one map of the two classifiers of a port. They may not give
// one DSCP to two priorities: a switch in cellwarden has one map for both versions.
func mergeVersions(bound [versions]classifier, id string, bad *fielderr.List) (m pg.DSCPMap) {
	for d := range pg.DSCPs {
		four, in4 := bound[ipv4].dscps.Priority(d)
		six, in6 := bound[ipv6].dscps.Priority(d)
		switch {
		case in4 && in6 && four != six:
			bad.Add(pathText(pathClassifyName, id, versionNames[ipv6]), fmt.Sprintf("DSCP %d of IPv6 in priority %d", d, six),
				fmt.Sprintf("priority %d, as of IPv4: priorities are of DSCPs, whatever the version", four))
		case in4:
			m[four] |= pg.Points(d)
		case in6:
			m[six] |= pg.Points(d)
		}
	}
	return m
}
