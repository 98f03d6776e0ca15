package qos

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/cellwarden/cellwarden/backend/gnmi/oc"
	"github.com/cellwarden/cellwarden/backend/gnmi/profile"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/pg"
	"github.com/cellwarden/cellwarden/unit"
)

// Decode reads the registers out of an OpenConfig tree: those of the profiles
// that interfaces are bound to. Reserved bytes round up to cells, thresholds
// round down. It returns a *buffer.InvalidError with the paths of all that
// should be a register and cannot be one.
func Decode(root *oc.Root, cell cells.Size) (buffer.Layout, error) {
	if err := ValidateCell(cell); err != nil {
		return nil, err
	}
	s := newSnapshot(plainOpenConfig(cell))
	s.readForeign = true
	if err := s.read(root); err != nil {
		return nil, err
	}
	return layoutOf(s.ports), nil
}

// Snapshot is what a switch holds under /qos, by name.
type Snapshot struct {
	target
	ports              map[string]port
	queues             map[string]bool // that are defined
	queueIDs           map[string]int  // queue-ids, by name
	allocations        map[string]profileContent[allocation]
	curves             map[string]profileContent[curve]
	minima             map[string]profileContent[queueMinima]
	policies           map[string]profileContent[queueWeights]
	classifiers        map[string]profileContent[classifier]
	forwardingGroups   map[string]string   // forwarding groups, and the one queue of each
	groupsOfClassifier map[string][]string // which forwarding groups a classifier leads to
	boundElsewhere     map[string]bool     // profiles that are bound where cellwarden binds none

	// whole: classifiers and scheduler policies are read whoever made them. A client
	// reads its own alone: what others made is as the device has it, which is the
	// meaning of weights and DSCPs that no plan sets.
	readForeign bool
}

func newSnapshot(t target) *Snapshot {
	s := &Snapshot{target: t, ports: map[string]port{}, queues: map[string]bool{}, queueIDs: map[string]int{}, boundElsewhere: map[string]bool{},
		allocations: map[string]profileContent[allocation]{}, curves: map[string]profileContent[curve]{}, minima: map[string]profileContent[queueMinima]{},
		policies: map[string]profileContent[queueWeights]{}, classifiers: map[string]profileContent[classifier]{}, forwardingGroups: map[string]string{}, groupsOfClassifier: map[string][]string{}}
	s.queueNames = new([pg.PerPort]string)
	return s
}

// profileContent is the content of a profile, and what of it cannot be read: that
// matters only if a port is bound to it.
type profileContent[T any] struct {
	content    T
	complaints []buffer.Complaint
}

// ReadSnapshot reads what a switch holds, for a client: what the switch's profile has
// leaves for. It returns a *buffer.InvalidError with the paths of all that should
// be a register and cannot be one. A nil profile is plain OpenConfig's.
func ReadSnapshot(root *oc.Root, cell cells.Size, p *profile.Profile) (*Snapshot, error) {
	s := newSnapshot(targetOf(cell, p))
	if err := s.read(root); err != nil {
		return nil, err
	}
	return s, nil
}

// EmptySnapshot returns the snapshot of a switch that holds nothing.
func EmptySnapshot(cell cells.Size, p *profile.Profile) *Snapshot {
	return newSnapshot(targetOf(cell, p))
}

// Layout returns the registers that the switch holds.
func (s *Snapshot) Layout() buffer.Layout { return layoutOf(s.ports) }

func (s *Snapshot) read(root *oc.Root) error {
	qos := root.GetQos()
	s.readQueueIDs(qos)
	if all := qos.GetBufferAllocationProfiles(); all != nil {
		for name, p := range all.BufferAllocationProfile {
			if s.hasGroups() {
				s.allocations[name] = s.readAllocation(name, p)
			}
			if s.hasQueueMinima() {
				s.minima[name] = s.readMinima(name, p)
			}
		}
	}
	if all := qos.GetQueueManagementProfiles(); all != nil && s.hasMarking() {
		for name, p := range all.QueueManagementProfile {
			s.curves[name] = s.readCurve(name, p)
		}
	}
	if all := qos.GetSchedulerPolicies(); all != nil && s.hasWeights() {
		for name, p := range all.SchedulerPolicy {
			s.policies[name] = profileContent[queueWeights]{}
			if s.readForeign || owned(name) {
				s.policies[name] = s.readPolicy(name, p)
			}
		}
	}
	if s.hasDSCPs() {
		s.readClassifiers(qos)
	}
	return complain(s.readBindings(qos))
}

// readClassifiers reads classifiers, and the forwarding groups that they lead to.
func (s *Snapshot) readClassifiers(qos *oc.OpenconfigQos_Qos) {
	if all := qos.GetForwardingGroups(); all != nil {
		for name, g := range all.ForwardingGroup {
			s.forwardingGroups[name] = outputQueue(g)
		}
	}
	all := qos.GetClassifiers()
	if all == nil {
		return
	}
	for name, c := range all.Classifier {
		s.groupsOfClassifier[name] = forwardingGroupsOf(c)
		s.classifiers[name] = profileContent[classifier]{}
		if s.readForeign || owned(name) {
			s.classifiers[name] = s.readClassifier(name, c)
		}
	}
}

// readQueueIDs reads which queue has which number: its queue-id, or the digit that
// is its name.
func (s *Snapshot) readQueueIDs(qos *oc.OpenconfigQos_Qos) {
	all := qos.GetQueues()
	if all == nil {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(all.Queue)) {
		s.queues[name] = true
		if config := all.Queue[name].GetConfig(); config != nil && config.QueueId != nil {
			id := int(*config.QueueId)
			s.queueIDs[name] = id
			if id < pg.PerPort && (s.queueNames[id] == "" || name == strconv.Itoa(id)) {
				s.queueNames[id] = name
			}
		}
	}
}

// queueNumber is the number of a queue, 0 to 7. Queues that have none are somebody
// else's, and so is a digit that is not the number of its queue: then it is 0.
func (s *Snapshot) queueNumber(queue string) (n int, ok bool) {
	id, given := s.queueIDs[queue]
	if !given {
		id, given = digit(queue)
	}
	if !given || id >= pg.PerPort || s.queue(id) != queue {
		return 0, false
	}
	return id, true
}

// digit reads a name that is a number, 0 to 7.
func digit(queue string) (int, bool) {
	if len(queue) != 1 || queue[0] < '0' || queue[0] >= '0'+pg.PerPort {
		return 0, false
	}
	return int(queue[0] - '0'), true
}

// readAllocation reads a buffer allocation profile.
func (s *Snapshot) readAllocation(name string, from *ocPG) (p profileContent[allocation]) {
	for n := range p.content {
		queue := s.queue(n)
		config := from.GetQueues().GetQueue(queue).GetConfig()
		if config == nil {
			continue
		}
		reserved := p.bytes(config.DedicatedBuffer, pathText(pathPGQueue, name, queue)+"/dedicated-buffer")
		p.content[n].reserved = int64(s.cell.Holding(reserved))
		if isTrue(config.UseSharedBuffer) {
			p.sharedLimit(&p.content[n], config, s.cell, pathText(pathPGQueue, name, queue))
		}
	}
	return p
}

// readMinima reads a buffer allocation profile as an output has it.
func (s *Snapshot) readMinima(name string, from *ocPG) (p profileContent[queueMinima]) {
	for n := range p.content {
		queue := s.queue(n)
		if config := from.GetQueues().GetQueue(queue).GetConfig(); config != nil {
			p.content[n] = int64(s.cell.Holding(p.bytes(config.DedicatedBuffer, pathText(pathPGQueue, name, queue)+"/dedicated-buffer")))
		}
	}
	return p
}

// sharedLimit reads the shared limit of a queue, which is dynamic or static. A static
// one rounds down to cells.
func (p *profileContent[T]) sharedLimit(to *groupShare, config *ocShare, cell cells.Size, path string) {
	switch factor, most := config.DynamicLimitScalingFactor, config.StaticSharedBufferLimit; config.SharedBufferLimitType {
	case dynamic:
		if to.dynamic = true; factor == nil {
			p.complain(path+"/dynamic-limit-scaling-factor", "none", "an exponent where the limit is dynamic")
			return
		}
		to.alpha = *factor
	case static:
		if most == nil {
			p.complain(path+"/static-shared-buffer-limit", "none", "bytes where the limit is static; a time is not read")
			return
		}
		to.static = int64(cell.Within(unit.Bytes(*most)))
	default:
		value := "none"
		if config.SharedBufferLimitType != 0 {
			value = config.SharedBufferLimitType.String()
		}
		p.complain(path+"/shared-buffer-limit-type", value, "STATIC or DYNAMIC_BASED_ON_SCALING_FACTOR where use-shared-buffer is true")
	}
}

// readCurve reads a queue management profile. One that does not enable ECN drops
// and does not mark, which gives no registers.
func (s *Snapshot) readCurve(name string, from *ocECN) (p profileContent[curve]) {
	config := from.GetWred().GetUniform().GetConfig()
	if config == nil || !isTrue(config.EnableEcn) {
		return p
	}
	path := pathText(pathCurve, name)
	for i, value := range []*uint64{config.MinThreshold, config.MaxThreshold} {
		if value == nil {
			p.complain(path+[]string{"/min-threshold", "/max-threshold"}[i], "none", "bytes where enable-ecn is true; percents of a queue are not read")
		}
	}
	p.content.low = int64(s.cell.Within(p.bytes(config.MinThreshold, path+"/min-threshold")))
	p.content.high = int64(s.cell.Within(p.bytes(config.MaxThreshold, path+"/max-threshold")))
	if percent := config.MaxDropProbabilityPercent; percent != nil {
		if p.content.percent = *percent; *percent > 100 {
			p.complain(path+"/max-drop-probability-percent", strconv.Itoa(int(*percent)), "0 to 100")
		}
	}
	return p
}

// bytes reads a size; nil is 0.
func (p *profileContent[T]) bytes(v *uint64, path string) unit.Bytes {
	switch {
	case v == nil:
		return 0
	case *v > maxBytes:
		p.complain(path, strconv.FormatUint(*v, 10), fmt.Sprintf("0 to %d bytes", int64(maxBytes)))
		return 0
	default:
		return unit.Bytes(*v)
	}
}

func (p *profileContent[T]) complain(path, value, accepted string) {
	p.complaints = append(p.complaints, buffer.Complaint{Path: path, Value: value, Accepted: accepted})
}

// isTrue reads a leaf that is false when it is absent.
func isTrue(v *bool) bool { return v != nil && *v }

// readBindings reads which interface is bound to what. It returns the complaints
// about what is bound, each profile's once.
func (s *Snapshot) readBindings(qos *oc.OpenconfigQos_Qos) (bad []buffer.Complaint) {
	all := qos.GetInterfaces()
	if all == nil {
		return nil
	}
	told := map[string]bool{}
	for _, id := range slices.SortedFunc(maps.Keys(all.Interface), buffer.ComparePorts) {
		from := all.Interface[id]
		name, known := s.port(id)
		s.noteForeignBindings(from, known)
		if !known {
			continue
		}
		if name == "" {
			bad = append(bad, buffer.Complaint{Path: pathInterface, Value: `""`, Accepted: "an interface-id that is not empty"})
			continue
		}
		var p port
		if config := from.GetInput().GetConfig(); s.hasGroups() && config != nil && config.BufferAllocationProfile != nil {
			p.allocationName = *config.BufferAllocationProfile
			p.groups = resolve(s.allocations, p.allocationName, told, &bad, pathInput, id)
		}
		for n := range p.curves {
			queue := s.queue(n)
			if config := from.GetOutput().GetQueues().GetQueue(queue).GetConfig(); s.hasMarking() && config != nil && config.QueueManagementProfile != nil {
				p.curveNames[n] = *config.QueueManagementProfile
				p.curves[n] = resolve(s.curves, p.curveNames[n], told, &bad, pathOutput, id, queue)
			}
		}
		if config := from.GetOutput().GetConfig(); s.hasQueueMinima() && config != nil && config.BufferAllocationProfile != nil {
			p.minimaName = *config.BufferAllocationProfile
			p.minima = resolve(s.minima, p.minimaName, told, &bad, pathOut, id)
		}
		if config := from.GetOutput().GetSchedulerPolicy().GetConfig(); s.hasWeights() && config != nil && config.Name != nil {
			p.policyName = *config.Name
			p.weights = lookup(s, s.policies, p.policyName, told, &bad, pathSchedule, id)
		}
		if s.hasDSCPs() {
			bad = append(bad, s.readBoundClassifiers(&p, id, from, told)...)
		}
		if p != (port{}) {
			s.ports[name] = p
		}
	}
	return bad
}

// readBoundClassifiers reads the classifiers of a port. To a client two that differ say
// nothing, so that it is seen if somebody changed or unbound one of the two.
func (s *Snapshot) readBoundClassifiers(p *port, id string, from *ocInterface, told map[string]bool) (bad []buffer.Complaint) {
	var have [versions]classifier
	for v, kind := range boundTypes {
		config := from.GetInput().GetClassifiers().GetClassifier(kind).GetConfig()
		if config == nil || config.Name == nil {
			continue
		}
		p.classifierNames[v] = *config.Name
		have[v] = lookup(s, s.classifiers, *config.Name, told, &bad, pathClassifyName, id, versionNames[v])
		if have[v].version != v && have[v].dscps != (pg.DSCPMap{}) {
			bad = append(bad, buffer.Complaint{Path: pathText(pathClassifyName, id, versionNames[v]), Value: strconv.Quote(*config.Name), Accepted: "a classifier of type " + versionNames[v]})
		}
	}
	if s.readForeign {
		return append(bad, p.mergeVersions(have, id)...)
	}
	if have[v4].dscps == have[v6].dscps {
		p.dscps = have[v4].dscps
	}
	return nil
}

// lookup resolves what a path is bound to. A client takes what it cannot read
// for what it does not know: it replaces what is its own, and leaves the rest.
func lookup[T any](s *Snapshot, profiles map[string]profileContent[T], name string, told map[string]bool, bad *[]buffer.Complaint, template string, keys ...string) (none T) {
	if p, found := profiles[name]; !s.readForeign && (!found || len(p.complaints) > 0) {
		return none
	}
	return resolve(profiles, name, told, bad, template, keys...)
}

// resolve looks up the profile that a place is bound to. The names of the two
// kinds of profiles are told apart by their complaints' paths.
func resolve[T any](profiles map[string]profileContent[T], name string, told map[string]bool, bad *[]buffer.Complaint, template string, keys ...string) T {
	p, found := profiles[name]
	if !found {
		p.complain(pathText(template, keys...), strconv.Quote(name), "the name of a profile that the switch lists")
	}
	for _, c := range p.complaints {
		if !told[c.Path] {
			told[c.Path] = true
			*bad = append(*bad, c)
		}
	}
	return p.content
}

// noteForeignBindings notes the profiles that an interface uses where cellwarden binds none,
// or all if the interface is none that it binds: they must not be deleted.
func (s *Snapshot) noteForeignBindings(from *ocInterface, ours bool) {
	note := func(name *string, bound bool) {
		if name != nil && !(ours && bound) {
			s.boundElsewhere[*name] = true
		}
	}
	in, out := from.GetInput(), from.GetOutput()
	if config := in.GetConfig(); config != nil {
		note(config.BufferAllocationProfile, s.hasGroups())
	}
	if config := out.GetConfig(); config != nil {
		note(config.BufferAllocationProfile, s.hasQueueMinima())
	}
	if config := in.GetSchedulerPolicy().GetConfig(); config != nil {
		note(config.Name, false)
	}
	if config := out.GetSchedulerPolicy().GetConfig(); config != nil {
		note(config.Name, s.hasWeights())
	}
	if all := in.GetClassifiers(); all != nil {
		for kind, c := range all.Classifier {
			if config := c.GetConfig(); config != nil {
				note(config.Name, s.hasDSCPs() && slices.Contains(boundTypes[:], kind))
			}
		}
	}
	if all := in.GetQueues(); all != nil {
		for _, queue := range all.Queue {
			if config := queue.GetConfig(); config != nil {
				note(config.QueueManagementProfile, false)
			}
		}
	}
	if all := out.GetQueues(); all != nil {
		for name, queue := range all.Queue {
			if config := queue.GetConfig(); config != nil {
				_, numbered := s.queueNumber(name)
				note(config.QueueManagementProfile, s.hasMarking() && numbered)
			}
		}
	}
}
