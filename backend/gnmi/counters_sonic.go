package gnmi

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/cellwarden/cellwarden/diagnosis"
	"github.com/cellwarden/cellwarden/internal/jsontree"
	"github.com/cellwarden/cellwarden/unit"
)

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
