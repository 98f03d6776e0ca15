package gnmi

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/openconfig/ygot/ygot"
	"github.com/openconfig/ygot/ytypes"

	"github.com/cellwarden/cellwarden/backend/gnmi/oc"
)

// parse reads an answer to Get into a tree. Whatever lies outside /qos, and
// what of /qos the models do not have, is ignored.
func parse(answer *gpb.GetResponse) (*oc.Root, error) {
	root := &oc.Root{}
	for _, n := range answer.GetNotification() {
		for _, u := range n.GetUpdate() {
			path := &gpb.Path{Elem: slices.Concat(n.GetPrefix().GetElem(), u.GetPath().GetElem())}
			if err := merge(root, path, u.GetVal()); err != nil {
				where, _ := ygot.PathToString(path)
				return nil, fmt.Errorf("%s: %w", where, err)
			}
		}
	}
	return root, nil
}

// merge puts one value of an answer into the tree.
func merge(root *oc.Root, path *gpb.Path, v *gpb.TypedValue) error {
	path = plain(path)
	if len(path.Elem) > 0 && path.Elem[0].GetName() != "qos" {
		return nil
	}
	data := slices.Concat(v.GetJsonIetfVal(), v.GetJsonVal()) // a value is one of the two, or neither
	switch len(path.Elem) {
	case 0:
		return unmarshal(data, root)
	case 1:
		return unmarshal(unwrap(data), root.GetOrCreateQos())
	}
	if len(data) > 0 {
		v = &gpb.TypedValue{Value: &gpb.TypedValue_JsonIetfVal{JsonIetfVal: data}}
	}
	return ytypes.SetNode(oc.SchemaTree["Root"], root, path, v,
		&ytypes.InitMissingElements{}, &ytypes.IgnoreExtraFields{}, &ytypes.TolerateJSONInconsistencies{})
}

// plain takes the names of modules off a path: openconfig-qos:qos is qos.
func plain(path *gpb.Path) *gpb.Path {
	out := &gpb.Path{}
	for _, e := range path.GetElem() {
		_, name, qualified := strings.Cut(e.GetName(), ":")
		if !qualified {
			name = e.GetName()
		}
		out.Elem = append(out.Elem, &gpb.PathElem{Name: name, Key: e.GetKey()})
	}
	return out
}

func unmarshal(data []byte, into ygot.GoStruct) error {
	if len(data) == 0 {
		return fmt.Errorf("no JSON, though JSON_IETF was asked for")
	}
	return oc.Unmarshal(data, into, &ytypes.IgnoreExtraFields{})
}

// unwrap takes off the container's own name, which some switches repeat in
// the value.
func unwrap(data []byte) []byte {
	var object map[string]json.RawMessage
	if json.Unmarshal(data, &object) == nil && len(object) == 1 {
		for _, name := range []string{"openconfig-qos:qos", "qos"} {
			if inner, ok := object[name]; ok {
				return inner
			}
		}
	}
	return data
}
