package server

import (
	"context"
	"slices"
	"strings"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/openconfig/ygot/ygot"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/cellwarden/cellwarden/internal/oc"
)

// maxPaths is the greatest number of paths in one Get or Subscribe. Each path costs a search of the tree, and a client
// that wants more than this asks for a container above them.
const maxPaths = 1024

// Get answers each path with one notification. A container without data is an
// empty object; a list entry or a leaf without data is NOT_FOUND, and so is a
// container in an entry that does not exist. A leaf with a default that is in use
// has the default. The keys of lists may be left out or be *, and an element of
// the path may be * (any name) or ... (any names, or none), which gives an
// update for each node that matches. In PROTO every leaf is an update of its own.
func (s *Server) Get(ctx context.Context, req *gpb.GetRequest) (*gpb.GetResponse, error) {
	answer, err := s.get(ctx, req)
	return answer, bounded(err)
}

// get is Get with errors of any length. All paths of a request are answered from one tree, so that they show the switch
// at one time. If one of them cannot be answered, the whole request fails: gNMI has no answer with some paths only.
func (s *Server) get(ctx context.Context, req *gpb.GetRequest) (*gpb.GetResponse, error) {
	if err := s.allow(ctx, false); err != nil {
		return nil, err
	}
	if err := noExtensions(req.GetExtension()); err != nil {
		return nil, err
	}
	switch {
	case len(req.GetUseModels()) > 0:
		return nil, status.Error(codes.Unimplemented, "use_models: this switch always uses all of its models")
	case len(req.GetPath()) == 0 || len(req.GetPath()) > maxPaths:
		return nil, status.Errorf(codes.InvalidArgument, "%d paths: want 1 to %d", len(req.GetPath()), maxPaths)
	}
	if err := checkEncoding(req.GetEncoding()); err != nil {
		return nil, err
	}
	tree, err := s.tree(ctx, req.GetType())
	if err != nil {
		return nil, err
	}
	out, size := &gpb.GetResponse{}, 0
	for _, path := range req.GetPath() {
		updates, err := readPath(tree, req.GetPrefix(), path, req.GetEncoding())
		if err != nil {
			return nil, err
		}
		n := &gpb.Notification{Timestamp: s.stamp(), Prefix: answerPrefix(req.GetPrefix()), Update: updates}
		// gRPC would refuse to send it, with an error that does not say what to do.
		if size += proto.Size(n); size > s.opt.MaxMessage {
			return nil, status.Errorf(codes.ResourceExhausted,
				"the answer is longer than %d bytes: ask for less at a time, or Subscribe", s.opt.MaxMessage)
		}
		out.Notification = append(out.Notification, n)
	}
	return out, nil
}

// readPath returns the updates for one path: one for each node that matches. The paths of the updates are complete,
// with the keys that the wildcards of the request stand for.
func readPath(tree *oc.Root, prefix, path *gpb.Path, e gpb.Encoding) ([]*gpb.Update, error) {
	nodes, err := expandWildcards(prefix, path)
	if err != nil {
		return nil, err
	}
	var updates []*gpb.Update
	for _, n := range nodes {
		found, err := n.data(tree, e)
		if err != nil {
			return nil, err
		}
		updates = append(updates, found...)
	}
	slices.SortFunc(updates, func(a, b *gpb.Update) int {
		return strings.Compare(pathText(a.Path.GetElem()), pathText(b.Path.GetElem()))
	})
	// Nothing was found. With wildcards that is an empty answer; without, a container is
	// empty, and a leaf or an entry does not exist.
	switch n := nodes[0]; {
	case len(updates) > 0 || n.severalMatch:
		return updates, nil
	case n.entry.IsContainer() && e == gpb.Encoding_PROTO && n.inEntry(tree):
		return nil, nil
	case n.entry.IsContainer() && n.inEntry(tree):
		return []*gpb.Update{{Path: n.path, Val: emptyContainer(e)}}, nil
	default:
		return nil, status.Errorf(codes.NotFound, "%s: there is no such data", n)
	}
}

// inEntry tells whether the entries of lists exist that a node is in. Containers without data
// exist (RFC 7950, section 7.5.1), but not in an entry that does not. The innermost entry decides: if it exists, so
// do those around it.
func (n node) inEntry(tree *oc.Root) bool {
	elems := n.path.GetElem()
	for i := range slices.Backward(elems) {
		if len(elems[i].GetKey()) > 0 {
			found, err := getNodes(tree, &gpb.Path{Elem: elems[:i+1]})
			return err == nil && len(found) > 0 && !isAbsent(found[0].Data)
		}
	}
	return true
}

// data encodes what a tree has at a node of the schema. A key that has no entry is no error of the request: the
// caller decides whether nothing was found at all.
func (n node) data(tree *oc.Root, e gpb.Encoding) ([]*gpb.Update, error) {
	found, err := getNodes(tree, n.path)
	if err != nil && status.Code(err) != codes.NotFound {
		return nil, status.Errorf(codes.InvalidArgument, "%s: %v", n, err)
	}
	var updates []*gpb.Update
	for _, f := range found {
		if isAbsent(f.Data) {
			continue
		}
		if f.Path == nil { // of the root
			f.Path = &gpb.Path{}
		}
		// PROTO has no form for a container: each leaf is an update of its own.
		if below, ok := f.Data.(ygot.GoStruct); ok && e == gpb.Encoding_PROTO {
			for _, l := range leavesOf(below, f.Path) {
				v, err := encode(l.data, nil, e)
				if err != nil {
					return nil, err
				}
				updates = append(updates, &gpb.Update{Path: l.path, Val: v})
			}
			continue
		}
		v, err := encode(f.Data, n.entry, e)
		if err != nil {
			return nil, err
		}
		updates = append(updates, &gpb.Update{Path: f.Path, Val: v})
	}
	return updates, nil
}

// emptyContainer is the value of a container without data.
func emptyContainer(e gpb.Encoding) *gpb.TypedValue {
	if e == gpb.Encoding_JSON {
		return &gpb.TypedValue{Value: &gpb.TypedValue_JsonVal{JsonVal: []byte("{}")}}
	}
	return &gpb.TypedValue{Value: &gpb.TypedValue_JsonIetfVal{JsonIetfVal: []byte("{}")}}
}
