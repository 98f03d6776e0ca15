package sonicfake

import (
	"maps"
	"reflect"
	"slices"
	"strings"
)

// touched are the ports that have to be down for a change.
func touched(before, after DB) map[string]bool {
	out := map[string]bool{}
	for _, name := range []string{"BUFFER_PG", "BUFFER_QUEUE", "PORT_QOS_MAP", "QUEUE"} {
		for _, tables := range [][2]DB{{before, after}, {after, before}} {
			for key, e := range tables[0][name] {
				if !maps.Equal(e, tables[1][name][key]) {
					port, _, _ := strings.Cut(key, "|")
					out[port] = true
				}
			}
		}
	}
	return out
}

// difference is an operation of the patch that leads from one configuration to another.
type difference struct {
	op    string // add, remove, replace, move
	path  []string
	value any
}

// differences compares two configurations as a JSON patch is made: what is
// removed somewhere and added as equal elsewhere is moved.
func differences(before, after DB) []difference {
	var out []difference
	compare(&out, nil, reflect.ValueOf(before), reflect.ValueOf(after))
	for i := range out {
		if out[i].op != "add" {
			continue
		}
		for j := range out {
			if out[j].op == "remove" && reflect.DeepEqual(out[j].value, out[i].value) {
				out[i].op, out[j].op = "move", ""
				break
			}
		}
	}
	return slices.DeleteFunc(out, func(d difference) bool { return d.op == "" })
}

func compare(out *[]difference, path []string, a, b reflect.Value) {
	names := map[string]bool{}
	for _, m := range []reflect.Value{a, b} {
		for _, k := range m.MapKeys() {
			names[k.String()] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		x, y := a.MapIndex(reflect.ValueOf(name)), b.MapIndex(reflect.ValueOf(name))
		where := append(slices.Clone(path), name)
		switch {
		case !y.IsValid():
			*out = append(*out, difference{"remove", where, x.Interface()})
		case !x.IsValid():
			*out = append(*out, difference{"add", where, y.Interface()})
		case x.Kind() == reflect.Map:
			compare(out, where, x, y)
		case x.String() != y.String():
			*out = append(*out, difference{"replace", where, y.Interface()})
		}
	}
}
