package gnmi

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

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
//
// A SONiC switch is asked for the tables of names of its COUNTERS_DB (sonic-gnmi 5ec1c20b, db_client.go), and then for
// the ports, groups, queues and headroom pools of the plan by the ids that these tables give. Every other switch is
// asked for OpenConfig's counters. Of these only the simulated switch counts for
// priority groups: its input queue n is group n, which is cellwarden's convention. OpenConfig has one watermark
// for all that a queue holds, and counts pause frames by port.
func ReadCounters(ctx context.Context, c counterReader, p *nos.Profile, groups []diagnosis.Grant,
	cell unit.Bytes) (out diagnosis.Sample, reasons []string, err error) {
	r := &reader{ctx: ctx, c: c}
	if p.Dialect == sonic.System.Name {
		out, err = r.countersDB(groups, cell)
	} else {
		out = r.openConfig(p)
	}
	if err == nil && len(out.Groups)+len(out.Ports) == 0 {
		err = r.first
	}
	return out, r.reasons, err
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
	answer, err := r.ask(prefix, paths...)
	if err != nil {
		r.failed(what, err)
	}
	return answer.GetNotification()
}

// ask sends a Get of some paths.
func (r *reader) ask(prefix *gpb.Path, paths ...*gpb.Path) (*gpb.GetResponse, error) {
	return r.c.Get(r.ctx, &gpb.GetRequest{Prefix: prefix, Path: paths, Encoding: gpb.Encoding_JSON_IETF})
}

// failed notes why something is not known.
func (r *reader) failed(what string, err error) {
	why := strings.Join(strings.Fields(err.Error()), " ")
	r.reasons = append(r.reasons, fmt.Sprintf("%s could not be read: %s", what, why))
	if r.first == nil {
		r.first = err
	}
}

func pathOf(names ...string) *gpb.Path {
	p := &gpb.Path{}
	for _, n := range names {
		p.Elem = append(p.Elem, &gpb.PathElem{Name: n})
	}
	return p
}

// openConfig reads the counters that OpenConfig has.
func (r *reader) openConfig(p *nos.Profile) (out diagnosis.Sample) {
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
	return out
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
	for _, v := range jsontree.Updates(notes) {
		tree, err := jsontree.Tree(v)
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

const (
	most   = 64 // paths in one Get
	absent = 8  // objects in turn that are not there, after which a table is given up
)

// counterTables is the target that has the tables of counters.
var counterTables = &gpb.Path{Target: "COUNTERS_DB"}

// countersDB reads COUNTERS_DB by the ids of objects. The virtual paths of the server (virtual_db.go:
// COUNTERS/Ethernet*, PERIODIC_WATERMARKS/Ethernet*/PriorityGroups) are not used: they answer with the vendor's
// alias of a port, which can be the name of another port, and by the ids that were there when the server began.
func (r *reader) countersDB(groups []diagnosis.Grant, cell unit.Bytes) (diagnosis.Sample, error) {
	var names, ports []string // of groups, which are those of their queues, too
	for _, g := range groups {
		names, ports = append(names, g.Port+":"+strconv.Itoa(g.Group)), append(ports, g.Port)
	}
	slices.Sort(ports)
	ports = slices.Compact(ports)
	var all []map[string]any
	for _, of := range []struct {
		table, what string
		names       []string
		objects     []string // the tables of their objects
	}{
		{"COUNTERS_PORT_NAME_MAP", "ports", ports, []string{"COUNTERS"}},
		{"COUNTERS_PG_NAME_MAP", "groups", names, []string{"COUNTERS", "PERIODIC_WATERMARKS"}},
		{"COUNTERS_QUEUE_NAME_MAP", "queues", names, []string{"COUNTERS"}},
		{"COUNTERS_BUFFER_POOL_NAME_MAP", "headroom pools", nil, []string{"PERIODIC_WATERMARKS"}},
	} {
		ids := r.ids(of.table)
		wanted := idsOf(ids, of.names)
		for _, table := range of.objects {
			objects, err := r.objects(table, table+" of "+of.what, wanted)
			if err != nil {
				return diagnosis.Sample{}, err
			}
			all = append(all, objects...)
		}
		if missing := len(of.names) - len(wanted); missing > 0 && len(ids) > 0 {
			r.reasons = append(r.reasons, fmt.Sprintf("%s has no id of %d of %d %s of the plan", of.table, missing,
				len(of.names), of.what))
		}
		object := map[string]any{}
		for name, id := range ids {
			object[name] = id
		}
		all = append(all, map[string]any{of.table: object})
	}
	out, err := diagnosis.CountersOf(all, diagnosis.CounterOptions{Cell: cell})
	if err != nil {
		return out, fmt.Errorf("COUNTERS_DB: %w", err)
	}
	return out, nil
}

// idsOf is the ids of names, without those that have none; of the table of pools, those of the pools of headroom.
func idsOf(ids map[string]string, names []string) (out []string) {
	if names == nil {
		for _, name := range slices.Sorted(maps.Keys(ids)) {
			if strings.Contains(name, "ingress_lossless") { // as watermarkstat selects it
				out = append(out, ids[name])
			}
		}
	}
	for _, name := range names {
		if id, known := ids[name]; known {
			out = append(out, id)
		}
	}
	return out
}

// ids reads a table that gives the ids of names.
func (r *reader) ids(table string) map[string]string {
	out := map[string]string{}
	before := len(r.reasons)
	for _, v := range jsontree.Updates(r.get(counterTables, table, pathOf(table))) {
		tree, err := jsontree.Tree(v)
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
	if len(out) == 0 && len(r.reasons) == before {
		r.reasons = append(r.reasons, table+" has no names")
	}
	return out
}

// objects reads objects of a table. The server refuses a whole Get where one of its objects is not there: then the
// others are looked for in halves.
func (r *reader) objects(table, what string, ids []string) (out []map[string]any, err error) {
	missing, in := 0, len(ids)
	for chunks := slices.Collect(slices.Chunk(ids, most)); len(chunks) > 0; {
		chunk := chunks[0]
		chunks = chunks[1:]
		var paths []*gpb.Path
		for _, id := range chunk {
			paths = append(paths, pathOf(table, id))
		}
		answer, err := r.ask(counterTables, paths...)
		switch half := len(chunk) / 2; {
		case err == nil:
			objects, err := objectsOf(table, answer.GetNotification())
			if err != nil {
				return nil, err
			}
			out = append(out, objects...)
		case status.Code(err) != codes.NotFound:
			r.failed(what, err)
			return out, nil
		case half > 0:
			chunks = slices.Insert(chunks, 0, chunk[:half], chunk[half:])
		default:
			if missing++; missing == absent && len(out) == 0 {
				r.failed(what, fmt.Errorf("the first %d are not there: %w", absent, err))
				return nil, nil
			}
		}
	}
	if missing > 0 {
		r.reasons = append(r.reasons, fmt.Sprintf("%s: %d of %d are not there", what, missing, in))
	}
	return out, nil
}

// objectsOf returns the objects of an answer by table and id. The last element of a path is the id.
func objectsOf(table string, notes []*gpb.Notification) (out []map[string]any, err error) {
	for elems, v := range jsontree.Updates(notes) {
		tree, err := jsontree.Tree(v)
		object, ok := tree.(map[string]any)
		if err != nil || !ok || len(elems) == 0 {
			return nil, fmt.Errorf("COUNTERS_DB: an answer that is no object: %w", err)
		}
		out = append(out, map[string]any{table + ":" + elems[len(elems)-1].GetName(): object})
	}
	return out, nil
}
