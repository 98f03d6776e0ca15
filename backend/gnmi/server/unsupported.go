package server

import (
	"fmt"

	"google.golang.org/grpc/codes"

	"github.com/cellwarden/cellwarden/backend/gnmi/qos"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/internal/oc"
)

// The models have more than the device: limits of egress queues, marking of inputs, dropping,
// rates. Accepting such configuration without effect would be a lie, so it is refused, unless
// the switch is lenient.

// checkUnsupported refuses configuration that the models have and the device has no
// registers for. Profiles that no interface is bound to are not checked: they have no effect on any switch, and
// clients write a profile before they bind it. The error has every value, so that a client needs one attempt to learn
// them all.
func checkUnsupported(tree *oc.Root, names qos.Names) (codes.Code, error) {
	h := &unsupportedCheck{tree: tree, names: names, reported: map[string]bool{}, code: codes.Unimplemented}
	for _, i := range interfaces(tree) {
		h.input(i)
		h.output(i)
	}
	return h.code, buffer.Invalid(h.bad)
}

// unsupportedCheck collects complaints, each path once.
type unsupportedCheck struct {
	tree     *oc.Root
	names    qos.Names
	reported map[string]bool
	bad      fielderr.List
	code     codes.Code // of the refusal
}

// refuse complains about the value at a path below /qos, unless that was done before: several
// interfaces may be bound to one profile.
func (h *unsupportedCheck) refuse(path, value, accepted string) {
	if !h.reported[path] {
		h.reported[path] = true
		h.bad.Add("/qos/"+path, value, accepted)
	}
}

// input refuses marking and scheduling of an input, buffer for queues that are no priority
// groups, and classifiers for packets other than IP's. The input queues of OpenConfig are the priority groups of the
// device, which have reserved cells and a threshold, and neither a scheduler nor a marking curve.
func (h *unsupportedCheck) input(i *ocInterface) {
	at := "interfaces/interface[interface-id=" + *i.InterfaceId + "]/input/"
	if c := i.GetInput().GetSchedulerPolicy().GetConfig(); c != nil && c.Name != nil {
		h.refuse(at+"scheduler-policy/config/name", *c.Name, "none: this switch schedules on the way out")
	}
	h.classifiers(i, at)
	if all := i.GetInput().GetQueues(); all != nil {
		for _, name := range sortedKeys(all.Queue) {
			if c := all.Queue[name].GetConfig(); c != nil && c.QueueManagementProfile != nil {
				h.refuse(at+"queues/queue[name="+name+"]/config/queue-management-profile", *c.QueueManagementProfile,
					"none: this switch marks on the way out")
			}
		}
	}
	p := inputProfile(h.tree, i)
	if all := p.GetQueues(); all != nil {
		for _, name := range sortedKeys(all.Queue) {
			h.numbered(queueOfProfile(p, name), name, "priority groups")
		}
	}
}

// queueOfProfile is the path of a queue of a buffer allocation profile.
func queueOfProfile(p *ocPG, queue string) string {
	return "buffer-allocation-profiles/buffer-allocation-profile[name=" + *p.Name + "]/queues/queue[name=" + queue + "]"
}

// classifiers refuses classifiers for packets other than IP's, and forwarding groups with a fabric priority. The device
// takes the priority of a packet from its DSCP, which Ethernet and MPLS headers do not have.
func (h *unsupportedCheck) classifiers(i *ocInterface, at string) {
	all := i.GetInput().GetClassifiers()
	if all == nil {
		return
	}
	for of := range all.Classifier {
		if of != boundIPv4 && of != boundIPv6 {
			h.refuse(at+"classifiers/classifier[type="+of.String()+"]", of.String(),
				"IPV4 or IPV6: this switch tells packets apart by DSCP")
		}
	}
	for _, of := range []boundType{boundIPv4, boundIPv6} {
		terms := classifier(h.tree, i, of).GetTerms()
		if terms == nil {
			continue
		}
		for _, id := range sortedKeys(terms.Term) {
			group := targetGroup(h.tree, terms.Term[id])
			if c := group.GetConfig(); c != nil && c.FabricPriority != nil {
				h.refuse("forwarding-groups/forwarding-group[name="+*group.Name+"]/config/fabric-priority",
					fmt.Sprint(*c.FabricPriority), "none: this switch has no fabric")
			}
		}
	}
}

// minima refuses limits of the shared buffer of egress queues: the device has no such
// limits. Of several limits of one queue the first is named: a client that takes it away learns of the next.
func (h *unsupportedCheck) minima(p *ocPG) {
	all := p.GetQueues()
	if all == nil {
		return
	}
	// Of an egress queue the device has the reserved cells and the weight, and no threshold (marking has its own
	// profiles).
	const none = "none: this switch has no limits of egress queues"
	for _, name := range sortedKeys(all.Queue) {
		c, at := all.Queue[name].GetConfig(), queueOfProfile(p, name)
		switch {
		case !h.numbered(at, name, "egress queues"):
		case c == nil:
		case c.UseSharedBuffer != nil && !*c.UseSharedBuffer:
			h.refuse(at+"/config/use-shared-buffer", "false", "true: this switch lets every egress queue share")
		case c.SharedBufferLimitType != 0:
			h.refuse(at+"/config/shared-buffer-limit-type", c.SharedBufferLimitType.String(), none)
		case c.StaticSharedBufferLimit != nil:
			h.refuse(at+"/config/static-shared-buffer-limit", fmt.Sprint(*c.StaticSharedBufferLimit), none)
		case c.DynamicLimitScalingFactor != nil:
			h.refuse(at+"/config/dynamic-limit-scaling-factor", fmt.Sprint(*c.DynamicLimitScalingFactor), none)
		}
	}
}

// output refuses limits of egress queues, marking of queues that the device has not, and
// dropping. Scheduler policies are checked when they are read as weights.
func (h *unsupportedCheck) output(i *ocInterface) {
	h.minima(outputMinima(h.tree, i))
	all := i.GetOutput().GetQueues()
	if all == nil {
		return
	}
	for _, name := range sortedKeys(all.Queue) {
		p := outputProfile(h.tree, i, name)
		if p != nil || numbered(name) { // one that is not bound has no effect, whatever its name
			h.numbered("interfaces/interface[interface-id="+*i.InterfaceId+"]/output/queues/queue[name="+name+"]", name,
				"egress queues")
		}
		if p != nil {
			h.curve(p)
		}
	}
}

// curve refuses a profile that does more than mark by the present length of the queue. The device has registers for
// the thresholds and the probability of marking, and none for a choice to drop or to average.
func (h *unsupportedCheck) curve(p *ocECN) {
	at := "queue-management-profiles/queue-management-profile[name=" + *p.Name + "]/wred/uniform/config/"
	c := p.GetWred().GetUniform().GetConfig()
	switch {
	case c == nil || c.EnableEcn == nil || !*c.EnableEcn:
		h.refuse(at+"enable-ecn", "false", "true: this switch marks and does not drop")
	case c.Drop != nil && *c.Drop:
		h.refuse(at+"drop", "true", "false: this switch marks and does not drop")
	case c.Weight != nil && *c.Weight > 0:
		h.refuse(at+"weight", fmt.Sprint(*c.Weight), "0: this switch does not average the length of queues")
	}
}

// numbered tells whether a queue has a number, and refuses it if not. A digit is refused as the name of a queue that
// has another one: the client's mistake, and not a lack of the switch.
func (h *unsupportedCheck) numbered(path, queue, what string) bool {
	_, ok := h.names.Number(queue)
	switch {
	case ok:
	case numbered(queue):
		h.code = codes.InvalidArgument
		h.refuse(path, queue, fmt.Sprintf("%s, the name of queue %s of this switch", h.names.Queue(int(queue[0]-'0')), queue))
	default:
		h.refuse(path, queue, "0 to 7: this switch has eight "+what)
	}
	return ok
}

// numbered tells whether a name of a queue is a number, 0 to 7.
func numbered(queue string) bool { return len(queue) == 1 && queue >= "0" && queue <= "7" }
