package qos

import (
	"errors"
	"maps"
	"slices"
	"strings"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/openconfig/ygot/ygot"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/oc"
	"github.com/cellwarden/cellwarden/pg"
)

// A SetRequest has as few operations as possible: a switch that holds the layout already
// gets none, and a port that does not change is not mentioned.

// Bindings are the profiles that ports were bound to when a switch was first read.
// A SetRequest binds ports to them again where they have the wanted content: that
// is how an undo restores them by name. The zero Bindings know no port.
type Bindings struct{ ports map[string]port }

// Remember adds the ports of a snapshot that are not known yet. Ports that are
// known keep their first profiles, those from before cellwarden wrote any.
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

// SetRequest returns the Set that makes a switch hold a layout: it replaces the
// cellwarden profiles whose content is not there yet, binds the ports whose
// registers change, and deletes the cellwarden profiles that no port uses any more.
// It has no operations if nothing has to change, and no prefix. A port stays bound
// to a profile of another name, or is bound to the one from before, if that has the
// wanted content. A value that the switch cannot hold is refused with
// ErrInexpressible.
//
// A switch makes deletions first, then replacements, then updates, and checks the
// references when all are made.
func (s *Snapshot) SetRequest(want buffer.Layout, before *Bindings) (*gpb.SetRequest, error) {
	ports, err := portsOf(want, s.target)
	if err != nil {
		return nil, err
	}
	root := treeOf(ports, s.target)
	w := &setWriter{seen: s, root: root, allocations: map[string]allocation{}, curves: map[string]curve{},
		minima: map[string]queueMinima{}, policies: map[string]queueWeights{}, classifiers: map[string]classifier{},
		out: &gpb.SetRequest{}}
	all := maps.Clone(s.ports)
	maps.Copy(all, ports)
	for _, name := range slices.SortedFunc(maps.Keys(all), buffer.ComparePorts) {
		w.bindPort(name, s.keepForeign(name, ports[name], before))
	}
	w.sendForwardingGroups()
	// Inputs and outputs share the list of buffer allocation profiles.
	qos := root.Qos
	allocationOf := qos.GetBufferAllocationProfiles().GetBufferAllocationProfile
	sendProfiles(w, pathPG, ownedAllocation, w.allocations, s.allocations, allocationOf)
	sendProfiles(w, pathPG, ownedMinima, w.minima, s.minima, allocationOf)
	sendProfiles(w, pathECN, owned, w.curves, s.curves, qos.GetQueueManagementProfiles().GetQueueManagementProfile)
	sendProfiles(w, pathPolicy, owned, w.policies, s.policies, qos.GetSchedulerPolicies().GetSchedulerPolicy)
	sendProfiles(w, pathClassifier, owned, w.classifiers, s.classifiers, qos.GetClassifiers().GetClassifier)
	w.deleteUnusedGroups()
	w.sendQueues()
	return w.out, w.err
}

// keepForeign names the profiles for what a port shall have. If the profile that
// the port is bound to, or was bound to before, has the wanted content, that one is
// named: a port that does not change is not written.
func (s *Snapshot) keepForeign(name string, want port, before *Bindings) port {
	now, first := s.ports[name], before.ports[name]
	want.allocationName = foreignOr(s.allocations, want.allocationName, want.groups,
		now.allocationName, first.allocationName)
	for n := range want.curves {
		want.curveNames[n] = foreignOr(s.curves, want.curveNames[n], want.curves[n], now.curveNames[n], first.curveNames[n])
	}
	want.minimaName = foreignOr(s.minima, want.minimaName, want.minima, now.minimaName, first.minimaName)
	want.policyName = foreignOr(s.policies, want.policyName, want.weights, now.policyName, first.policyName)
	for v := range want.classifierNames {
		want.classifierNames[v] = foreignOr(s.classifiers, want.classifierNames[v], want.classifier(v),
			now.classifierNames[v], first.classifierNames[v])
	}
	return want
}

// foreignOr returns the first of some names that is the name of another user's
// profile with the wanted content, or else our name.
func foreignOr[T comparable](profiles map[string]profileContent[T], ours string, content T, names ...string) string {
	for _, name := range names {
		if p, there := profiles[name]; there && !owned(name) && usable(p, content) {
			return name
		}
	}
	return ours
}

// Inputs and outputs have their profiles in one list of OpenConfig, so that the
// prefix of a name tells whether it is an allocation or minima.

func ownedAllocation(profile string) bool { return owned(profile) && !ownedMinima(profile) }
func ownedMinima(profile string) bool     { return strings.HasPrefix(profile, prefixMinima) }

// setWriter collects the operations of one Set.
type setWriter struct {
	seen *Snapshot
	root *oc.Root // valid, with everything that may have to be sent

	// The profiles that ports are bound to afterwards.
	allocations map[string]allocation
	curves      map[string]curve
	minima      map[string]queueMinima
	policies    map[string]queueWeights
	classifiers map[string]classifier

	out *gpb.SetRequest
	err error
}

// bindPort binds an interface to the profiles of a port where it is bound to
// others.
func (w *setWriter) bindPort(name string, want port) {
	now, changed, id := w.seen.ports[name], port{}, w.seen.interfaceID(name)
	w.allocations[want.allocationName] = want.groups
	changed.allocationName = w.rebind(now.allocationName, want.allocationName, pathInput, id)
	for n, profile := range want.curveNames {
		w.curves[profile] = want.curves[n]
		changed.curveNames[n] = w.rebind(now.curveNames[n], profile, pathOutput, id, w.seen.queue(n))
	}
	w.minima[want.minimaName], w.policies[want.policyName] = want.minima, want.weights
	changed.minimaName = w.rebind(now.minimaName, want.minimaName, pathOut, id)
	changed.policyName = w.rebind(now.policyName, want.policyName, pathSchedule, id)
	for v, profile := range want.classifierNames {
		w.classifiers[profile] = want.classifier(v)
		changed.classifierNames[v] = w.rebind(now.classifierNames[v], profile, pathClassify, id, versionNames[v])
	}
	if changed != (port{}) {
		var qos oc.OpenconfigQos_Qos
		writeBinding(&qos, name, changed, w.seen.target)
		w.update(pathAt(pathInterface, id), qos.Interfaces.Interface[id])
	}
}

// rebind returns the profile that a binding has to be given; empty if the binding
// has it already. A binding that shall have no profile is deleted. The template with the keys is the
// path of the binding: most bindings stay as they are and need none.
func (w *setWriter) rebind(now, want string, template string, keys ...string) (changed string) {
	if want == "" && now != "" {
		w.delete(pathAt(template, keys...))
	}
	if want == now {
		return ""
	}
	return want
}

// sendProfiles replaces the profiles of ours that the switch has not, or has with
// another content, and deletes those that no port is bound to any more.
func sendProfiles[T comparable, S ygot.GoStruct](w *setWriter, template string, ours func(string) bool,
	want map[string]T, seen map[string]profileContent[T], from func(string) S) {
	for _, name := range slices.Sorted(maps.Keys(want)) {
		p, there := seen[name]
		if ours(name) && !(there && usable(p, want[name])) {
			w.replace(pathAt(template, name), from(name))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(seen)) {
		if _, used := want[name]; ours(name) && !used && !w.seen.boundElsewhere[name] {
			w.delete(pathAt(template, name))
		}
	}
}

// sendForwardingGroups replaces the forwarding groups that the switch has not, or
// has with another queue. They come before the classifiers that lead to them.
func (w *setWriter) sendForwardingGroups() {
	for n := range pg.PerPort {
		group := w.root.Qos.GetForwardingGroups().GetForwardingGroup(groupName(n))
		if group != nil && w.seen.forwardingGroups[groupName(n)] != w.seen.queue(n) {
			w.replace(pathAt(pathGroup, groupName(n)), group)
		}
	}
}

// deleteUnusedGroups deletes the forwarding groups of ours that no classifier leads
// to any more.
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
		_, there := w.seen.forwardingGroups[name]
		if there && !used[name] && w.root.Qos.GetForwardingGroups().GetForwardingGroup(name) == nil {
			w.delete(pathAt(pathGroup, name))
		}
	}
}

// sendQueues adds the queues that the switch does not list. They come before what
// refers to them.
func (w *setWriter) sendQueues() {
	all := w.root.Qos.GetQueues()
	if all == nil || len(w.out.Replace)+len(w.out.Update) == 0 { // nothing refers to a queue
		return
	}
	others := w.out.Update
	w.out.Update = nil
	for _, name := range slices.Sorted(maps.Keys(all.Queue)) {
		if !w.seen.queues.defined[name] {
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
