package qos

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/cellwarden/cellwarden/backend/gnmi/oc"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/pg"
)

// A classifier looks at packets of one version of IP. A switch, as cellwarden
// knows it, has one map of DSCPs for both, so that there are always two
// classifiers of the same content.
const (
	v4 = iota
	v6
	versions
)

// The structs, and the names of types, that classifiers have in openconfig-qos.
type (
	ocClassifier = oc.OpenconfigQos_Qos_Classifiers_Classifier
	ocGroup      = oc.OpenconfigQos_Qos_ForwardingGroups_ForwardingGroup
	ocConditions = oc.OpenconfigQos_Qos_Classifiers_Classifier_Terms_Term_Conditions
	ocActions    = oc.OpenconfigQos_Qos_Classifiers_Classifier_Terms_Term_Actions
	ocMatch4     = oc.OpenconfigQos_Qos_Classifiers_Classifier_Terms_Term_Conditions_Ipv4_Config
	ocBoundType  = oc.E_OpenconfigQos_Qos_Interfaces_Interface_Input_Classifiers_Classifier_Config_Type
)

var (
	versionNames    = [versions]string{"IPV4", "IPV6"}
	versionPaths    = [versions]string{"ipv4", "ipv6"}
	classifierTypes = [versions]oc.E_OpenconfigQos_Qos_Classifiers_Classifier_Config_Type{
		oc.OpenconfigQos_Qos_Classifiers_Classifier_Config_Type_IPV4, oc.OpenconfigQos_Qos_Classifiers_Classifier_Config_Type_IPV6}
	boundTypes = [versions]ocBoundType{
		oc.OpenconfigQos_Qos_Interfaces_Interface_Input_Classifiers_Classifier_Config_Type_IPV4,
		oc.OpenconfigQos_Qos_Interfaces_Interface_Input_Classifiers_Classifier_Config_Type_IPV6}
)

// classifier is what a classifier says: of which version it is, and the DSCPs
// of each priority. Priority n is the forwarding group whose output queue is
// queue n.
type classifier struct {
	version int
	dscps   pg.DSCPMap
}

// namesOfClassifiers derives the names of a port's two classifiers from their
// content.
func namesOfClassifiers(m pg.DSCPMap) (names [versions]string) {
	if m == (pg.DSCPMap{}) {
		return names
	}
	var b strings.Builder
	for p, points := range m {
		if points != 0 {
			fmt.Fprintf(&b, "%d: dscp %v\n", p, points)
		}
	}
	for v, prefix := range [versions]string{prefixV4, prefixV6} {
		names[v] = prefix + digest(b.String())
	}
	return names
}

// classifier is what a port's classifier of a version says; zero if it has none.
func (p *port) classifier(version int) classifier {
	if p.dscps == (pg.DSCPMap{}) {
		return classifier{}
	}
	return classifier{version, p.dscps}
}

// groupName is the forwarding group of a priority.
func groupName(priority int) string { return prefixGroup + strconv.Itoa(priority) }

// checkDSCPs returns what would be accepted in place of DSCPs that are of two
// priorities.
func (p *port) checkDSCPs(name string) (bad []buffer.Complaint) {
	var taken pg.CodePoints
	for n, points := range p.dscps {
		if both := taken & points; both != 0 {
			r := buffer.Register{Kind: buffer.PriorityDSCP, Port: name, Index: n}
			bad = append(bad, buffer.Complaint{Path: r.String(), Value: both.String(), Accepted: "DSCPs of no other priority"})
		}
		taken |= points
	}
	return bad
}

// write puts a classifier into the tree, with the forwarding groups that its
// terms lead to. A term is named by its priority.
func (c classifier) write(qos *oc.OpenconfigQos_Qos, name string, t target) {
	out := qos.GetOrCreateClassifiers().GetOrCreateClassifier(name)
	out.GetOrCreateConfig().Name, out.Config.Type = &name, classifierTypes[c.version]
	for priority, points := range c.dscps {
		if points == 0 {
			continue
		}
		writeForwardingGroup(qos, priority, t)
		id := strconv.Itoa(priority)
		term := out.GetOrCreateTerms().GetOrCreateTerm(id)
		term.GetOrCreateConfig().Id = &id
		var set []uint8
		for _, d := range points.List() {
			set = append(set, uint8(d))
		}
		if c.version == v4 {
			term.GetOrCreateConditions().GetOrCreateIpv4().GetOrCreateConfig().DscpSet = set
		} else {
			term.GetOrCreateConditions().GetOrCreateIpv6().GetOrCreateConfig().DscpSet = set
		}
		term.GetOrCreateActions().GetOrCreateConfig().TargetGroup = new(groupName(priority))
	}
}

// writeForwardingGroup names the forwarding group of a priority.
func writeForwardingGroup(qos *oc.OpenconfigQos_Qos, priority int, t target) {
	writeQueue(qos, priority, t)
	config := qos.GetOrCreateForwardingGroups().GetOrCreateForwardingGroup(groupName(priority)).GetOrCreateConfig()
	config.Name, config.OutputQueue = new(groupName(priority)), new(t.queue(priority))
}

// readClassifier reads a classifier. One that does anything but give DSCPs to
// priorities cannot be read.
func (s *Snapshot) readClassifier(name string, from *ocClassifier) (p profileContent[classifier]) {
	var kind oc.E_OpenconfigQos_Qos_Classifiers_Classifier_Config_Type
	if config := from.GetConfig(); config != nil {
		kind = config.Type
	}
	switch kind {
	case classifierTypes[v4]:
	case classifierTypes[v6]:
		p.content.version = v6
	default:
		p.complain(pathText(pathClassifier, name)+"/config/type", enumText(kind), "IPV4 or IPV6")
		return p
	}
	all := from.GetTerms()
	if all == nil {
		return p
	}
	var taken pg.CodePoints
	for _, id := range slices.Sorted(maps.Keys(all.Term)) {
		path := pathText(pathTerm, name, id)
		points := p.dscpsOfTerm(p.content.version, all.Term[id].GetConditions(), path+"/conditions/"+versionPaths[p.content.version]+"/config")
		priority := s.priorityOfTerm(&p, all.Term[id].GetActions(), path+"/actions")
		if both := taken & points; both != 0 {
			p.complain(path, both.String(), "DSCPs of no other term")
		}
		taken |= points
		p.content.dscps[priority] |= points
	}
	return p
}

// dscpsOfTerm reads the DSCPs of a term.
func (p *profileContent[T]) dscpsOfTerm(version int, from *ocConditions, path string) (points pg.CodePoints) {
	c, other := from.GetIpv4().GetConfig(), from.GetIpv6().GetConfig() != nil
	if version == v6 {
		c, other = (*ocMatch4)(from.GetIpv6().GetConfig()), from.GetIpv4().GetConfig() != nil // the same leaves
	}
	switch {
	case other:
		p.complain(path, "conditions of the other version of IP", "those of the classifier's type alone")
	case c == nil || c.Dscp == nil && len(c.DscpSet) == 0:
		p.complain(path+"/dscp-set", "none", "DSCPs")
	case c.Dscp != nil && len(c.DscpSet) > 0:
		p.complain(path+"/dscp", strconv.Itoa(int(*c.Dscp)), "none beside dscp-set")
	case c.Length != nil:
		p.complain(path+"/length", strconv.Itoa(int(*c.Length)), "none: cellwarden tells packets apart by DSCP alone")
	case c.HopLimit != nil:
		p.complain(path+"/hop-limit", strconv.Itoa(int(*c.HopLimit)), "none: cellwarden tells packets apart by DSCP alone")
	default:
		all := c.DscpSet
		if c.Dscp != nil {
			all = []uint8{*c.Dscp}
		}
		for _, d := range all {
			if d >= pg.DSCPs {
				p.complain(path+"/dscp-set", strconv.Itoa(int(d)), "0 to 63")
				continue
			}
			points |= pg.Points(int(d))
		}
	}
	return points
}

// priorityOfTerm reads the priority that a term leads to: the number of the queue of its
// forwarding group.
func (s *Snapshot) priorityOfTerm(p *profileContent[classifier], from *ocActions, path string) int {
	if c := from.GetRemark().GetConfig(); c != nil && (c.SetDscp != nil || c.SetDot1P != nil || c.SetMplsTc != nil) {
		p.complain(path+"/remark/config", "a remark", "none: cellwarden leaves packets as they are")
	}
	config := from.GetConfig()
	if config == nil || config.TargetGroup == nil {
		p.complain(path+"/config/target-group", "none", "a forwarding group")
		return 0
	}
	queue, found := s.forwardingGroups[*config.TargetGroup]
	if !found {
		p.complain(path+"/config/target-group", strconv.Quote(*config.TargetGroup), "the name of a forwarding group that the switch lists")
		return 0
	}
	n, ok := s.queueNumber(queue)
	if !ok {
		p.complain(pathText(pathGroup, *config.TargetGroup)+"/config/output-queue", strconv.Quote(queue), "a queue with a number, 0 to 7, for unicast and multicast alike")
	}
	return n
}

// outputQueue is the one queue of a forwarding group; empty if there are two or
// none.
func outputQueue(from *ocGroup) string {
	c := from.GetConfig()
	if c == nil || c.OutputQueue == nil || c.UnicastOutputQueue != nil || c.MulticastOutputQueue != nil {
		return ""
	}
	return *c.OutputQueue
}

// forwardingGroupsOf lists the forwarding groups that a classifier leads to.
func forwardingGroupsOf(from *ocClassifier) (out []string) {
	if all := from.GetTerms(); all != nil {
		for _, id := range slices.Sorted(maps.Keys(all.Term)) {
			if config := all.Term[id].GetActions().GetConfig(); config != nil && config.TargetGroup != nil {
				out = append(out, *config.TargetGroup)
			}
		}
	}
	return out
}

// mergeVersions puts the two classifiers of a port together. What the two say of a DSCP
// must not differ.
func (p *port) mergeVersions(v [versions]classifier, id string) (bad []buffer.Complaint) {
	for d := range pg.DSCPs {
		four, in4 := v[v4].dscps.Priority(d)
		six, in6 := v[v6].dscps.Priority(d)
		switch {
		case in4 && in6 && four != six:
			bad = append(bad, buffer.Complaint{Path: pathText(pathClassifyName, id, versionNames[v6]), Value: fmt.Sprintf("DSCP %d of IPv6 in priority %d", d, six),
				Accepted: fmt.Sprintf("priority %d, as of IPv4: priorities are of DSCPs, whatever the version", four)})
		case in4:
			p.dscps[four] |= pg.Points(d)
		case in6:
			p.dscps[six] |= pg.Points(d)
		}
	}
	return bad
}

// enumText prints a value of an enumeration.
func enumText[E interface {
	~int64
	fmt.Stringer
}](v E) string {
	if v == 0 {
		return "none"
	}
	return v.String()
}
