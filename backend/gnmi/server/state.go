package server

import (
	"context"
	"math"
	"reflect"
	"slices"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/openconfig/goyang/pkg/yang"
	"github.com/openconfig/ygot/util"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/cellwarden/cellwarden/backend/gnmi/qos"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/oc"
	"github.com/cellwarden/cellwarden/pg"
	"github.com/cellwarden/cellwarden/unit"
)

// OpenConfig has the leaves of config in state again, and state shows what is in effect. So
// state begins as a copy of config, and is then overwritten with what the device holds.

// mirrorConfig copies every config container into the state container beside it:
// OpenConfig repeats the leaves of config in state. A leaf that state does not have, or has with another type, is left
// out. In ygot's structs a container is a pointer to a struct, and a list is a map of its entries.
func mirrorConfig(v reflect.Value) {
	if config, state := v.Elem().FieldByName("Config"), v.Elem().FieldByName("State"); config.IsValid() &&
		state.IsValid() && !config.IsNil() {
		state.Set(reflect.New(state.Type().Elem()))
		for field, value := range config.Elem().Fields() {
			if to := state.Elem().FieldByName(field.Name); to.IsValid() && to.Type() == value.Type() {
				to.Set(value)
			}
		}
	}
	for field, value := range v.Elem().Fields() {
		switch {
		case value.IsZero() || field.Name == "Config" || field.Name == "State":
		case util.IsTypeStructPtr(field.Type):
			mirrorConfig(value)
		case value.Kind() == reflect.Map:
			for _, entry := range value.Seq2() {
				mirrorConfig(entry)
			}
		}
	}
}

// addMeasured writes what the device holds, in bytes, into the state of the profiles that
// interfaces are bound to. Where several interfaces share a profile, the state is that of
// the last one: they differ only if another program has changed a register. OpenConfig has the probability of a mark
// in whole percents, and the register in hundredths of one.
func addMeasured(tree *oc.Root, names qos.Names, have buffer.Layout, cell cells.Size) {
	for _, i := range interfaces(tree) {
		port := names.Port(*i.InterfaceId)
		for n := range pg.PerPort {
			at := func(k buffer.Kind) int64 {
				return have.Value(buffer.Register{Kind: k, Port: port, Index: n})
			}
			bytes := func(k buffer.Kind) *uint64 { return new(uint64(cell.Bytes(cells.Count(at(k))))) }
			queue := names.Queue(n)
			if share := inputProfile(tree, i).GetQueues().GetQueue(queue).GetState(); share != nil {
				share.DedicatedBuffer = bytes(buffer.GroupReserved)
				setSharedLimit(share, at(buffer.GroupAlpha), cell.Bytes(cells.Count(at(buffer.GroupStatic))))
			}
			if curve := outputProfile(tree, i, queue).GetWred().GetUniform().GetState(); curve != nil {
				curve.MinThreshold, curve.MaxThreshold = bytes(buffer.QueueECNMin), bytes(buffer.QueueECNMax)
				curve.MaxDropProbabilityPercent = new(uint8(at(buffer.QueueECNPMax) / 100))
			}
			if minimum := outputMinima(tree, i).GetQueues().GetQueue(queue).GetState(); minimum != nil {
				minimum.DedicatedBuffer = bytes(buffer.QueueReserved)
			}
		}
		addMeasuredWeights(policy(tree, i), names, port, have)
		for _, of := range []boundType{boundIPv4, boundIPv6} {
			addMeasuredDSCPs(tree, classifier(tree, i, of), names, port, have)
		}
	}
}

// setSharedLimit writes a shared limit into a state container. A static limit of 0 is none. The leaf has 32 bits, so
// that a longer limit is shown as the most that it holds.
func setSharedLimit(share *shareState, alpha int64, static unit.Bytes) {
	share.UseSharedBuffer = new(alpha != buffer.Unset || static > 0)
	// The mirrored config may name the other kind of limit.
	share.SharedBufferLimitType, share.DynamicLimitScalingFactor, share.StaticSharedBufferLimit = 0, nil, nil
	switch {
	case static > 0:
		share.SharedBufferLimitType = oc.OpenconfigQos_SHARED_BUFFER_LIMIT_TYPE_STATIC
		share.StaticSharedBufferLimit = new(uint32(min(static, math.MaxUint32)))
	case alpha != buffer.Unset:
		share.SharedBufferLimitType = oc.OpenconfigQos_SHARED_BUFFER_LIMIT_TYPE_DYNAMIC_BASED_ON_SCALING_FACTOR
		share.DynamicLimitScalingFactor = new(int32(alpha))
	}
}

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

// What Get and Subscribe show is made anew from the configuration, the registers of the
// device, and the counters. Nothing of it is stored, except the leaves for the subscribers of
// one change.

// snapshot is what the switch has at one moment: the configuration, the registers and the counters, all read under one
// lock, so that a Set is in all of them or in none.
type snapshot struct {
	translation *translation  // with the configuration, which is read only
	have        buffer.Layout // the registers; only if state was asked for
	counts      Counts        // the counters; only if state was asked for
}

// snapshot reads the switch. Only this needs the device: trees are made without it, so that deviceLock is held for the
// reading alone. The first snapshot also makes the configuration from the registers: see load. A device that cannot be
// read is UNAVAILABLE, after which a client may try again.
func (s *Server) snapshot(ctx context.Context, state bool) (_ snapshot, err error) {
	if err := lock(ctx, s.deviceLock); err != nil {
		return snapshot{}, err
	}
	defer unlock(s.deviceLock)
	if err := s.load(ctx); err != nil {
		return snapshot{}, err
	}
	now := snapshot{translation: s.translation}
	if !state {
		return now, nil
	}
	if now.have, err = s.device.Observe(ctx); err != nil {
		return now, status.Errorf(codes.Unavailable, "reading %s: %v", s.device.Name(), err)
	}
	if s.opt.Counters == nil {
		return now, nil
	}
	if now.counts, err = s.opt.Counters.Count(ctx); err != nil {
		return now, status.Errorf(codes.Unavailable, "reading the counters of %s: %v", s.device.Name(), err)
	}
	return now, nil
}

// tree returns a copy of the configuration, with the state or without, and with the defaults
// that are in use. It is a copy because the caller removes from it what a request does not select, while other requests
// read the configuration.
func (s *Server) tree(ctx context.Context, kind gpb.GetRequest_DataType) (*oc.Root, error) {
	if gpb.GetRequest_DataType_name[int32(kind)] == "" {
		return nil, status.Errorf(codes.InvalidArgument, "type %d: want ALL, CONFIG, STATE, OPERATIONAL", kind)
	}
	now, err := s.snapshot(ctx, kind != gpb.GetRequest_CONFIG)
	if err == nil {
		err = ended(ctx) // the device may have taken long
	}
	if err != nil {
		return nil, err
	}
	tree, err := copyTree(now.translation.config)
	if err != nil {
		return nil, err
	}
	addDefaults(reflect.ValueOf(tree), root(), false)
	if err := ended(ctx); err != nil {
		return nil, err
	}
	if kind == gpb.GetRequest_CONFIG {
		return tree, nil
	}
	if err := now.addState(tree, s.cell); err != nil {
		return nil, err
	}
	switch kind {
	case gpb.GetRequest_STATE: // also the state that repeats config
		keepLeaves(tree, (*yang.Entry).ReadOnly)
	case gpb.GetRequest_OPERATIONAL: // state that is not configured
		keepLeaves(tree, isOperational)
	}
	return tree, nil
}

// addState fills in the state containers of a copy of the configuration: what is
// configured, and instead of that what the device holds and counts. cell is the size of the chip's cells in bytes, by
// which registers become the bytes of the models.
func (now snapshot) addState(tree *oc.Root, cell cells.Size) error {
	mirrorConfig(reflect.ValueOf(tree))
	r := now.translation
	addCounters(tree, r.names, now.counts, cell)
	if r.device == r.config {
		addMeasured(tree, r.names, now.have, cell)
		return nil
	}
	// What the device does not act on repeats config: the state is made of the rest, and copied from there.
	device, err := copyTree(r.device)
	if err != nil {
		return err
	}
	mirrorConfig(reflect.ValueOf(device))
	addMeasured(device, r.names, now.have, cell)
	copyState(reflect.ValueOf(tree), reflect.ValueOf(device))
	return nil
}

// copyState copies the measured values of a tree into one that has all of it and more: the leaves of state containers
// that differ from config. A leaf that both have with one value is there by mirrorConfig already.
func copyState(onto, from reflect.Value) {
	for field, value := range from.Elem().Fields() {
		to := onto.Elem().FieldByName(field.Name)
		switch {
		case value.IsZero():
		case field.Name == "State":
			copyDifferingLeaves(to, value, from.Elem().FieldByName("Config"))
		case util.IsTypeStructPtr(field.Type):
			copyState(to, value)
		case value.Kind() == reflect.Map:
			for key, item := range value.Seq2() {
				copyState(to.MapIndex(key), item)
			}
		}
	}
}

// copyDifferingLeaves copies the leaves of a state container that differ from the config
// container beside it, and removes those that config alone has.
func copyDifferingLeaves(to, state, config reflect.Value) {
	for field, value := range state.Elem().Fields() {
		asked := reflect.Zero(field.Type)
		if config.IsValid() && !config.IsNil() {
			if same := config.Elem().FieldByName(field.Name); same.IsValid() && same.Type() == field.Type {
				asked = same
			}
		}
		if !reflect.DeepEqual(value.Interface(), asked.Interface()) {
			allocated(to).FieldByName(field.Name).Set(value)
		}
	}
}
