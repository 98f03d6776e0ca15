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
	ports, err := portsOf(want, s.target)
	if err != nil {
		return nil, err
	}
	return s.request(ports, before)
}

// request is SetRequest for a layout that was sorted into ports.
func (s *Snapshot) request(want map[string]port, before *Bindings) (*gpb.SetRequest, error) {
	root := treeOf(want, s.target)
	w := &setWriter{seen: s, root: root, allocations: map[string]allocation{}, curves: map[string]curve{}, minima: map[string]queueMinima{},
		policies: map[string]queueWeights{}, classifiers: map[string]classifier{}, out: &gpb.SetRequest{}}
	all := maps.Clone(s.ports)
	maps.Copy(all, want)
	for _, name := range slices.SortedFunc(maps.Keys(all), buffer.ComparePorts) {
		w.bindPort(name, s.keepForeign(name, want[name], before))
	}
	w.sendForwardingGroups()
	sendProfiles(w, pathPG, inputsOnly, w.allocations, s.allocations, root.Qos.GetBufferAllocationProfiles().GetBufferAllocationProfile)
	sendProfiles(w, pathPG, outputsOnly, w.minima, s.minima, root.Qos.GetBufferAllocationProfiles().GetBufferAllocationProfile)
	sendProfiles(w, pathECN, owned, w.curves, s.curves, root.Qos.GetQueueManagementProfiles().GetQueueManagementProfile)
	sendProfiles(w, pathPolicy, owned, w.policies, s.policies, root.Qos.GetSchedulerPolicies().GetSchedulerPolicy)
	sendProfiles(w, pathClassifier, owned, w.classifiers, s.classifiers, root.Qos.GetClassifiers().GetClassifier)
	w.deleteUnusedGroups()
	w.sendQueues()
	return w.out, w.err
}

// keepForeign names the profiles for what a port shall have. If the profile that it
// is bound to, or was before cellwarden came, says just that, it stays: a port
// that does not change is left alone, and undoing restores what was there.
func (s *Snapshot) keepForeign(name string, want port, before *Bindings) port {
	now, first := s.ports[name], before.ports[name]
	want.allocationName = foreignOr(s.allocations, want.allocationName, want.groups, now.allocationName, first.allocationName)
	for n := range want.curves {
		want.curveNames[n] = foreignOr(s.curves, want.curveNames[n], want.curves[n], now.curveNames[n], first.curveNames[n])
	}
	want.minimaName = foreignOr(s.minima, want.minimaName, want.minima, now.minimaName, first.minimaName)
	want.policyName = foreignOr(s.policies, want.policyName, want.weights, now.policyName, first.policyName)
	for v := range want.classifierNames {
		want.classifierNames[v] = foreignOr(s.classifiers, want.classifierNames[v], want.classifier(v), now.classifierNames[v], first.classifierNames[v])
	}
	return want
}

// foreignOr returns the first foreign profile that has the content, else ours.
func foreignOr[T comparable](profiles map[string]profileContent[T], ours string, content T, foreign ...string) string {
	for _, name := range foreign {
		if p, there := profiles[name]; there && !owned(name) && len(p.complaints) == 0 && p.content == content {
			return name
		}
	}
	return ours
}

// owned tells whether a profile is cellwarden's to write.
func owned(profile string) bool { return strings.HasPrefix(profile, ownedPrefix) }

// Inputs and outputs have their profiles in one list.
func inputsOnly(profile string) bool  { return owned(profile) && !outputsOnly(profile) }
func outputsOnly(profile string) bool { return strings.HasPrefix(profile, prefixOut) }

// setWriter collects the operations of one Set.
type setWriter struct {
	seen        *Snapshot
	root        *oc.Root // valid, with everything that may have to be sent
	allocations map[string]allocation
	curves      map[string]curve // what ports are bound to afterwards
	minima      map[string]queueMinima
	policies    map[string]queueWeights
	classifiers map[string]classifier
	out         *gpb.SetRequest
	err         error
}

// bindPort binds an interface to its profiles where it is bound to others.
func (w *setWriter) bindPort(name string, want port) {
	now, changed := w.seen.ports[name], port{}
	w.allocations[want.allocationName] = want.groups
	changed.allocationName = w.rebind(now.allocationName, want.allocationName, pathAt(pathInput, w.seen.interfaceID(name)))
	for n, profile := range want.curveNames {
		w.curves[profile] = want.curves[n]
		changed.curveNames[n] = w.rebind(now.curveNames[n], profile, pathAt(pathOutput, w.seen.interfaceID(name), w.seen.queue(n)))
	}
	w.minima[want.minimaName], w.policies[want.policyName] = want.minima, want.weights
	changed.minimaName = w.rebind(now.minimaName, want.minimaName, pathAt(pathOut, w.seen.interfaceID(name)))
	changed.policyName = w.rebind(now.policyName, want.policyName, pathAt(pathSchedule, w.seen.interfaceID(name)))
	for v, profile := range want.classifierNames {
		w.classifiers[profile] = want.classifier(v)
		changed.classifierNames[v] = w.rebind(now.classifierNames[v], profile, pathAt(pathClassify, w.seen.interfaceID(name), versionNames[v]))
	}
	if changed != (port{}) {
		var qos oc.OpenconfigQos_Qos
		writeBinding(&qos, name, changed, w.seen.target)
		id := w.seen.interfaceID(name)
		w.update(pathAt(pathInterface, id), qos.Interfaces.Interface[id])
	}
}

// rebind returns the profile that a binding has to be given. One that loses its
// profile is deleted, and one that has it is left alone.
func (w *setWriter) rebind(now, want string, binding *gpb.Path) (changed string) {
	if want == "" && now != "" {
		w.delete(binding)
	}
	if want == now {
		return ""
	}
	return want
}

// sendProfiles sends the profiles of ours that the switch has not, or has with
// another content, and deletes those that nothing is bound to any more.
func sendProfiles[T comparable, S ygot.GoStruct](w *setWriter, template string, ours func(string) bool, want map[string]T, seen map[string]profileContent[T],
	from func(string) S) {
	for _, name := range slices.Sorted(maps.Keys(want)) {
		p, there := seen[name]
		if ours(name) && !(there && len(p.complaints) == 0 && p.content == want[name]) {
			w.replace(pathAt(template, name), from(name))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(seen)) {
		if _, used := want[name]; ours(name) && !used && !w.seen.boundElsewhere[name] {
			w.delete(pathAt(template, name))
		}
	}
}

// sendForwardingGroups sends the forwarding groups that the switch has not, or has with
// another queue, before what leads to them.
func (w *setWriter) sendForwardingGroups() {
	for n := range pg.PerPort {
		group := w.root.Qos.GetForwardingGroups().GetForwardingGroup(groupName(n))
		if group != nil && w.seen.forwardingGroups[groupName(n)] != w.seen.queue(n) {
			w.replace(pathAt(pathGroup, groupName(n)), group)
		}
	}
}

// deleteUnusedGroups deletes the forwarding groups of ours that no classifier leads to
// any more.
func (w *setWriter) deleteUnusedGroups() {
	used := map[string]bool{}
	for name, groups := range w.seen.groupsOfClassifier {
		_, wanted := w.classifiers[name]
		for _, group := range groups {
			used[group] = used[group] || wanted || !owned(name) || w.seen.boundElsewhere[name]
		}
	}
	for n := range pg.PerPort {
		name := groupName(n)
		if _, there := w.seen.forwardingGroups[name]; there && !used[name] && w.root.Qos.GetForwardingGroups().GetForwardingGroup(name) == nil {
			w.delete(pathAt(pathGroup, name))
		}
	}
}

// sendQueues defines the queues that the switch has not, before what points at
// them.
func (w *setWriter) sendQueues() {
	all := w.root.Qos.GetQueues()
	if all == nil || len(w.out.Replace)+len(w.out.Update) == 0 {
		return
	}
	others := w.out.Update
	w.out.Update = nil
	for _, name := range slices.Sorted(maps.Keys(all.Queue)) {
		if !w.seen.queues[name] {
			w.update(pathAt(pathQueue, name), all.Queue[name])
		}
	}
	w.out.Update = append(w.out.Update, others...)
}

func (w *setWriter) delete(p *gpb.Path) { w.out.Delete = append(w.out.Delete, p) }

func (w *setWriter) replace(p *gpb.Path, s ygot.GoStruct) {
	w.out.Replace = append(w.out.Replace, &gpb.Update{Path: p, Val: w.value(s)})
}

func (w *setWriter) update(p *gpb.Path, s ygot.GoStruct) {
	w.out.Update = append(w.out.Update, &gpb.Update{Path: p, Val: w.value(s)})
}

// value writes a struct as the JSON of RFC 7951.
func (w *setWriter) value(s ygot.GoStruct) *gpb.TypedValue {
	data, err := ygot.Marshal7951(s, &ygot.RFC7951JSONConfig{AppendModuleName: true})
	w.err = errors.Join(w.err, err)
	return &gpb.TypedValue{Value: &gpb.TypedValue_JsonIetfVal{JsonIetfVal: data}}
}
