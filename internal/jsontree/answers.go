package jsontree

import (
	"iter"
	"maps"
	"slices"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
)

// Updates yields the updates of an answer, each with its path behind that of the prefix of its notification.
func Updates(notes []*gpb.Notification) iter.Seq2[[]*gpb.PathElem, *gpb.TypedValue] {
	return func(yield func([]*gpb.PathElem, *gpb.TypedValue) bool) {
		for _, n := range notes {
			for _, u := range n.GetUpdate() {
				path := u.GetPath().GetElem()
				if p := n.GetPrefix().GetElem(); len(p) > 0 {
					path = slices.Concat(p, path)
				}
				if !yield(path, u.GetVal()) {
					return
				}
			}
		}
	}
}

// Texts lists the values of an answer that are texts, wherever they are. What cannot be read is left out.
func Texts(answer *gpb.GetResponse) []string {
	var out []string
	for _, v := range Updates(answer.GetNotification()) {
		value, _ := Leaf(v)
		walk("", value, func(_ string, v any) {
			if text, ok := v.(string); ok {
				out = append(out, text)
			}
		})
	}
	return out
}

// Entries lists the names of the entries of a list in an answer, sorted: of a list whose key is "name". A switch gives
// them in paths, or in JSON. What cannot be read is left out.
func Entries(answer *gpb.GetResponse, list string) []string {
	found := map[string]bool{}
	for path, v := range Updates(answer.GetNotification()) {
		for _, e := range path {
			if Local(e.GetName()) == list {
				found[e.GetKey()["name"]] = true
			}
		}
		value, _ := Leaf(v)
		walk("", value, func(member string, v any) {
			entries, ok := v.([]any)
			if !ok || Local(member) != list {
				return
			}
			for _, entry := range entries {
				if name, ok := Child(Models.Unqualified(entry), "name", "", "").(string); ok {
					found[name] = true
				}
			}
		})
	}
	delete(found, "")
	delete(found, "*")
	return slices.Sorted(maps.Keys(found))
}

// walk visits a tree of JSON from above, each value with the name of the member that it belongs to; "" at the top.
func walk(member string, tree any, visit func(member string, v any)) {
	visit(member, tree)
	switch tree := tree.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(tree)) {
			walk(name, tree[name], visit)
		}
	case []any:
		for _, item := range tree {
			walk(member, item, visit)
		}
	}
}
