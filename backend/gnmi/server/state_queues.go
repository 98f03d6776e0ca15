package server

import (
	"slices"

	"github.com/cellwarden/cellwarden/backend/gnmi/qos"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/oc"
	"github.com/cellwarden/cellwarden/pg"
)

// priorityStrict is the priority of a scheduler with strict queues.
const priorityStrict = oc.OpenconfigQos_Qos_SchedulerPolicies_SchedulerPolicy_Schedulers_Scheduler_Config_Priority_STRICT

// addMeasuredWeights writes the weights that the queues of a port have on the device. A
// queue that is strict there and not in the configuration, or the other way round, gets no
// weight. Queues of a policy that several ports share show the weights of the port that comes last, as addMeasured
// does.
func addMeasuredWeights(p *ocPolicy, names qos.Names, port string, have buffer.Layout) {
	all := p.GetSchedulers()
	if all == nil {
		return
	}
	for _, scheduler := range all.Scheduler {
		strict := scheduler.GetState() != nil && scheduler.GetState().Priority == priorityStrict
		inputs := scheduler.GetInputs()
		if inputs == nil {
			continue
		}
		for _, input := range inputs.Input {
			state := input.GetState()
			if state == nil || state.Queue == nil {
				continue
			}
			queue, numbered := names.Number(*state.Queue)
			if !numbered {
				continue
			}
			// The rank of a strict queue has no register: what was configured stays.
			switch w := have.Value(buffer.Register{Kind: buffer.QueueWeight, Port: port, Index: queue}); {
			case strict && w == buffer.Strict: // the weight is its rank, as configured
			case !strict && w > 0:
				state.Weight = new(uint64(w))
			default:
				state.Weight = nil
			}
		}
	}
}

// addMeasuredDSCPs writes the DSCPs that lead to the priorities of a port on the device. They may differ from those of
// the configuration: another program may have changed the registers since.
func addMeasuredDSCPs(tree *oc.Root, c *ocClassifier, names qos.Names, port string, have buffer.Layout) {
	all := c.GetTerms()
	if all == nil {
		return
	}
	for _, id := range sortedKeys(all.Term) {
		group := targetGroup(tree, all.Term[id]).GetConfig()
		if group == nil || group.OutputQueue == nil {
			continue
		}
		queue, numbered := names.Number(*group.OutputQueue)
		if !numbered {
			continue
		}
		points := pg.CodePoints(have.Value(buffer.Register{Kind: buffer.PriorityDSCP, Port: port, Index: queue}))
		if state := all.Term[id].GetConditions().GetIpv4().GetState(); state != nil {
			state.DscpSet = heldDSCPs(state.DscpSet, points)
		}
		if state := all.Term[id].GetConditions().GetIpv6().GetState(); state != nil {
			state.DscpSet = heldDSCPs(state.DscpSet, points)
		}
	}
}

// heldDSCPs returns the DSCPs of a set that a priority has on the device. A code point that the client did not
// configure is not added: the term that has it is the one that shows it.
func heldDSCPs(set []uint8, points pg.CodePoints) []uint8 {
	has := func(d uint8) bool { return points.Has(int(d)) }
	if !slices.ContainsFunc(set, func(d uint8) bool { return !has(d) }) {
		return set
	}
	return slices.DeleteFunc(slices.Clone(set), func(d uint8) bool { return !has(d) })
}

// targetGroup is the forwarding group of a term; nil if none. The chain to a queue is OpenConfig's: term, target-group,
// forwarding group, output-queue.
func targetGroup(tree *oc.Root, term *ocTerm) *oc.OpenconfigQos_Qos_ForwardingGroups_ForwardingGroup {
	action := term.GetActions().GetConfig()
	if action == nil || action.TargetGroup == nil {
		return nil
	}
	return tree.GetQos().GetForwardingGroups().GetForwardingGroup(*action.TargetGroup)
}
