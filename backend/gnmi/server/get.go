package server

import (
	"context"
	"slices"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/openconfig/ygot/ygot"
	"github.com/openconfig/ygot/ytypes"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/cellwarden/cellwarden/backend/gnmi/oc"
)

// maxPaths is how many paths one Get or Subscribe may ask for.
const maxPaths = 1024

// Get answers each path with one notification. A container without data is an
// empty object; a list entry or a leaf without data is NOT_FOUND. The keys of
// lists may be left out or be *, and an element of the path may be * (any
// name) or ... (any names, or none), which gives an update for each node that
// matches. In PROTO every leaf is an update of its own.
func (s *Server) Get(ctx context.Context, req *gpb.GetRequest) (*gpb.GetResponse, error) {
	if err := s.allow(ctx, ReadOnly); err != nil {
		return nil, err
	}
	if err := noExtensions(req.GetExtension()); err != nil {
		return nil, err
	}
	switch {
	case len(req.GetUseModels()) > 0:
		return nil, status.Error(codes.Unimplemented, "use_models: this switch always uses all of its models")
	case len(req.GetPath()) == 0 || len(req.GetPath()) > maxPaths:
		return nil, status.Errorf(codes.InvalidArgument, "%d paths: accepted: 1 to %d", len(req.GetPath()), maxPaths)
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
		updates, err := get(tree, req.GetPrefix(), path, req.GetEncoding())
		if err != nil {
			return nil, err
		}
		n := &gpb.Notification{Timestamp: s.stamp(), Prefix: answerPrefix(req.GetPrefix()), Update: updates}
		if size += proto.Size(n); size > s.opt.MaxMessage {
			return nil, status.Errorf(codes.ResourceExhausted, "the answer is longer than %d bytes: ask for less at a time, or Subscribe", s.opt.MaxMessage)
		}
		out.Notification = append(out.Notification, n)
	}
	return out, nil
}

// answerPrefix is the prefix of an answer: who, not where, for the paths of
// updates are whole.
func answerPrefix(prefix *gpb.Path) *gpb.Path {
	return &gpb.Path{Origin: "openconfig", Target: prefix.GetTarget()}
}

// tree is a copy of the configuration, with the state or without.
func (s *Server) tree(ctx context.Context, kind gpb.GetRequest_DataType) (*oc.Root, error) {
	if gpb.GetRequest_DataType_name[int32(kind)] == "" {
		return nil, status.Errorf(codes.InvalidArgument, "type %d: accepted: ALL, CONFIG, STATE, OPERATIONAL", kind)
	}
	if err := s.lock(ctx); err != nil {
		return nil, err
	}
	defer s.unlock()
	return s.treeLocked(ctx, kind)
}

// treeLocked is tree for who has the lock.
func (s *Server) treeLocked(ctx context.Context, kind gpb.GetRequest_DataType) (*oc.Root, error) {
	if err := s.load(ctx); err != nil {
		return nil, err
	}
	tree, err := copyTree(s.config)
	if err != nil || kind == gpb.GetRequest_CONFIG {
		return tree, err
	}
	if err := s.addState(ctx, tree); err != nil {
		return nil, err
	}
	switch kind {
	case gpb.GetRequest_STATE:
		removeContainers(tree, "Config")
	case gpb.GetRequest_OPERATIONAL:
		keepLeaves(tree, isOperational)
	}
	return tree, nil
}

// copyTree copies a tree.
func copyTree(tree *oc.Root) (*oc.Root, error) {
	out, err := ygot.DeepCopy(tree)
	if err != nil {
		return nil, internalError(err)
	}
	return out.(*oc.Root), nil
}

// get looks up one path.
func get(tree *oc.Root, prefix, path *gpb.Path, e gpb.Encoding) ([]*gpb.Update, error) {
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
	slices.SortFunc(updates, func(a, b *gpb.Update) int { return comparePaths(a.Path, b.Path) })
	switch n := nodes[0]; {
	case len(updates) > 0 || n.severalMatch:
		return updates, nil
	case n.entry.IsContainer() && e == gpb.Encoding_PROTO:
		return nil, nil
	case n.entry.IsContainer():
		return []*gpb.Update{{Path: n.path, Val: emptyContainer(e)}}, nil
	default:
		return nil, status.Errorf(codes.NotFound, "%s: there is no such data", n)
	}
}

// data encodes what a tree has at a node.
func (n node) data(tree *oc.Root, e gpb.Encoding) ([]*gpb.Update, error) {
	found, err := ytypes.GetNode(root, tree, n.path, &ytypes.GetHandleWildcards{}, &ytypes.GetPartialKeyMatch{}, &ytypes.GetTolerateNil{})
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
		if below, ok := f.Data.(ygot.GoStruct); ok && e == gpb.Encoding_PROTO {
			each, err := encoded(leavesOf(below, f.Path), e)
			if err != nil {
				return nil, err
			}
			updates = append(updates, each...)
			continue
		}
		v, err := encode(f.Data, e)
		if err != nil {
			return nil, err
		}
		updates = append(updates, &gpb.Update{Path: f.Path, Val: v})
	}
	return updates, nil
}

// emptyContainer is a container without data.
func emptyContainer(e gpb.Encoding) *gpb.TypedValue {
	if e == gpb.Encoding_JSON {
		return &gpb.TypedValue{Value: &gpb.TypedValue_JsonVal{JsonVal: []byte("{}")}}
	}
	return &gpb.TypedValue{Value: &gpb.TypedValue_JsonIetfVal{JsonIetfVal: []byte("{}")}}
}
