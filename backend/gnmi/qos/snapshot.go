package qos

import (
	"maps"
	"slices"
	"strconv"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/internal/oc"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/pg"
)

// Reading takes two steps. First every profile of the switch is read by its name, with its
// complaints. Then each interface is read, and the profiles that it is bound to give the
// registers of its port.

// Snapshot is what a switch held under /qos when it was read: its registers, and
// what a SetRequest has to know besides, such as the names of its queues and the
// profiles that others use.
type Snapshot struct {
	target
	ports map[string]port

	// The profiles of the switch by name.
	allocations map[string]profileContent[allocation]
	curves      map[string]profileContent[curve]
	minima      map[string]profileContent[queueMinima]
	policies    map[string]profileContent[queueWeights]
	classifiers map[string]profileContent[classifier]

	forwardingGroups   map[string]string   // the output queue of each; empty: two, or none
	groupsOfClassifier map[string][]string // the forwarding groups that a classifier leads to
	boundElsewhere     map[string]bool     // profiles that are bound where cellwarden binds none

	// readForeign: classifiers and scheduler policies of others are read, too. A
	// client reads those of cellwarden alone. Those of others are the state of the
	// device, which is the meaning of the weights and DSCPs that a plan does not set.
	readForeign bool
}

func newSnapshot(t target) *Snapshot {
	t.queues = readQueues(nil)
	return &Snapshot{target: t, ports: map[string]port{},
		allocations: map[string]profileContent[allocation]{}, curves: map[string]profileContent[curve]{},
		minima: map[string]profileContent[queueMinima]{}, policies: map[string]profileContent[queueWeights]{},
		classifiers: map[string]profileContent[classifier]{}, forwardingGroups: map[string]string{},
		groupsOfClassifier: map[string][]string{}, boundElsewhere: map[string]bool{}}
}

// EmptySnapshot returns the snapshot of a switch that holds nothing. A nil profile
// is plain OpenConfig's.
func EmptySnapshot(cell cells.Size, p *nos.Profile) *Snapshot {
	return newSnapshot(targetOf(cell, p))
}

// ReadSnapshot reads what a switch holds, for a client: the registers for which
// the switch's profile has leaves. It returns a *buffer.InvalidError with the paths
// of all that should be a register and cannot be one. A nil profile is plain
// OpenConfig's.
func ReadSnapshot(root *oc.Root, cell cells.Size, p *nos.Profile) (*Snapshot, error) {
	s := newSnapshot(targetOf(cell, p))
	if err := s.read(root); err != nil {
		return nil, err
	}
	return s, nil
}

// Layout returns the registers that the switch held.
func (s *Snapshot) Layout() buffer.Layout { return layoutOf(s.ports) }

// read reads the profiles, and then the interfaces that are bound to them.
func (s *Snapshot) read(root *oc.Root) error {
	qos := root.GetQos()
	s.queues = readQueues(qos)
	if all := qos.GetBufferAllocationProfiles(); all != nil {
		for name, p := range all.BufferAllocationProfile {
			// Inputs and outputs bind profiles of one list: a profile is read as both.
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
				s.policies[name] = s.queues.readPolicy(name, p)
			}
		}
	}
	if s.hasDSCPs() {
		s.readClassifiers(qos)
	}
	return buffer.Invalid(s.readBindings(qos))
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
	// A classifier of another user is noted with no content: it exists, and is not read.
	reader := classifierReader{s.queues, s.forwardingGroups}
	for name, c := range all.Classifier {
		s.groupsOfClassifier[name] = forwardingGroupsOf(c)
		s.classifiers[name] = profileContent[classifier]{}
		if s.readForeign || owned(name) {
			s.classifiers[name] = reader.read(name, c)
		}
	}
}

// readBindings reads which interface is bound to which profiles, and returns the
// complaints about the profiles that are bound.
func (s *Snapshot) readBindings(qos *oc.OpenconfigQos_Qos) fielderr.List {
	all := qos.GetInterfaces()
	if all == nil {
		return nil
	}
	r := &bindingReader{Snapshot: s, reported: map[string]bool{}}
	for _, id := range slices.SortedFunc(maps.Keys(all.Interface), buffer.ComparePorts) {
		from := all.Interface[id]
		name, known := s.port(id)
		s.noteForeignBindings(from, known)
		switch {
		case !known:
		case name == "":
			r.complain(pathInterface, `""`, "an interface-id that is not empty")
		default:
			if p := r.readPort(id, from); p != (port{}) {
				s.ports[name] = p
			}
		}
	}
	return r.complaints
}

// bindingReader reads the bindings of interfaces and collects complaints.
type bindingReader struct {
	*Snapshot
	reported   map[string]bool // paths of complaints about profiles: each is made once
	complaints fielderr.List
}

func (r *bindingReader) complain(path, value, accepted string) {
	r.complaints.Add(path, value, accepted)
}

// readPort reads what an interface is bound to.
func (r *bindingReader) readPort(id string, from *ocInterface) (p port) {
	if config := from.GetInput().GetConfig(); r.hasGroups() && config != nil && config.BufferAllocationProfile != nil {
		p.allocationName = *config.BufferAllocationProfile
		p.groups = resolve(r, r.allocations, p.allocationName, pathInput, id)
	}
	for n := range p.curves {
		queue := r.queue(n)
		config := from.GetOutput().GetQueues().GetQueue(queue).GetConfig()
		if r.hasMarking() && config != nil && config.QueueManagementProfile != nil {
			p.curveNames[n] = *config.QueueManagementProfile
			p.curves[n] = resolve(r, r.curves, p.curveNames[n], pathOutput, id, queue)
		}
	}
	config := from.GetOutput().GetConfig()
	if r.hasQueueMinima() && config != nil && config.BufferAllocationProfile != nil {
		p.minimaName = *config.BufferAllocationProfile
		p.minima = resolve(r, r.minima, p.minimaName, pathOut, id)
	}
	if config := from.GetOutput().GetSchedulerPolicy().GetConfig(); r.hasWeights() && config != nil && config.Name != nil {
		p.policyName = *config.Name
		p.weights = resolveOwned(r, r.policies, p.policyName, pathSchedule, id)
	}
	if r.hasDSCPs() {
		r.readClassifiersOf(&p, id, from)
	}
	return p
}

// readClassifiersOf reads the two classifiers of a port. For a client two that
// differ give no DSCPs: a register that differs from the plan shows that someone
// changed or unbound one of the two.
func (r *bindingReader) readClassifiersOf(p *port, id string, from *ocInterface) {
	var bound [versions]classifier
	for v, kind := range boundTypes {
		config := from.GetInput().GetClassifiers().GetClassifier(kind).GetConfig()
		if config == nil || config.Name == nil {
			continue
		}
		p.classifierNames[v] = *config.Name
		bound[v] = resolveOwned(r, r.classifiers, *config.Name, pathClassifyName, id, versionNames[v])
		if bound[v].version != v && bound[v].dscps != (pg.DSCPMap{}) {
			r.complain(pathText(pathClassifyName, id, versionNames[v]), strconv.Quote(*config.Name),
				"a classifier of type "+versionNames[v])
		}
	}
	switch {
	case r.readForeign:
		p.dscps = mergeVersions(bound, id, &r.complaints)
	case bound[ipv4].dscps == bound[ipv6].dscps:
		p.dscps = bound[ipv4].dscps
	}
}

// resolveOwned is resolve for profiles when a client reads only its own. What
// is not there, or cannot be read, has no content: the client replaces it if it is
// its own, and leaves it if not.
func resolveOwned[T any](r *bindingReader, profiles map[string]profileContent[T],
	name, template string, keys ...string) (none T) {
	if p, found := profiles[name]; !r.readForeign && (!found || len(p.complaints) > 0) {
		return none
	}
	return resolve(r, profiles, name, template, keys...)
}

// resolve looks up the profile that a place is bound to. The complaints about a
// profile are made the first time that it is looked up.
func resolve[T any](r *bindingReader, profiles map[string]profileContent[T], name, template string, keys ...string) T {
	p, found := profiles[name]
	if !found {
		p.complain(pathText(template, keys...), strconv.Quote(name), "the name of a profile that the switch lists")
	}
	for _, c := range p.complaints.Complaints() {
		if !r.reported[c.Path] {
			r.reported[c.Path] = true
			r.complaints = append(r.complaints, c)
		}
	}
	return p.content
}

// noteForeignBindings notes the profiles that an interface uses where cellwarden
// binds none, or all of them if cellwarden does not bind the interface: they must
// not be deleted.
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
				_, numbered := s.queues.number(name)
				note(config.QueueManagementProfile, s.hasMarking() && numbered)
			}
		}
	}
}

// Decode reads the registers out of an OpenConfig tree: those of the profiles
// that interfaces are bound to. Reserved bytes round up to cells, thresholds
// round down. It returns a *buffer.InvalidError with the paths of all that
// should be a register and cannot be one.
//
// Decode reads for a switch: classifiers and scheduler policies count by whomever
// they were made. A client uses ReadSnapshot.
func Decode(root *oc.Root, cell cells.Size) (buffer.Layout, error) {
	if err := ValidateCell(cell); err != nil {
		return nil, err
	}
	s := newSnapshot(plainOpenConfig(cell))
	s.readForeign = true
	if err := s.read(root); err != nil {
		return nil, err
	}
	return s.Layout(), nil
}
