package gnmi

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	gpb "github.com/openconfig/gnmi/proto/gnmi"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/diagnosis"
	"github.com/cellwarden/cellwarden/internal/jsontree"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/nos/sonic"

	"github.com/cellwarden/cellwarden/unit"
)

// counterReader sends a GetRequest, as *gnmi.Client does.
type counterReader interface {
	Get(context.Context, *gpb.GetRequest) (*gpb.GetResponse, error)
}

var _ counterReader = (*Client)(nil)

// ReadCounters reads what a switch has counted for the groups of a plan. cell is the size of the chip's cells. What
// the switch does not have is absent, and reasons say why. The error says that nothing could be read.
func ReadCounters(ctx context.Context, c counterReader, p *nos.Profile, groups []diagnosis.Grant,
	cell unit.Bytes) (_ diagnosis.Sample, reasons []string, err error) {
	r := &reader{ctx: ctx, c: c}
	var out diagnosis.Sample
	if p.Dialect == sonic.System.Name {
		out, err = r.countersDB(groups, cell)
	} else {
		out, err = r.openConfig(p)
	}
	switch {
	case err != nil:
		return out, r.reasons, err
	case len(out.Groups)+len(out.Ports) == 0 && r.first != nil:
		return out, r.reasons, r.first
	}
	return out, r.reasons, nil
}

// reader reads one switch.
type reader struct {
	ctx     context.Context
	c       counterReader
	reasons []string
	first   error // the first request that failed
}

// get sends a Get of some paths. A failure is a reason why something is not known.
func (r *reader) get(prefix *gpb.Path, what string, paths ...*gpb.Path) []*gpb.Notification {
	answer, err := r.c.Get(r.ctx, &gpb.GetRequest{Prefix: prefix, Path: paths, Encoding: gpb.Encoding_JSON_IETF})
	if err != nil {
		why := strings.Join(strings.Fields(err.Error()), " ")
		r.reasons = append(r.reasons, fmt.Sprintf("%s could not be read: %s", what, why))
		if r.first == nil {
			r.first = err
		}
		return nil
	}
	return answer.GetNotification()
}

func pathOf(names ...string) *gpb.Path {
	p := &gpb.Path{}
	for _, n := range names {
		p.Elem = append(p.Elem, &gpb.PathElem{Name: n})
	}
	return p
}

// most is the greatest number of paths in one Get.
const most = 64

// countersDB reads COUNTERS_DB.
func (r *reader) countersDB(groups []diagnosis.Grant, cell unit.Bytes) (diagnosis.Sample, error) {
	db := &gpb.Path{Target: "COUNTERS_DB"}
	var all []map[string]any
	add := func(notes []*gpb.Notification) error {
		objects, err := objectsOf(notes)
		all = append(all, objects...)
		return err
	}
	if err := add(r.get(db, "the counters of ports", pathOf("COUNTERS", "Ethernet*"))); err != nil {
		return diagnosis.Sample{}, err
	}
	marks := pathOf("PERIODIC_WATERMARKS", "Ethernet*", "PriorityGroups")
	if err := add(r.get(db, "the watermarks of groups", marks)); err != nil {
		return diagnosis.Sample{}, err
	}
	if err := add(r.get(db, "the storms of the PFC watchdog", pathOf("COUNTERS", "Ethernet*", "Pfcwd"))); err != nil {
		return diagnosis.Sample{}, err
	}
	ids := r.ids(db, "COUNTERS_PG_NAME_MAP")
	var paths []*gpb.Path
	for _, g := range groups {
		if id, known := ids[g.Port+":"+strconv.Itoa(g.Group)]; known {
			paths = append(paths, pathOf("COUNTERS", id))
		}
	}
	for chunk := range slices.Chunk(paths, most) {
		if err := add(r.get(db, "the drops of groups", chunk...)); err != nil {
			return diagnosis.Sample{}, err
		}
	}
	pools := r.ids(db, "COUNTERS_BUFFER_POOL_NAME_MAP")
	for _, name := range slices.Sorted(maps.Keys(pools)) {
		if strings.Contains(name, "ingress_lossless") { // the pool of headroom, as watermarkstat selects it
			if err := add(r.get(db, "the watermark of "+name, pathOf("PERIODIC_WATERMARKS", pools[name]))); err != nil {
				return diagnosis.Sample{}, err
			}
		}
	}
	named := func(table string, ids map[string]string) {
		names := map[string]any{}
		for name, id := range ids {
			names[name] = id
		}
		all = append(all, map[string]any{table: names})
	}
	named("COUNTERS_PG_NAME_MAP", ids)
	named("COUNTERS_BUFFER_POOL_NAME_MAP", pools)
	out, err := diagnosis.CountersOf(all, diagnosis.CounterOptions{Cell: cell})
	if err != nil {
		return out, fmt.Errorf("COUNTERS_DB: %w", err)
	}
	return out, nil
}

// ids reads a table that gives the ids of names.
func (r *reader) ids(db *gpb.Path, table string) map[string]string {
	out := map[string]string{}
	for _, n := range r.get(db, table, pathOf(table)) {
		for _, u := range n.GetUpdate() {
			tree, err := jsontree.Tree(u.GetVal())
			object, ok := tree.(map[string]any)
			if err != nil || !ok {
				continue
			}
			for name, id := range object {
				if text, ok := id.(string); ok {
					out[name] = text
				}
			}
		}
	}
	return out
}

// objectsOf returns the objects of an answer. The value for one object, whose key is the last element of the path,
// has the fields alone; the value for a wildcard or a virtual path has the objects by their keys.
func objectsOf(notes []*gpb.Notification) (out []map[string]any, err error) {
	for _, n := range notes {
		for _, u := range n.GetUpdate() {
			elems := slices.Concat(n.GetPrefix().GetElem(), u.GetPath().GetElem())
			tree, err := jsontree.Tree(u.GetVal())
			object, ok := tree.(map[string]any)
			if err != nil || !ok {
				return nil, fmt.Errorf("COUNTERS_DB: an answer that is no object: %w", err)
			}
			name := ""
			if len(elems) > 0 {
				name = elems[len(elems)-1].GetName()
			}
			if strings.HasSuffix(name, "*") || name == "PriorityGroups" || name == "Pfcwd" || name == "" {
				out = append(out, object)
				continue
			}
			out = append(out, map[string]any{name: object})
		}
	}
	return out, nil
}

// openConfig reads the counters that OpenConfig has.
func (r *reader) openConfig(p *nos.Profile) (out diagnosis.Sample, _ error) {
	ports := map[string]*diagnosis.PortSample{}
	port := func(name string) *diagnosis.PortSample {
		if ports[name] == nil {
			ports[name] = &diagnosis.PortSample{Port: name}
		}
		return ports[name]
	}
	notes := r.get(&gpb.Path{Origin: "openconfig"}, "/interfaces", pathOf("interfaces"))
	for _, entry := range entries(notes, "interfaces", "interface") {
		name := jsontree.Text(entry["name"])
		if name == "" {
			continue
		}
		s := port(name)
		pauses := below(entry, "ethernet", "state", "counters")
		s.PauseReceived = counter[int64](pauses["in-mac-pause-frames"])
		s.PauseSent = counter[int64](pauses["out-mac-pause-frames"])
		octets := below(entry, "state", "counters")
		s.BytesIn, s.BytesOut = counter[unit.Bytes](octets["in-octets"]), counter[unit.Bytes](octets["out-octets"])
	}
	if _, missing := p.Missing()[buffer.GroupReserved]; missing {
		r.reasons = append(r.reasons, "profile "+p.Name+" has no counters of priority groups in OpenConfig")
	} else {
		out.Groups = r.inputQueues()
	}
	for _, name := range slices.Sorted(maps.Keys(ports)) {
		out.Ports = append(out.Ports, *ports[name])
	}
	return out, nil
}

// inputQueues reads the counters of input queues, which are those of priority groups.
func (r *reader) inputQueues() (out []diagnosis.GroupSample) {
	notes := r.get(&gpb.Path{Origin: "openconfig"}, "/qos/interfaces", pathOf("qos", "interfaces"))
	for _, entry := range entries(notes, "interfaces", "interface") {
		queues, _ := below(entry, "input", "queues")["queue"].([]any)
		for _, q := range queues {
			queue, _ := q.(map[string]any)
			n, err := strconv.Atoi(jsontree.Text(queue["name"]))
			if err != nil || n < 0 || n >= diagnosis.Classes {
				continue
			}
			state := below(queue, "state")
			out = append(out, diagnosis.GroupSample{Port: jsontree.Text(entry["interface-id"]), Group: n,
				Total: counter[unit.Bytes](state["max-queue-len"]), Drops: counter[int64](state["dropped-pkts"])})
		}
	}
	return out
}

// entries returns the entries of a list in the answer for its container.
func entries(notes []*gpb.Notification, container, list string) (out []map[string]any) {
	for _, n := range notes {
		for _, u := range n.GetUpdate() {
			tree, err := jsontree.Tree(u.GetVal())
			if err != nil {
				continue
			}
			tree, _ = jsontree.Models.Unwrap(tree, container)
			object, _ := jsontree.Models.Unqualified(tree).(map[string]any)
			all, _ := object[list].([]any)
			for _, e := range all {
				if entry, ok := e.(map[string]any); ok {
					out = append(out, entry)
				}
			}
		}
	}
	return out
}

// below returns the object at some names below another one, or nil.
func below(object map[string]any, names ...string) map[string]any {
	for _, name := range names {
		object, _ = object[name].(map[string]any)
	}
	return object
}

// counter reads a counter of 64 bits; an absent one has no value.
func counter[T ~int64](leaf any) unit.Optional[T] {
	n, ok := jsontree.Uint(leaf, 64, jsontree.AnyForm)
	if !ok || n > 1<<56 {
		return unit.Optional[T]{}
	}
	return unit.Given(T(n))
}
