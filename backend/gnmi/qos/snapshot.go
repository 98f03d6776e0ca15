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

// Reading takes two steps. First every profile of the switch is read by its name, with its complaints. Then each
// interface is read, and the profiles that it is bound to give the registers of its port.

// Snapshot is what a switch held under /qos when it was read: its registers, and what a SetRequest has to know besides,
// such as the names of its queues and the profiles that others use.
type Snapshot struct {
	target
	ports    map[string]port
	profiles [familyCount]map[string]profile // of the switch, by name

	forwardingGroups   map[string]string   // the output queue of each; empty: two, or none
	groupsOfClassifier map[string][]string // the forwarding groups that a classifier leads to
	boundElsewhere     map[string]bool     // profiles that are bound where cellwarden binds none
	queues             map[string]bool     // the queues that the switch lists
	named              bool                // the names of queues were given, and are not read

	// readForeign: classifiers and scheduler policies of others are read, too. A client reads those of cellwarden alone.
	// Those of others are the state of the device, which is the meaning of the weights and DSCPs that a plan does not set.
	readForeign bool
}

func newSnapshot(t target) *Snapshot {
	s := &Snapshot{target: t, ports: map[string]port{}, forwardingGroups: map[string]string{},
		groupsOfClassifier: map[string][]string{}, boundElsewhere: map[string]bool{}, queues: map[string]bool{}}
	for f := range s.profiles {
		s.profiles[f] = map[string]profile{}
	}
	return s
}

// EmptySnapshot returns the snapshot of a switch that holds nothing. A nil profile is plain OpenConfig's.
func EmptySnapshot(cell cells.Size, p *nos.Profile) *Snapshot {
	return newSnapshot(targetOf(cell, p))
}

// ReadSnapshot reads what a switch holds, for a client: the registers for which the switch's profile has leaves. It
// returns a *buffer.InvalidError with the paths of all that should be a register and cannot be one. A nil profile is
// plain OpenConfig's.
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
	if !s.named {
		s.names = namesOfQueues(qos)
	}
	if all := qos.GetQueues(); all != nil {
		for name := range all.Queue {
			s.queues[name] = true
		}
	}
	if all := qos.GetBufferAllocationProfiles(); all != nil {
		// Inputs and outputs bind profiles of one list: a profile is read as both.
		readProfiles(s, allocations, all.BufferAllocationProfile, s.readAllocation)
		readProfiles(s, minima, all.BufferAllocationProfile, s.readMinima)
	}
	if all := qos.GetQueueManagementProfiles(); all != nil {
		readProfiles(s, curves, all.QueueManagementProfile, s.readCurve)
	}
	if all := qos.GetSchedulerPolicies(); all != nil {
		readProfiles(s, policies, all.SchedulerPolicy, s.readPolicy)
	}
	if s.has(classifiers) {
		s.readClassifiers(qos)
	}
	return buffer.Invalid(s.readBindings(qos))
}

// readProfiles reads the profiles of a family. One that is not to be read is noted with no content: it exists.
func readProfiles[P any, C content](s *Snapshot, f family, all map[string]P,
	read func(name string, from P, bad *fielderr.List) C) {
	if !s.has(f) {
		return
	}
	for name, from := range all {
		var none C
		p := profile{content: none}
		if !s.ownedAlone(f) || owned(name) {
			p.content = read(name, from, &p.complaints)
		}
		s.profiles[f][name] = p
	}
}

// ownedAlone tells whether only cellwarden's own profiles of a family are read: see readForeign.
func (s *Snapshot) ownedAlone(f family) bool {
	return !s.readForeign && (f == policies || f == classifiers)
}

// readClassifiers reads classifiers, and the forwarding groups that they lead to.
func (s *Snapshot) readClassifiers(qos *oc.OpenconfigQos_Qos) {
	if all := qos.GetForwardingGroups(); all != nil {
		for name, g := range all.ForwardingGroup {
			s.forwardingGroups[name] = outputQueue(g)
		}
	}
	if all := qos.GetClassifiers(); all != nil {
		for name, c := range all.Classifier {
			s.groupsOfClassifier[name] = forwardingGroupsOf(c)
		}
		readProfiles(s, classifiers, all.Classifier, s.readClassifier)
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
			r.complaints.Add(pathInterface, `""`, "an interface-id that is not empty")
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

// readPort reads what an interface is bound to. For a client two classifiers that differ give no DSCPs: a register that
// differs from the plan shows that someone changed or unbound one of the two.
func (r *bindingReader) readPort(id string, from *ocInterface) (p port) {
	var dscps [versions]classifier
	for i, s := range slots {
		name := r.bound(from, s)
		if name == nil || !r.has(s.family) {
			continue
		}
		p.names[i] = *name
		switch c := r.resolve(*name, id, s).(type) {
		case allocation:
			p.groups = c
		case queueMinima:
			p.minima = c
		case curve:
			p.curves[s.number] = c
		case queueWeights:
			p.weights = c
		case classifier:
			if dscps[s.number] = c; c.version != s.number && c.dscps != (pg.DSCPMap{}) {
				r.complaints.Add(r.bindingPath(id, s), strconv.Quote(*name),
					"a classifier of type "+versionNames[s.number])
			}
		}
	}
	switch {
	case r.readForeign:
		p.dscps = mergeVersions(dscps, id, &r.complaints)
	case dscps[ipv4].dscps == dscps[ipv6].dscps:
		p.dscps = dscps[ipv4].dscps
	}
	return p
}

// resolve looks up the profile that a place is bound to; nil if there is none. The complaints about a profile are made
// the first time that it is looked up. Where a client reads only its own, what is not there, or cannot be read, has no
// content: the client replaces it if it is its own, and leaves it if not.
func (r *bindingReader) resolve(name, id string, s slot) content {
	p, found := r.profiles[s.family][name]
	if r.ownedAlone(s.family) && len(p.complaints) > 0 {
		return nil
	}
	if !found && !r.ownedAlone(s.family) {
		p.complaints.Add(r.bindingPath(id, s), strconv.Quote(name), "the name of a profile that the switch lists")
	}
	for _, c := range p.complaints.Complaints() {
		if !r.reported[c.Path] {
			r.reported[c.Path] = true
			r.complaints = append(r.complaints, c)
		}
	}
	return p.content
}

// noteForeignBindings notes the profiles that an interface uses where cellwarden binds none, or all of them if
// cellwarden does not bind the interface: they must not be deleted.
func (s *Snapshot) noteForeignBindings(from *ocInterface, ours bool) {
	note := func(name *string, bound bool) {
		if name != nil && !(ours && bound) {
			s.boundElsewhere[*name] = true
		}
	}
	for _, at := range slots {
		note(s.bound(from, at), s.has(at.family))
	}
	in, out := from.GetInput(), from.GetOutput()
	if config := in.GetSchedulerPolicy().GetConfig(); config != nil {
		note(config.Name, false)
	}
	if all := in.GetClassifiers(); all != nil {
		for kind, c := range all.Classifier {
			if config := c.GetConfig(); config != nil && !slices.Contains(boundTypes[:], kind) {
				note(config.Name, false)
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
			if _, numbered := s.names.Number(name); !numbered && queue.GetConfig() != nil {
				note(queue.Config.QueueManagementProfile, false)
			}
		}
	}
}

// Decode reads the registers out of an OpenConfig tree: those of the profiles that interfaces are bound to. Reserved
// bytes round up to cells, thresholds round down. It returns a *buffer.InvalidError with the paths of all that should
// be a register and cannot be one.
//
// Decode reads for a switch: classifiers and scheduler policies count by whomever
// they were made. A client uses ReadSnapshot.
func Decode(root *oc.Root, cell cells.Size) (buffer.Layout, error) {
	s, err := decode(root, newSnapshot(plainOpenConfig(cell)))
	if err != nil {
		return nil, err
	}
	return s.Layout(), nil
}

// DecodeNamed is Decode for a switch that knows the names of its queues and ports by itself.
func DecodeNamed(root *oc.Root, cell cells.Size, names Names) (*Snapshot, error) {
	s := newSnapshot(plainOpenConfig(cell))
	s.names, s.named = names, true
	return decode(root, s)
}

func decode(root *oc.Root, s *Snapshot) (*Snapshot, error) {
	if err := ValidateCell(s.cell); err != nil {
		return nil, err
	}
	s.readForeign = true
	return s, s.read(root)
}

// PathsOf returns the paths by which a configuration asks for a register: of the leaf, of the policy for a weight, or
// of the classifiers for DSCPs, and of what binds the port to it. They are none if the port is bound to no such
// profile.
func (s *Snapshot) PathsOf(r buffer.Register) (paths []string) {
	names := s.ports[r.Port].names
	for i, at := range slots {
		if names[i] == "" || !slices.Contains(families[at.family].kinds, r.Kind) ||
			at.family == curves && at.number != r.Index {
			continue
		}
		path := pathText(families[at.family].profile, names[i])
		switch at.family {
		case allocations, minima:
			path = pathText(s.Rule(r.Kind).Path, names[i], s.queue(r.Index))
		case curves:
			path = pathText(s.Rule(r.Kind).Path, names[i])
		}
		paths = append(paths, path, s.bindingPath(s.interfaceID(r.Port), at))
	}
	return paths
}
