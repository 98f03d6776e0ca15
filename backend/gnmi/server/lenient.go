package server

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/openconfig/goyang/pkg/yang"
	"github.com/openconfig/ygot/ygot"
	"github.com/openconfig/ygot/ytypes"
	"google.golang.org/protobuf/proto"

	"github.com/cellwarden/cellwarden/backend/gnmi/jsontree"
	"github.com/cellwarden/cellwarden/backend/gnmi/oc"
	"github.com/cellwarden/cellwarden/buffer"
)

// lenientModel is listed in Capabilities by a switch that is lenient: its state
// repeats configuration that the device does not act on, and who reads it
// should know.
func lenientModel() *gpb.ModelData {
	return &gpb.ModelData{Name: "cellwarden-lenient", Organization: "cellwarden", Version: "1"}
}

// ignoredConfig is something that a client asked for and the device does not do.
type ignoredConfig struct {
	what string // storedOnly, storedDangling or notStored
	path string // what was taken from what the device sees
	why  string
}

const (
	storedOnly     = "stored and not acted on"
	storedDangling = "stored, a reference to nothing"
	notStored      = "not stored, not in the models of this switch"
)

// ignore takes what is complained of from what the device acts on. The path
// of a complaint says where. If nothing is there, because something is missed,
// then what is above it goes: without a max-threshold there is no curve. It
// returns false if that leads nowhere.
func (r *translation) ignore(err error) (done bool, failure error) {
	var bad *buffer.InvalidError
	if !errors.As(err, &bad) {
		return false, nil
	}
	if err := r.copyConfig(); err != nil {
		return false, err
	}
	back := r.names.inverse()
	var round []ignoredConfig
	for _, c := range bad.Complaints {
		if path := removeNearest(r.device, c.Path); path != "" {
			c.Path = back.renamePath(c.Path)
			round = append(round, ignoredConfig{storedOnly, back.renamePath(path), c.String()})
		}
	}
	r.noteIgnored(round)
	return len(round) > 0, nil
}

// noteIgnored adds what was set aside in one round. What takes away a thing of which
// an earlier round took a part follows from that: the earlier one gets its path
// and keeps its reason.
func (r *translation) noteIgnored(round []ignoredConfig) {
	taken := map[string]bool{} // by path; true: it follows from an earlier one
	for _, a := range round {
		taken[a.path] = false
	}
	for i, b := range r.ignored {
		for path := b.path; path != ""; path = path[:strings.LastIndexByte(path, '/')] {
			if _, now := taken[path]; now {
				r.ignored[i].path, taken[path] = path, true
				break
			}
		}
	}
	for _, a := range round {
		if !taken[a.path] {
			r.ignored = append(r.ignored, a)
		}
	}
}

// removeNearest removes what is at a path, or else the nearest that is above it. It
// returns what it has removed, or "".
func removeNearest(tree *oc.Root, path string) string {
	p, err := ygot.StringToStructuredPath(path)
	if err != nil {
		return ""
	}
	for ; len(p.Elem) > 1; p.Elem = p.Elem[:len(p.Elem)-1] {
		n, err := findNode(nil, p)
		if err != nil || n.severalMatch {
			return ""
		}
		found, err := ytypes.GetNode(root, tree, n.path)
		if err != nil || len(found) == 0 || isAbsent(found[0].Data) {
			continue
		}
		if remove(tree, n) != nil {
			return ""
		}
		return n.String()
	}
	return ""
}

// logIgnored logs what the device does not do, each once: as long as it stays it is
// not said again.
func (s *Server) logIgnored(r *translation) {
	told := map[ignoredConfig]bool{}
	for _, a := range s.translation.ignored {
		told[a] = true
	}
	for _, a := range r.ignored {
		if !told[a] {
			s.opt.Log.Warn(a.what, "path", a.path, "why", a.why)
			told[a] = true
		}
	}
}

// checkConfig checks types and references. A switch that is lenient stores references
// to nothing and lists them: clients that configure in parts send them, and
// switches are known that take them.
func (s *Server) checkConfig(tree *oc.Root) ([]ignoredConfig, error) {
	err := validateTree(tree)
	if err == nil || !s.opt.Lenient {
		return nil, err
	}
	tree, failure := copyTree(tree)
	if failure != nil {
		return nil, failure
	}
	removeContainers(tree, "InterfaceRef")
	if tree.Validate(&ytypes.LeafrefOptions{IgnoreMissingData: true}) != nil {
		return nil, err
	}
	var out []ignoredConfig
	for _, v := range invalidLeaves(tree) { // which are references alone
		out = append(out, ignoredConfig{storedDangling, v.path, v.why})
	}
	return out, nil
}

// dropUnknownNodes takes out of a request what is not in the models, which a switch that
// is not lenient refuses. A path that leads nowhere is left, to be refused.
func (s *Server) dropUnknownNodes(req *gpb.SetRequest) (*gpb.SetRequest, []ignoredConfig) {
	if !s.opt.Lenient {
		return req, nil
	}
	var out []ignoredConfig
	req = proto.CloneOf(req)
	for _, u := range slices.Concat(req.GetReplace(), req.GetUpdate()) {
		n, err := findNode(req.GetPrefix(), u.GetPath())
		if err != nil || n.isLeaf() {
			continue
		}
		switch v := u.GetVal().GetValue().(type) {
		case *gpb.TypedValue_JsonIetfVal:
			v.JsonIetfVal = withoutUnknownNodes(v.JsonIetfVal, n, &out)
		case *gpb.TypedValue_JsonVal:
			v.JsonVal = withoutUnknownNodes(v.JsonVal, n, &out)
		}
	}
	return req, out
}

// withoutUnknownNodes is a JSON value without what is not in the models. JSON that cannot be
// read is left, to be refused.
func withoutUnknownNodes(text []byte, n node, out *[]ignoredConfig) []byte {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil || d.More() {
		return text
	}
	before := len(*out)
	if dropUnknown(v, n.entry, n.String(), out); len(*out) == before {
		return text
	}
	less, err := json.Marshal(v)
	if err != nil {
		return text
	}
	return less
}

// dropUnknown takes from a JSON value what the schema does not have.
func dropUnknown(v any, e *yang.Entry, at string, out *[]ignoredConfig) {
	switch v := v.(type) {
	case map[string]any:
		for _, name := range sortedKeys(v) {
			if child := e.Dir[jsontree.Local(name)]; child != nil {
				dropUnknown(v[name], child, at+"/"+jsontree.Local(name), out)
				continue
			}
			*out = append(*out, ignoredConfig{notStored, at + "/" + name, "no such node"})
			delete(v, name)
		}
	case []any:
		for _, item := range v {
			dropUnknown(item, e, at, out)
		}
	}
}
