package qos

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/internal/oc"
	"github.com/cellwarden/cellwarden/pg"
)

// The weights of egress queues are a scheduler policy that the output of an interface is
// bound to. This is queue 0 strict, and queue 3 with weight 60:
//
// 	"scheduler-policy": [{"name": "cellwarden-sched-0a1b2c3d4e5f", "schedulers": {"scheduler": [
// 	  {"sequence": 0, "config": {"sequence": 0, "priority": "STRICT"},
// 	   "inputs": {"input": [{"id": "0", "config": {"id": "0", "input-type": "QUEUE", "queue": "0", "weight": "1"}}]}},
// 	  {"sequence": 1, "config": {"sequence": 1},
// 	   "inputs": {"input": [{"id": "3", "config": {"id": "3", "input-type": "QUEUE", "queue": "3", "weight": "60"}}]}}
// 	]}}]

// The parts of a scheduler policy in openconfig-qos.
type (
	ocPolicy    = oc.OpenconfigQos_Qos_SchedulerPolicies_SchedulerPolicy
	ocScheduler = oc.OpenconfigQos_Qos_SchedulerPolicies_SchedulerPolicy_Schedulers_Scheduler
	ocInput     = oc.OpenconfigQos_Qos_SchedulerPolicies_SchedulerPolicy_Schedulers_Scheduler_Inputs_Input_Config
)

const (
	priorityStrict = oc.OpenconfigQos_Qos_SchedulerPolicies_SchedulerPolicy_Schedulers_Scheduler_Config_Priority_STRICT
	inputQueue     = oc.OpenconfigQos_Qos_SchedulerPolicies_SchedulerPolicy_Schedulers_Scheduler_Inputs_Input_Config_InputType_QUEUE
	outputPort     = oc.OpenconfigQos_Qos_SchedulerPolicies_SchedulerPolicy_Schedulers_Scheduler_Output_Config_OutputType_INTERFACE
)

// queueWeights are how the egress queues of a port are served: the content of a scheduler policy. A weight is 1 to
// buffer.MaxWeight, or buffer.Strict; 0: the policy does not name the queue.
type queueWeights [pg.PerPort]int64

// A policy has at most two schedulers. The first has the strict queues, ranked by the weights of their inputs, the
// higher first. The second has the queues that share by weight. A scheduler for each strict queue would mean the same,
// but SR Linux has room for two schedulers.
const (
	sequenceStrict   = 0
	sequenceWeighted = 1
)

// sequenceOf is the sequence of the scheduler that serves a queue of this weight.
func sequenceOf(weight int64) int {
	if weight == buffer.Strict {
		return sequenceStrict
	}
	return sequenceWeighted
}

func (w queueWeights) name(target) string {
	if w == (queueWeights{}) {
		return ""
	}
	var b strings.Builder
	for n, v := range w {
		if v != 0 {
			fmt.Fprintf(&b, "%d: %s\n", n, buffer.QueueWeight.Text(v))
		}
	}
	return prefixPolicy + digest(b.String())
}

// write names an input by its queue.
func (w queueWeights) write(qos *oc.OpenconfigQos_Qos, name string, t target) {
	policy := qos.GetOrCreateSchedulerPolicies().GetOrCreateSchedulerPolicy(name)
	policy.GetOrCreateConfig().Name = &name
	for n, weight := range w {
		if weight == 0 {
			continue
		}
		t.writeQueue(qos, n)
		scheduler := policy.GetOrCreateSchedulers().GetOrCreateScheduler(uint32(sequenceOf(weight)))
		scheduler.GetOrCreateConfig().Sequence = scheduler.Sequence
		if weight == buffer.Strict { // of two strict queues, the one with the higher number is served first
			scheduler.Config.Priority, weight = priorityStrict, int64(n)+1
		}
		queue := t.queue(n)
		input := scheduler.GetOrCreateInputs().GetOrCreateInput(queue).GetOrCreateConfig()
		input.Id, input.InputType, input.Queue, input.Weight = &queue, inputQueue, &queue, new(uint64(weight))
	}
}

// readPolicy reads a scheduler policy. One that does anything but serve queues,
// strictly by their numbers or by their weights, cannot be registers.
func (t target) readPolicy(name string, from *ocPolicy, bad *fielderr.List) queueWeights {
	r := policyReader{List: bad, names: &t.names, lowestStrict: pg.PerPort}
	all := from.GetSchedulers()
	if all == nil {
		return r.weights
	}
	for _, sequence := range slices.Sorted(maps.Keys(all.Scheduler)) {
		r.readScheduler(all.Scheduler[sequence], pathText(pathScheduler, name, strconv.Itoa(int(sequence))))
	}
	return r.weights
}

// policyReader reads the schedulers of a policy in the order in which they serve.
type policyReader struct {
	*fielderr.List
	weights      queueWeights
	names        *Names
	lowestStrict int  // the last strict queue: the next one has to be below it
	weighted     bool // a scheduler with weights was read: it has to be the last
}

func (r *policyReader) readScheduler(from *ocScheduler, path string) {
	r.refuseRates(from, path)
	strict := from.GetConfig() != nil && from.GetConfig().Priority == priorityStrict
	inputs := inputsOf(from)
	if len(inputs) == 0 { // it serves no queue, and may be anywhere
		return
	}
	if r.weighted {
		r.Add(path, "a scheduler after one that is not strict",
			"strict schedulers, then at most one of queues with weights")
	}
	r.weighted = !strict
	if strict {
		// In the order in which they are served: by their ranks.
		slices.SortStableFunc(inputs, func(a, b *ocInput) int { return -cmp.Compare(weightOf(a), weightOf(b)) })
	}
	for i, input := range inputs {
		path := path + pathText("/inputs/input[id=*]", *input.Id)
		n, ok := r.queueOf(input, path)
		switch {
		case !ok:
		case r.weights[n] != 0:
			r.Add(path+"/config/queue", strconv.Quote(*input.Queue), "a queue that is no other input")
		case !strict:
			r.readWeight(n, input, path)
		case i > 0 && weightOf(input) == weightOf(inputs[i-1]):
			r.Add(path+"/config/weight", strconv.FormatUint(weightOf(input), 10),
				"weights that differ: they rank the inputs of a strict scheduler")
		case n > r.lowestStrict:
			r.Add(path+"/config/queue", strconv.Quote(*input.Queue),
				fmt.Sprintf("a queue below %d: of two strict queues the higher goes first", r.lowestStrict))
		default:
			r.weights[n], r.lowestStrict = buffer.Strict, n
		}
	}
}

// readWeight reads the weight of a queue that is not strict.
func (r *policyReader) readWeight(n int, input *ocInput, path string) {
	switch w := weightOf(input); {
	case input.Weight == nil:
		r.Add(path+"/config/weight", "none", fmt.Sprintf("1 to %d", buffer.MaxWeight))
	case w < 1 || w > buffer.MaxWeight:
		r.Add(path+"/config/weight", strconv.FormatUint(w, 10), fmt.Sprintf("1 to %d", buffer.MaxWeight))
	default:
		r.weights[n] = int64(w)
	}
}

// refuseRates complains about a scheduler that limits rates, or whose output is not the port: no register says so.
func (r *policyReader) refuseRates(from *ocScheduler, path string) {
	const none = "none: cellwarden limits no rates"
	if c := from.GetConfig(); c != nil && c.Type != 0 {
		r.Add(path+"/config/type", c.Type.String(), none)
	}
	if from.GetOneRateTwoColor().GetConfig() != nil {
		r.Add(path+"/one-rate-two-color/config", "a rate", none)
	}
	if from.GetTwoRateThreeColor().GetConfig() != nil {
		r.Add(path+"/two-rate-three-color/config", "two rates", none)
	}
	if c := from.GetOutput().GetConfig(); c != nil && c.OutputType != 0 && c.OutputType != outputPort {
		r.Add(path+"/output/config/output-type", c.OutputType.String(), "INTERFACE")
	}
}

// queueOf is the number of the queue that an input serves.
func (r *policyReader) queueOf(input *ocInput, path string) (int, bool) {
	if input.InputType != inputQueue {
		r.Add(path+"/config/input-type", enumText(input.InputType), "QUEUE")
		return 0, false
	}
	if input.Queue == nil {
		r.Add(path+"/config/queue", "none", "a queue")
		return 0, false
	}
	n, ok := r.names.Number(*input.Queue)
	if !ok {
		r.Add(path+"/config/queue", strconv.Quote(*input.Queue), "a queue with a number, 0 to 7")
	}
	return n, ok
}

// inputsOf lists the inputs of a scheduler by their ids. An entry without a config container has its id alone.
func inputsOf(from *ocScheduler) (out []*ocInput) {
	all := from.GetInputs()
	if all == nil {
		return nil
	}
	for _, id := range slices.Sorted(maps.Keys(all.Input)) {
		config := all.Input[id].GetConfig()
		if config == nil || config.Id == nil {
			config = &ocInput{Id: &id}
		}
		out = append(out, config)
	}
	return out
}

// weightOf is the weight of an input; 0 if it has none.
func weightOf(input *ocInput) uint64 {
	if input.Weight == nil {
		return 0
	}
	return *input.Weight
}
