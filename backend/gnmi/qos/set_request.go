package qos

import (
	"errors"
	"maps"
	"slices"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/openconfig/ygot/ygot"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/oc"
	"github.com/cellwarden/cellwarden/pg"
)

// A SetRequest has as few operations as possible: a switch that holds the layout already
// gets none, and a port that does not change is not mentioned.

// Bindings are the profiles that ports were bound to when a switch was first read. A SetRequest binds ports to them
// again where they have the wanted content: that is how an undo restores them by name. The zero Bindings know no port.
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

// SetRequest returns the Set that makes a switch hold a layout: it replaces the cellwarden profiles whose content is
// not there yet, binds the ports whose registers change, and deletes the cellwarden profiles that no port uses any
// more. It has no operations if nothing has to change, and no prefix. A port stays bound to a profile of another name,
// or is bound to the one from before, if that has the wanted content. A value that the switch cannot hold is refused
// with ErrInexpressible.
//
// A switch makes deletions first, then replacements, then updates, and checks the references when all are made.
func (s *Snapshot) SetRequest(want buffer.Layout, before *Bindings) (*gpb.SetRequest, error) {
	ports, err := portsOf(want, s.target)
	if err != nil {
		return nil, err
	}
	w := &setWriter{seen: s, root: treeOf(ports, s.target), out: &gpb.SetRequest{}}
	for f := range w.bound {
		w.bound[f] = map[string]content{}
	}
	all := maps.Clone(s.ports)
	maps.Copy(all, ports)
	for _, name := range slices.SortedFunc(maps.Keys(all), buffer.ComparePorts) {
		w.bindPort(name, s.keepForeign(name, ports[name], before))
	}
	w.sendForwardingGroups()
	for f := range familyCount {
		w.sendProfiles(f)
	}
	w.deleteUnusedGroups()
	w.sendQueues()
	return w.out, w.err
}

// keepForeign names the profiles for what a port shall have. If the profile of another user that the port is bound to,
// or was bound to before, has the wanted content, that one is named: a port that does not change is not written.
func (s *Snapshot) keepForeign(name string, want port, before *Bindings) port {
	now, first := s.ports[name], before.ports[name]
	for i, at := range slots {
		keeps := func(name string) bool {
			p, there := s.profiles[at.family][name]
			return there && !owned(name) && p.says(want.content(at))
		}
		if keeps(now.names[i]) {
			want.names[i] = now.names[i]
		} else if keeps(first.names[i]) {
			want.names[i] = first.names[i]
		}
	}
	return want
}

// setWriter collects the operations of one Set.
type setWriter struct {
	seen  *Snapshot
	root  *oc.Root                        // valid, with everything that may have to be sent
	bound [familyCount]map[string]content // the profiles that ports are bound to afterwards
	out   *gpb.SetRequest
	err   error
}

// bindPort binds an interface to the profiles of a port where it is bound to
// others. A binding that shall have no profile is deleted.
func (w *setWriter) bindPort(name string, want port) {
	now, changed, id := w.seen.ports[name].names, port{}.names, w.seen.interfaceID(name)
	for i, s := range slots {
		profile := want.names[i]
		w.bound[s.family][profile] = want.content(s)
		switch {
		case profile == now[i]:
		case profile == "":
			w.delete(pathAt(families[s.family].binding, w.seen.bindingKeys(id, s)...))
		default:
			changed[i] = profile
		}
	}
	if changed != (port{}.names) {
		var qos oc.OpenconfigQos_Qos
		writeBindings(&qos, name, changed, w.seen.target)
		w.update(pathAt(pathInterface, id), qos.Interfaces.Interface[id])
	}
}

// sendProfiles replaces the profiles of ours that the switch has not, or has with
// another content, and deletes those that no port is bound to any more.
func (w *setWriter) sendProfiles(f family) {
	want, seen := w.bound[f], w.seen.profiles[f]
	for _, name := range slices.Sorted(maps.Keys(want)) {
		p, there := seen[name]
		if f.owns(name) && !(there && p.says(want[name])) {
			w.replace(pathAt(families[f].profile, name), f.in(w.root.Qos, name))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(seen)) {
		if _, used := want[name]; f.owns(name) && !used && !w.seen.boundElsewhere[name] {
			w.delete(pathAt(families[f].profile, name))
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

// deleteUnusedGroups deletes the forwarding groups of ours that no classifier leads to any more.
func (w *setWriter) deleteUnusedGroups() {
	used := map[string]bool{}
	for name, groups := range w.seen.groupsOfClassifier {
		_, wanted := w.bound[classifiers][name]
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

// sendQueues adds the queues that the switch does not list. They come before what refers to them.
func (w *setWriter) sendQueues() {
	all := w.root.Qos.GetQueues()
	if all == nil || len(w.out.Replace)+len(w.out.Update) == 0 { // nothing refers to a queue
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
