package target

import (
	"context"
	"slices"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/openconfig/ygot/ygot"
	"github.com/openconfig/ygot/ytypes"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/cellwarden/cellwarden/backend/gnmi/oc"
)

// Get answers each path with one notification. A container without data is an
// empty object; a list entry or a leaf without data is NOT_FOUND. The keys of
// lists may be left out or be *, which gives an update for each entry.
func (s *Server) Get(ctx context.Context, req *gpb.GetRequest) (*gpb.GetResponse, error) {
	switch {
	case len(req.GetExtension()) > 0:
		return nil, noExtensions(len(req.GetExtension()))
	case len(req.GetUseModels()) > 0:
		return nil, status.Error(codes.Unimplemented, "use_models: this switch always uses all of its models")
	case len(req.GetPath()) == 0:
		return nil, status.Error(codes.InvalidArgument, "no path: accepted: one or more")
	}
	if err := speaks(req.GetEncoding()); err != nil {
		return nil, err
	}
	tree, err := s.tree(ctx, req.GetType())
	if err != nil {
		return nil, err
	}
	out := &gpb.GetResponse{}
	for _, path := range req.GetPath() {
		updates, err := get(tree, req.GetPrefix(), path, req.GetEncoding())
		if err != nil {
			return nil, err
		}
		out.Notification = append(out.Notification, &gpb.Notification{Timestamp: stamp(), Prefix: answering(req.GetPrefix()), Update: updates})
	}
	return out, nil
}

// answering is the prefix of an answer: who, not where, for the paths of
// updates are whole.
func answering(prefix *gpb.Path) *gpb.Path {
	return &gpb.Path{Origin: "openconfig", Target: prefix.GetTarget()}
}

// tree is a copy of the configuration, with the state or without.
func (s *Server) tree(ctx context.Context, kind gpb.GetRequest_DataType) (*oc.Root, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.load(ctx); err != nil {
		return nil, err
	}
	tree, err := duplicate(s.config)
	if err != nil || kind == gpb.GetRequest_CONFIG {
		return tree, err
	}
	have, err := s.device.Observe(ctx)
	if err != nil {
		return nil, status.Errorf(codes.Unavailable, "reading %s: %v", s.device.Name(), err)
	}
	mirror(tree)
	measured(tree, have, s.cell)
	switch kind {
	case gpb.GetRequest_ALL:
	case gpb.GetRequest_STATE:
		strip(tree, "Config")
	default:
		return nil, status.Errorf(codes.Unimplemented, "type %v: this switch tells ALL, CONFIG and STATE apart", kind)
	}
	return tree, nil
}

// duplicate copies a tree.
func duplicate(tree *oc.Root) (*oc.Root, error) {
	out, err := ygot.DeepCopy(tree)
	if err != nil {
		return nil, failed(err)
	}
	return out.(*oc.Root), nil
}

// get looks up one path.
func get(tree *oc.Root, prefix, path *gpb.Path, e gpb.Encoding) ([]*gpb.Update, error) {
	n, err := find(prefix, path)
	if err != nil {
		return nil, err
	}
	found, err := ytypes.GetNode(root, tree, n.path, &ytypes.GetHandleWildcards{}, &ytypes.GetPartialKeyMatch{}, &ytypes.GetTolerateNil{})
	if err != nil && status.Code(err) != codes.NotFound {
		return nil, status.Errorf(codes.InvalidArgument, "%s: %v", n, err)
	}
	var updates []*gpb.Update
	for _, f := range found {
		if absent(f.Data) {
			continue
		}
		v, err := encode(f.Data, e)
		if err != nil {
			return nil, err
		}
		updates = append(updates, &gpb.Update{Path: f.Path, Val: v})
	}
	slices.SortFunc(updates, func(a, b *gpb.Update) int { return comparePaths(a.Path, b.Path) })
	switch {
	case len(updates) > 0 || n.open:
		return updates, nil
	case n.entry.IsContainer():
		return []*gpb.Update{{Path: n.path, Val: empty(e)}}, nil
	default:
		return nil, status.Errorf(codes.NotFound, "%s: there is no such data", n)
	}
}

// empty is a container without data.
func empty(e gpb.Encoding) *gpb.TypedValue {
	if e == gpb.Encoding_JSON {
		return &gpb.TypedValue{Value: &gpb.TypedValue_JsonVal{JsonVal: []byte("{}")}}
	}
	return &gpb.TypedValue{Value: &gpb.TypedValue_JsonIetfVal{JsonIetfVal: []byte("{}")}}
}
