package target

import (
	"slices"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/openconfig/ygot/util"
	"github.com/openconfig/ygot/ygot"
	"github.com/openconfig/ygot/ytypes"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/cellwarden/cellwarden/backend/gnmi/oc"
)

// Subscribe answers mode ONCE: for every subscribed path one notification with
// an update for each leaf under it, then sync_response. Other modes are
// refused.
func (s *Server) Subscribe(stream gpb.GNMI_SubscribeServer) error {
	first, err := stream.Recv()
	if err != nil {
		return err
	}
	list := first.GetSubscribe()
	switch {
	case len(first.GetExtension()) > 0:
		return noExtensions(len(first.GetExtension()))
	case list == nil:
		return status.Error(codes.InvalidArgument, "the first message of Subscribe: accepted: a subscription list")
	case list.GetMode() != gpb.SubscriptionList_ONCE:
		return status.Errorf(codes.Unimplemented, "mode %v: this switch knows ONCE", list.GetMode())
	case len(list.GetUseModels()) > 0:
		return status.Error(codes.Unimplemented, "use_models: this switch always uses all of its models")
	}
	if err := speaks(list.GetEncoding()); err != nil {
		return err
	}
	if !list.GetUpdatesOnly() {
		if err := s.once(stream, list); err != nil {
			return err
		}
	}
	return stream.Send(&gpb.SubscribeResponse{Response: &gpb.SubscribeResponse_SyncResponse{SyncResponse: true}})
}

// once sends a notification for each subscription that matches anything.
func (s *Server) once(stream gpb.GNMI_SubscribeServer, list *gpb.SubscriptionList) error {
	tree, err := s.tree(stream.Context(), gpb.GetRequest_ALL)
	if err != nil {
		return err
	}
	all, err := leaves(tree)
	if err != nil {
		return err
	}
	for _, sub := range list.GetSubscription() {
		n, err := find(list.GetPrefix(), sub.GetPath())
		if err != nil {
			return err
		}
		updates, err := matching(tree, all, n.path, list.GetEncoding())
		if err != nil {
			return err
		}
		if len(updates) == 0 {
			continue
		}
		out := &gpb.Notification{Timestamp: stamp(), Prefix: answering(list.GetPrefix()), Update: updates}
		if err := stream.Send(&gpb.SubscribeResponse{Response: &gpb.SubscribeResponse_Update{Update: out}}); err != nil {
			return err
		}
	}
	return nil
}

// leaves lists the paths of all leaves that have values, in order.
func leaves(tree *oc.Root) ([]*gpb.Path, error) {
	notes, err := ygot.TogNMINotifications(tree, 0, ygot.GNMINotificationsConfig{UsePathElem: true})
	if err != nil {
		return nil, failed(err)
	}
	var out []*gpb.Path
	for _, n := range notes {
		for _, u := range n.GetUpdate() {
			out = append(out, u.GetPath())
		}
	}
	slices.SortFunc(out, comparePaths)
	return out, nil
}

// matching encodes the leaves that a query covers.
func matching(tree *oc.Root, all []*gpb.Path, query *gpb.Path, e gpb.Encoding) ([]*gpb.Update, error) {
	var out []*gpb.Update
	for _, path := range all {
		if !util.PathMatchesQuery(path, query) {
			continue
		}
		found, err := ytypes.GetNode(root, tree, path)
		if err != nil || len(found) != 1 {
			return nil, status.Errorf(codes.Internal, "%v: %d nodes: %v", path, len(found), err)
		}
		v, err := encode(found[0].Data, e)
		if err != nil {
			return nil, err
		}
		out = append(out, &gpb.Update{Path: path, Val: v})
	}
	return out, nil
}
