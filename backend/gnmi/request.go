package gnmi

import (
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/openconfig/ygot/ygot"

	"github.com/cellwarden/cellwarden/backend/gnmi/oc"
	"github.com/cellwarden/cellwarden/buffer"
)

// request is the Set that makes ports of what the switch was seen to hold. A
// switch takes deletions first, then replacements, then updates, and checks
// the references when all are made.
func (c *Client) request(want map[string]port) (*gpb.SetRequest, error) {
	root := tree(want, c.style())
	w := &writer{seen: c.seen, root: root, pgs: map[string]allocation{}, ecns: map[string]curve{}, out: &gpb.SetRequest{Prefix: c.prefix()}}
	all := maps.Clone(c.seen.ports)
	maps.Copy(all, want)
	for _, name := range slices.SortedFunc(maps.Keys(all), buffer.ComparePorts) {
		w.port(name, c.keep(name, want[name]))
	}
	profiles(w, pathPG, w.pgs, c.seen.pgs, root.Qos.GetBufferAllocationProfiles().GetBufferAllocationProfile)
	profiles(w, pathECN, w.ecns, c.seen.ecns, root.Qos.GetQueueManagementProfiles().GetQueueManagementProfile)
	w.queues()
	return w.out, w.err
}

// keep names the profiles for what a port shall have. If the profile that it
// is bound to, or was before cellwarden came, says just that, it stays: a port
// that does not change is left alone, and undoing restores what was there.
func (c *Client) keep(name string, want port) port {
	now, first := c.seen.ports[name], c.original[name]
	want.pg = pick(c.seen.pgs, want.pg, want.groups, now.pg, first.pg)
	for n := range want.queues {
		want.ecn[n] = pick(c.seen.ecns, want.ecn[n], want.queues[n], now.ecn[n], first.ecn[n])
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

// writer collects the operations of one Set.
type writer struct {
	seen *snapshot
	root *oc.Root // valid, with everything that may have to be sent
	pgs  map[string]allocation
	ecns map[string]curve // what ports are bound to afterwards
	out  *gpb.SetRequest
	err  error
}

// port binds an interface to its profiles where it is bound to others.
func (w *writer) port(name string, want port) {
	now, changed := w.seen.ports[name], port{}
	w.pgs[want.pg] = want.groups
	switch {
	case want.pg == now.pg:
	case want.pg == "":
		w.delete(at(pathInput, w.seen.interfaceID(name)))
	default:
		changed.pg = want.pg
	}
	for n, profile := range want.ecn {
		w.ecns[profile] = want.queues[n]
		switch {
		case profile == now.ecn[n]:
		case profile == "":
			w.delete(at(pathOutput, w.seen.interfaceID(name), strconv.Itoa(n)))
		default:
			changed.ecn[n] = profile
		}
	}
	if changed != (port{}) {
		var qos oc.OpenconfigQos_Qos
		bind(&qos, name, changed, w.seen.style)
		id := w.seen.interfaceID(name)
		w.update(at(pathInterface, id), qos.Interfaces.Interface[id])
	}
}

// profiles sends the profiles of ours that the switch has not, or has with
// another content, and deletes those that nothing is bound to any more.
func profiles[T comparable, S ygot.GoStruct](w *writer, template string, want map[string]T, seen map[string]held[T],
	from func(string) S) {
	for _, name := range slices.Sorted(maps.Keys(want)) {
		p, there := seen[name]
		if owned(name) && !(there && len(p.bad) == 0 && p.content == want[name]) {
			w.replace(at(template, name), from(name))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(seen)) {
		if _, used := want[name]; owned(name) && !used && !w.seen.elsewhere[name] {
			w.delete(at(template, name))
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
	data, err := marshal(s)
	w.err = errors.Join(w.err, err)
	return &gpb.TypedValue{Value: &gpb.TypedValue_JsonIetfVal{JsonIetfVal: data}}
}
