package server

import (
	"slices"

	"github.com/cellwarden/cellwarden/backend/gnmi/oc"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/pg"
)

const priorityStrict = oc.OpenconfigQos_Qos_SchedulerPolicies_SchedulerPolicy_Schedulers_Scheduler_Config_Priority_STRICT

// addMeasuredWeights writes the weights that the queues of a port really have. One that
// has another kind of turn than its scheduler gives has no weight there.
func addMeasuredWeights(p *ocPolicy, port string, have buffer.Layout) {
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
			if state == nil || state.Queue == nil || !numbered(*state.Queue) {
				continue
			}
			switch w := registerValue(have, buffer.QueueWeight, port, *state.Queue); {
			case strict && w == buffer.Strict: // the weight is its rank, as it was given
			case !strict && w > 0:
				state.Weight = new(uint64(w))
			default:
				state.Weight = nil
			}
		}
	}
}

// registerValue is what a register of a queue or priority holds.
func registerValue(have buffer.Layout, k buffer.Kind, port, queue string) int64 {
	return have.Value(buffer.Register{Kind: k, Port: port, Index: int(queue[0] - '0')})
}

// addMeasuredDSCPs writes the DSCPs that really lead to the priorities of a port.
func addMeasuredDSCPs(tree *oc.Root, c *ocClassifier, port string, have buffer.Layout) {
	all := c.GetTerms()
	if all == nil {
		return
	}
	for _, id := range sortedKeys(all.Term) {
		queue := outputQueue(tree, all.Term[id])
		if !numbered(queue) {
			continue
		}
		points := pg.CodePoints(registerValue(have, buffer.PriorityDSCP, port, queue))
		if state := all.Term[id].GetConditions().GetIpv4().GetState(); state != nil {
			state.DscpSet = heldDSCPs(state.DscpSet, points)
		}
		if state := all.Term[id].GetConditions().GetIpv6().GetState(); state != nil {
			state.DscpSet = heldDSCPs(state.DscpSet, points)
		}
	}
}

// heldDSCPs leaves out the DSCPs that a priority has not.
func heldDSCPs(set []uint8, points pg.CodePoints) []uint8 {
	has := func(d uint8) bool { return points.Has(int(d)) }
	if !slices.ContainsFunc(set, func(d uint8) bool { return !has(d) }) {
		return set
	}
	return slices.DeleteFunc(slices.Clone(set), func(d uint8) bool { return !has(d) })
}

// outputQueue is the queue of a term's forwarding group, or empty.
func outputQueue(tree *oc.Root, term *ocTerm) string {
	action := term.GetActions().GetConfig()
	if action == nil || action.TargetGroup == nil {
		return ""
	}
	group := tree.GetQos().GetForwardingGroups().GetForwardingGroup(*action.TargetGroup).GetConfig()
	if group == nil || group.OutputQueue == nil {
		return ""
	}
	return *group.OutputQueue
}
