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
	s := newSnapshot(strict(cell))
	s.whole = true
	if err := s.read(root); err != nil {
		return nil, err
	}
	return layout(s.ports), nil
}

// Snapshot is what a switch holds under /qos, by name.
type Snapshot struct {
	target
	ports       map[string]port
	queues      map[string]bool // that are defined
	ids         map[string]int  // queue-ids, by name
	pgs         map[string]held[allocation]
	ecns        map[string]held[curve]
	outs        map[string]held[minima]
	policies    map[string]held[weights]
	classifiers map[string]held[classifier]
	groups      map[string]string   // forwarding groups, and the one queue of each
	led         map[string][]string // which forwarding groups a classifier leads to
	elsewhere   map[string]bool     // profiles that are bound where cellwarden binds none

	// whole: classifiers and scheduler policies are read whoever made them. A client
	// reads its own alone: what others made is as the device has it, which is the
	// meaning of weights and DSCPs that no plan sets.
	whole bool
}

func newSnapshot(t target) *Snapshot {
	s := &Snapshot{target: t, ports: map[string]port{}, queues: map[string]bool{}, ids: map[string]int{}, elsewhere: map[string]bool{},
		pgs: map[string]held[allocation]{}, ecns: map[string]held[curve]{}, outs: map[string]held[minima]{},
		policies: map[string]held[weights]{}, classifiers: map[string]held[classifier]{}, groups: map[string]string{}, led: map[string][]string{}}
	s.names = new([pg.PerPort]string)
	return s
}

// held is the content of a profile, and what of it cannot be read: that
// matters only if a port is bound to it.
type held[T any] struct {
	content T
	bad     []buffer.Complaint
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
func (s *Snapshot) Layout() buffer.Layout { return layout(s.ports) }

func (s *Snapshot) read(root *oc.Root) error {
	qos := root.GetQos()
	s.numbers(qos)
	if all := qos.GetBufferAllocationProfiles(); all != nil {
		for name, p := range all.BufferAllocationProfile {
			if s.allocates() {
				s.pgs[name] = s.allocation(name, p)
			}
			if s.reserves() {
				s.outs[name] = s.minima(name, p)
			}
		}
	}
	if all := qos.GetQueueManagementProfiles(); all != nil && s.marks() {
		for name, p := range all.QueueManagementProfile {
			s.ecns[name] = s.curve(name, p)
		}
	}
	if all := qos.GetSchedulerPolicies(); all != nil && s.schedules() {
		for name, p := range all.SchedulerPolicy {
			s.policies[name] = held[weights]{}
			if s.whole || owned(name) {
				s.policies[name] = s.policy(name, p)
			}
		}
	}
	if s.classifies() {
		s.classify(qos)
	}
	return complain(s.bindings(qos))
}

// classify reads classifiers, and the forwarding groups that they lead to.
func (s *Snapshot) classify(qos *oc.OpenconfigQos_Qos) {
	if all := qos.GetForwardingGroups(); all != nil {
		for name, g := range all.ForwardingGroup {
			s.groups[name] = outputQueue(g)
		}
	}
	all := qos.GetClassifiers()
	if all == nil {
		return
	}
	for name, c := range all.Classifier {
		s.led[name] = targets(c)
		s.classifiers[name] = held[classifier]{}
		if s.whole || owned(name) {
			s.classifiers[name] = s.classifier(name, c)
		}
	}
}

// numbers reads which queue has which number: its queue-id, or the digit that
// is its name.
func (s *Snapshot) numbers(qos *oc.OpenconfigQos_Qos) {
	all := qos.GetQueues()
	if all == nil {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(all.Queue)) {
		s.queues[name] = true
		if config := all.Queue[name].GetConfig(); config != nil && config.QueueId != nil {
			id := int(*config.QueueId)
			s.ids[name] = id
			if id < pg.PerPort && (s.names[id] == "" || name == strconv.Itoa(id)) {
				s.names[id] = name
			}
		}
	}
}

// number is the number of a queue, 0 to 7. Queues that have none are somebody
// else's, and so is a digit that is not the number of its queue: then it is 0.
func (s *Snapshot) number(queue string) (n int, ok bool) {
	id, given := s.ids[queue]
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

// allocation reads a buffer allocation profile.
func (s *Snapshot) allocation(name string, from *ocPG) (p held[allocation]) {
	for n := range p.content {
		queue := s.queue(n)
		config := from.GetQueues().GetQueue(queue).GetConfig()
		if config == nil {
			continue
		}
		reserved := p.bytes(config.DedicatedBuffer, text(pathPGQueue, name, queue)+"/dedicated-buffer")
		p.content[n].reserved = int64(s.cell.Holding(reserved))
		if is(config.UseSharedBuffer) {
			p.limit(&p.content[n], config, s.cell, text(pathPGQueue, name, queue))
		}
	}
	return p
}

// minima reads a buffer allocation profile as an output has it.
func (s *Snapshot) minima(name string, from *ocPG) (p held[minima]) {
	for n := range p.content {
		queue := s.queue(n)
		if config := from.GetQueues().GetQueue(queue).GetConfig(); config != nil {
			p.content[n] = int64(s.cell.Holding(p.bytes(config.DedicatedBuffer, text(pathPGQueue, name, queue)+"/dedicated-buffer")))
		}
	}
	return p
}

// limit reads the shared limit of a queue, which is dynamic or static. A static
// one rounds down to cells.
func (p *held[T]) limit(to *share, config *ocShare, cell cells.Size, path string) {
	switch factor, most := config.DynamicLimitScalingFactor, config.StaticSharedBufferLimit; config.SharedBufferLimitType {
	case dynamic:
		if to.shared = true; factor == nil {
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

// curve reads a queue management profile. One that does not enable ECN drops
// and does not mark, which gives no registers.
func (s *Snapshot) curve(name string, from *ocECN) (p held[curve]) {
	config := from.GetWred().GetUniform().GetConfig()
	if config == nil || !is(config.EnableEcn) {
		return p
	}
	path := text(pathCurve, name)
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
func (p *held[T]) bytes(v *uint64, path string) unit.Bytes {
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

func (p *held[T]) complain(path, value, accepted string) {
	p.bad = append(p.bad, buffer.Complaint{Path: path, Value: value, Accepted: accepted})
}

// is reads a leaf that is false when it is absent.
func is(v *bool) bool { return v != nil && *v }

// bindings reads which interface is bound to what. It returns the complaints
// about what is bound, each profile's once.
func (s *Snapshot) bindings(qos *oc.OpenconfigQos_Qos) (bad []buffer.Complaint) {
	all := qos.GetInterfaces()
	if all == nil {
		return nil
	}
	told := map[string]bool{}
	for _, id := range slices.SortedFunc(maps.Keys(all.Interface), buffer.ComparePorts) {
		from := all.Interface[id]
		name, known := s.port(id)
		s.others(from, known)
		if !known {
			continue
		}
		if name == "" {
			bad = append(bad, buffer.Complaint{Path: pathInterface, Value: `""`, Accepted: "an interface-id that is not empty"})
			continue
		}
		var p port
		if config := from.GetInput().GetConfig(); s.allocates() && config != nil && config.BufferAllocationProfile != nil {
			p.pg = *config.BufferAllocationProfile
			p.groups = resolve(s.pgs, p.pg, told, &bad, pathInput, id)
		}
		for n := range p.queues {
			queue := s.queue(n)
			if config := from.GetOutput().GetQueues().GetQueue(queue).GetConfig(); s.marks() && config != nil && config.QueueManagementProfile != nil {
				p.ecn[n] = *config.QueueManagementProfile
				p.queues[n] = resolve(s.ecns, p.ecn[n], told, &bad, pathOutput, id, queue)
			}
		}
		if config := from.GetOutput().GetConfig(); s.reserves() && config != nil && config.BufferAllocationProfile != nil {
			p.out = *config.BufferAllocationProfile
			p.minima = resolve(s.outs, p.out, told, &bad, pathOut, id)
		}
		if config := from.GetOutput().GetSchedulerPolicy().GetConfig(); s.schedules() && config != nil && config.Name != nil {
			p.policy = *config.Name
			p.weights = lookup(s, s.policies, p.policy, told, &bad, pathSchedule, id)
		}
		if s.classifies() {
			bad = append(bad, s.points(&p, id, from, told)...)
		}
		if p != (port{}) {
			s.ports[name] = p
		}
	}
	return bad
}

// points reads the classifiers of a port. To a client two that differ say
// nothing, so that it is seen if somebody changed or unbound one of the two.
func (s *Snapshot) points(p *port, id string, from *ocInterface, told map[string]bool) (bad []buffer.Complaint) {
	var have [versions]classifier
	for v, kind := range boundTypes {
		config := from.GetInput().GetClassifiers().GetClassifier(kind).GetConfig()
		if config == nil || config.Name == nil {
			continue
		}
		p.classifiers[v] = *config.Name
		have[v] = lookup(s, s.classifiers, *config.Name, told, &bad, pathClassifyName, id, versionNames[v])
		if have[v].version != v && have[v].points != (pg.DSCPMap{}) {
			bad = append(bad, buffer.Complaint{Path: text(pathClassifyName, id, versionNames[v]), Value: strconv.Quote(*config.Name), Accepted: "a classifier of type " + versionNames[v]})
		}
	}
	if s.whole {
		return append(bad, p.both(have, id)...)
	}
	if have[v4].points == have[v6].points {
		p.points = have[v4].points
	}
	return nil
}

// lookup resolves what a path is bound to. A client takes what it cannot read
// for what it does not know: it replaces what is its own, and leaves the rest.
func lookup[T any](s *Snapshot, profiles map[string]held[T], name string, told map[string]bool, bad *[]buffer.Complaint, template string, keys ...string) (none T) {
	if p, found := profiles[name]; !s.whole && (!found || len(p.bad) > 0) {
		return none
	}
	return resolve(profiles, name, told, bad, template, keys...)
}

// resolve looks up the profile that a place is bound to. The names of the two
// kinds of profiles are told apart by their complaints' paths.
func resolve[T any](profiles map[string]held[T], name string, told map[string]bool, bad *[]buffer.Complaint, template string, keys ...string) T {
	p, found := profiles[name]
	if !found {
		p.complain(text(template, keys...), strconv.Quote(name), "the name of a profile that the switch lists")
	}
	for _, c := range p.bad {
		if !told[c.Path] {
			told[c.Path] = true
			*bad = append(*bad, c)
		}
	}
	return p.content
}

// others notes the profiles that an interface uses where cellwarden binds none,
// or all if the interface is none that it binds: they must not be deleted.
func (s *Snapshot) others(from *ocInterface, ours bool) {
	note := func(name *string, bound bool) {
		if name != nil && !(ours && bound) {
			s.elsewhere[*name] = true
		}
	}
	in, out := from.GetInput(), from.GetOutput()
	if config := in.GetConfig(); config != nil {
		note(config.BufferAllocationProfile, s.allocates())
	}
	if config := out.GetConfig(); config != nil {
		note(config.BufferAllocationProfile, s.reserves())
	}
	if config := in.GetSchedulerPolicy().GetConfig(); config != nil {
		note(config.Name, false)
	}
	if config := out.GetSchedulerPolicy().GetConfig(); config != nil {
		note(config.Name, s.schedules())
	}
	if all := in.GetClassifiers(); all != nil {
		for kind, c := range all.Classifier {
			if config := c.GetConfig(); config != nil {
				note(config.Name, s.classifies() && slices.Contains(boundTypes[:], kind))
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
				_, numbered := s.number(name)
				note(config.QueueManagementProfile, s.marks() && numbered)
			}
		}
	}
}
