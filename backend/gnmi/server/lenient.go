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

	"github.com/cellwarden/cellwarden/backend/gnmi/oc"
	"github.com/cellwarden/cellwarden/buffer"
)

// lenientModel is listed in Capabilities by a switch that is lenient: its state
// repeats configuration that the device does not act on, and who reads it
// should know.
func lenientModel() *gpb.ModelData {
	return &gpb.ModelData{Name: "cellwarden-lenient", Organization: "cellwarden", Version: "1"}
}

// aside is something that a client asked for and the device does not do.
type aside struct {
	what string // notActed, notThere or notKnown
	path string // what was taken from what the device sees
	why  string
}

const (
	notActed = "stored and not acted on"
	notThere = "stored, a reference to nothing"
	notKnown = "not stored, not in the models of this switch"
)

// setAside takes what is complained of from what the device acts on. The path
// of a complaint says where. If nothing is there, because something is missed,
// then what is above it goes: without a max-threshold there is no curve. It
// returns false if that leads nowhere.
func (r *reading) setAside(err error) (done bool, failure error) {
	var bad *buffer.InvalidError
	if !errors.As(err, &bad) {
		return false, nil
	}
	if err := r.copy(); err != nil {
		return false, err
	}
	back := r.naming.back()
	var round []aside
	for _, c := range bad.Complaints {
		if path := takeOut(r.acted, c.Path); path != "" {
			c.Path = back.text(c.Path)
			round = append(round, aside{notActed, back.text(path), c.String()})
		}
	}
	r.note(round)
	return len(round) > 0, nil
}

// note adds what was set aside in one round. What takes away a thing of which
// an earlier round took a part follows from that: the earlier one gets its path
// and keeps its reason.
func (r *reading) note(round []aside) {
	taken := map[string]bool{} // by path; true: it follows from an earlier one
	for _, a := range round {
		taken[a.path] = false
	}
	for i, b := range r.aside {
		for path := b.path; path != ""; path = path[:strings.LastIndexByte(path, '/')] {
			if _, now := taken[path]; now {
				r.aside[i].path, taken[path] = path, true
				break
			}
		}
	}
	for _, a := range round {
		if !taken[a.path] {
			r.aside = append(r.aside, a)
		}
	}
}

// takeOut removes what is at a path, or else the nearest that is above it. It
// returns what it has removed, or "".
func takeOut(tree *oc.Root, path string) string {
	p, err := ygot.StringToStructuredPath(path)
	if err != nil {
		return ""
	}
	for ; len(p.Elem) > 1; p.Elem = p.Elem[:len(p.Elem)-1] {
		n, err := find(nil, p)
		if err != nil || n.open {
			return ""
		}
		found, err := ytypes.GetNode(root, tree, n.path)
		if err != nil || len(found) == 0 || absent(found[0].Data) {
			continue
		}
		if remove(tree, n) != nil {
			return ""
		}
		return n.String()
	}
	return ""
}

// warn logs what the device does not do, each once: as long as it stays it is
// not said again.
func (s *Server) warn(r *reading) {
	told := map[aside]bool{}
	for _, a := range s.reading.aside {
		told[a] = true
	}
	for _, a := range r.aside {
		if !told[a] {
			s.opt.Log.Warn(a.what, "path", a.path, "why", a.why)
			told[a] = true
		}
	}
}

// valid checks types and references. A switch that is lenient stores references
// to nothing and lists them: clients that configure in parts send them, and
// switches are known that take them.
func (s *Server) valid(tree *oc.Root) ([]aside, error) {
	err := valid(tree)
	if err == nil || !s.opt.Lenient {
		return nil, err
	}
	tree, failure := duplicate(tree)
	if failure != nil {
		return nil, failure
	}
	strip(tree, "InterfaceRef")
	if tree.Validate(&ytypes.LeafrefOptions{IgnoreMissingData: true}) != nil {
		return nil, err
	}
	var out []aside
	for _, v := range faults(tree) { // which are references alone
		out = append(out, aside{notThere, v.path, v.why})
	}
	return out, nil
}

// within takes out of a request what is not in the models, which a switch that
// is not lenient refuses. A path that leads nowhere is left, to be refused.
func (s *Server) within(req *gpb.SetRequest) (*gpb.SetRequest, []aside) {
	if !s.opt.Lenient {
		return req, nil
	}
	var out []aside
	req = proto.CloneOf(req)
	for _, u := range slices.Concat(req.GetReplace(), req.GetUpdate()) {
		n, err := find(req.GetPrefix(), u.GetPath())
		if err != nil || n.isLeaf() {
			continue
		}
		switch v := u.GetVal().GetValue().(type) {
		case *gpb.TypedValue_JsonIetfVal:
			v.JsonIetfVal = known(v.JsonIetfVal, n, &out)
		case *gpb.TypedValue_JsonVal:
			v.JsonVal = known(v.JsonVal, n, &out)
		}
	}
	return req, out
}

// known is a JSON value without what is not in the models. JSON that cannot be
// read is left, to be refused.
func known(text []byte, n node, out *[]aside) []byte {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil || d.More() {
		return text
	}
	before := len(*out)
	if drop(v, n.entry, n.String(), out); len(*out) == before {
		return text
	}
	less, err := json.Marshal(v)
	if err != nil {
		return text
	}
	return less
}

// drop takes from a JSON value what the schema does not have.
func drop(v any, e *yang.Entry, at string, out *[]aside) {
	switch v := v.(type) {
	case map[string]any:
		for _, name := range names(v) {
			if child := e.Dir[local(name)]; child != nil {
				drop(v[name], child, at+"/"+local(name), out)
				continue
			}
			*out = append(*out, aside{notKnown, at + "/" + name, "no such node"})
			delete(v, name)
		}
	case []any:
		for _, item := range v {
			drop(item, e, at, out)
		}
	}
}
