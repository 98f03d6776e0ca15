package qos

import (
	"errors"
	"maps"
	"slices"
	"strings"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/openconfig/ygot/ygot"

	"github.com/cellwarden/cellwarden/backend/gnmi/oc"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/pg"
)

// Bindings are the profiles that ports were bound to when they were first read:
// what an undo binds them to again. The zero Bindings know no port.
type Bindings struct{ ports map[string]port }

// Remember adds the ports of a snapshot that are not known yet. What is known
// stays: the first profiles are those from before cellwarden came.
func (b *Bindings) Remember(s *Snapshot) {
	if b.ports == nil {
		b.ports = map[string]port{}
	}
	for name, p := range s.ports {
		if _, known := b.ports[name]; !known {
			b.ports[name] = p
		}
	}
}

// SetRequest returns the Set that makes a layout of what a switch held when it
// was read; one without operations if nothing has to change. It has no prefix.
// Where a profile of before says just what is wanted, ports are bound to that. A
// value that the switch cannot hold is refused with ErrInexpressible.
//
// A switch takes deletions first, then replacements, then updates, and checks
// the references when all are made.
func (s *Snapshot) SetRequest(want buffer.Layout, before *Bindings) (*gpb.SetRequest, error) {
	ports, err := content(want, s.target)
	if err != nil {
		return nil, err
	}
	return s.request(ports, before)
}

// request is SetRequest for a layout that was sorted into ports.
func (s *Snapshot) request(want map[string]port, before *Bindings) (*gpb.SetRequest, error) {
	root := tree(want, s.target)
	w := &writer{seen: s, root: root, pgs: map[string]allocation{}, ecns: map[string]curve{}, outs: map[string]minima{},
		policies: map[string]weights{}, classifiers: map[string]classifier{}, out: &gpb.SetRequest{}}
	all := maps.Clone(s.ports)
	maps.Copy(all, want)
	for _, name := range slices.SortedFunc(maps.Keys(all), buffer.ComparePorts) {
		w.port(name, s.keep(name, want[name], before))
	}
	w.groups()
	profiles(w, pathPG, inputsOnly, w.pgs, s.pgs, root.Qos.GetBufferAllocationProfiles().GetBufferAllocationProfile)
	profiles(w, pathPG, outputsOnly, w.outs, s.outs, root.Qos.GetBufferAllocationProfiles().GetBufferAllocationProfile)
	profiles(w, pathECN, owned, w.ecns, s.ecns, root.Qos.GetQueueManagementProfiles().GetQueueManagementProfile)
	profiles(w, pathPolicy, owned, w.policies, s.policies, root.Qos.GetSchedulerPolicies().GetSchedulerPolicy)
	profiles(w, pathClassifier, owned, w.classifiers, s.classifiers, root.Qos.GetClassifiers().GetClassifier)
	w.emptyGroups()
	w.queues()
	return w.out, w.err
}

// keep names the profiles for what a port shall have. If the profile that it
// is bound to, or was before cellwarden came, says just that, it stays: a port
// that does not change is left alone, and undoing restores what was there.
func (s *Snapshot) keep(name string, want port, before *Bindings) port {
	now, first := s.ports[name], before.ports[name]
	want.pg = pick(s.pgs, want.pg, want.groups, now.pg, first.pg)
	for n := range want.queues {
		want.ecn[n] = pick(s.ecns, want.ecn[n], want.queues[n], now.ecn[n], first.ecn[n])
	}
	want.out = pick(s.outs, want.out, want.minima, now.out, first.out)
	want.policy = pick(s.policies, want.policy, want.weights, now.policy, first.policy)
	for v := range want.classifiers {
		want.classifiers[v] = pick(s.classifiers, want.classifiers[v], want.classifier(v), now.classifiers[v], first.classifiers[v])
	}
	return want
}

// pick returns the first foreign profile that has the content, else ours.
func pick[T comparable](profiles map[string]held[T], ours string, content T, foreign ...string) string {
	for _, name := range foreign {
		if p, there := profiles[name]; there && !owned(name) && len(p.bad) == 0 && p.content == content {
			return name
		}
	}
	return ours
}

// owned tells whether a profile is cellwarden's to write.
func owned(profile string) bool { return strings.HasPrefix(profile, prefix) }

// Inputs and outputs have their profiles in one list.
func inputsOnly(profile string) bool  { return owned(profile) && !outputsOnly(profile) }
func outputsOnly(profile string) bool { return strings.HasPrefix(profile, prefixOut) }

// writer collects the operations of one Set.
type writer struct {
	seen        *Snapshot
	root        *oc.Root // valid, with everything that may have to be sent
	pgs         map[string]allocation
	ecns        map[string]curve // what ports are bound to afterwards
	outs        map[string]minima
	policies    map[string]weights
	classifiers map[string]classifier
	out         *gpb.SetRequest
	err         error
}

// port binds an interface to its profiles where it is bound to others.
func (w *writer) port(name string, want port) {
	now, changed := w.seen.ports[name], port{}
	w.pgs[want.pg] = want.groups
	changed.pg = w.rebind(now.pg, want.pg, at(pathInput, w.seen.interfaceID(name)))
	for n, profile := range want.ecn {
		w.ecns[profile] = want.queues[n]
		changed.ecn[n] = w.rebind(now.ecn[n], profile, at(pathOutput, w.seen.interfaceID(name), w.seen.queue(n)))
	}
	w.outs[want.out], w.policies[want.policy] = want.minima, want.weights
	changed.out = w.rebind(now.out, want.out, at(pathOut, w.seen.interfaceID(name)))
	changed.policy = w.rebind(now.policy, want.policy, at(pathSchedule, w.seen.interfaceID(name)))
	for v, profile := range want.classifiers {
		w.classifiers[profile] = want.classifier(v)
		changed.classifiers[v] = w.rebind(now.classifiers[v], profile, at(pathClassify, w.seen.interfaceID(name), versionNames[v]))
	}
	if changed != (port{}) {
		var qos oc.OpenconfigQos_Qos
		bind(&qos, name, changed, w.seen.target)
		id := w.seen.interfaceID(name)
		w.update(at(pathInterface, id), qos.Interfaces.Interface[id])
	}
}

// rebind returns the profile that a binding has to be given. One that loses its
// profile is deleted, and one that has it is left alone.
func (w *writer) rebind(now, want string, binding *gpb.Path) (changed string) {
	if want == "" && now != "" {
		w.delete(binding)
	}
	if want == now {
		return ""
	}
	return want
}

// profiles sends the profiles of ours that the switch has not, or has with
// another content, and deletes those that nothing is bound to any more.
func profiles[T comparable, S ygot.GoStruct](w *writer, template string, ours func(string) bool, want map[string]T, seen map[string]held[T],
	from func(string) S) {
	for _, name := range slices.Sorted(maps.Keys(want)) {
		p, there := seen[name]
		if ours(name) && !(there && len(p.bad) == 0 && p.content == want[name]) {
			w.replace(at(template, name), from(name))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(seen)) {
		if _, used := want[name]; ours(name) && !used && !w.seen.elsewhere[name] {
			w.delete(at(template, name))
		}
	}
}

// groups sends the forwarding groups that the switch has not, or has with
// another queue, before what leads to them.
func (w *writer) groups() {
	for n := range pg.PerPort {
		group := w.root.Qos.GetForwardingGroups().GetForwardingGroup(groupName(n))
		if group != nil && w.seen.groups[groupName(n)] != w.seen.queue(n) {
			w.replace(at(pathGroup, groupName(n)), group)
		}
	}
}

// emptyGroups deletes the forwarding groups of ours that no classifier leads to
// any more.
func (w *writer) emptyGroups() {
	used := map[string]bool{}
	for name, groups := range w.seen.led {
		_, wanted := w.classifiers[name]
		for _, group := range groups {
			used[group] = used[group] || wanted || !owned(name) || w.seen.elsewhere[name]
		}
	}
	for n := range pg.PerPort {
		name := groupName(n)
		if _, there := w.seen.groups[name]; there && !used[name] && w.root.Qos.GetForwardingGroups().GetForwardingGroup(name) == nil {
			w.delete(at(pathGroup, name))
		}
	}
}

// queues defines the queues that the switch has not, before what points at
// them.
func (w *writer) queues() {
	all := w.root.Qos.GetQueues()
	if all == nil || len(w.out.Replace)+len(w.out.Update) == 0 {
		return
	}
	others := w.out.Update
	w.out.Update = nil
	for _, name := range slices.Sorted(maps.Keys(all.Queue)) {
		if !w.seen.queues[name] {
			w.update(at(pathQueue, name), all.Queue[name])
		}
	}
	w.out.Update = append(w.out.Update, others...)
}

func (w *writer) delete(p *gpb.Path) { w.out.Delete = append(w.out.Delete, p) }

func (w *writer) replace(p *gpb.Path, s ygot.GoStruct) {
	w.out.Replace = append(w.out.Replace, &gpb.Update{Path: p, Val: w.value(s)})
}

func (w *writer) update(p *gpb.Path, s ygot.GoStruct) {
	w.out.Update = append(w.out.Update, &gpb.Update{Path: p, Val: w.value(s)})
}

// value writes a struct as the JSON of RFC 7951.
func (w *writer) value(s ygot.GoStruct) *gpb.TypedValue {
	data, err := ygot.Marshal7951(s, &ygot.RFC7951JSONConfig{AppendModuleName: true})
	w.err = errors.Join(w.err, err)
	return &gpb.TypedValue{Value: &gpb.TypedValue_JsonIetfVal{JsonIetfVal: data}}
}
