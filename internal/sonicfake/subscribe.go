package sonicfake

import (
	"reflect"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Subscribe reports what is in tables, that all is reported, and from then on
// each table that changes: mode STREAM, ON_CHANGE.
func (s *Switch) Subscribe(stream grpc.BidiStreamingServer[gpb.SubscribeRequest, gpb.SubscribeResponse]) error {
	first, err := stream.Recv()
	if err != nil {
		return err
	}
	list := first.GetSubscribe()
	if list.GetMode() != gpb.SubscriptionList_STREAM {
		return status.Errorf(codes.Unimplemented, "%v is not implemented for SONiC gRPC/gNMI yet", list.GetMode())
	}
	if list.GetPrefix().GetOrigin() != "sonic-db" {
		return status.Errorf(codes.Unimplemented, "Unsupported origin: %s", list.GetPrefix().GetOrigin())
	}
	seen := map[string]map[string]map[string]string{}
	for synced := false; ; synced = true {
		s.mu.Lock()
		db, news := clone(s.db), s.news
		s.mu.Unlock()
		for _, sub := range list.GetSubscription() {
			path, err := inConfig(list.GetPrefix(), sub.GetPath())
			if err != nil || len(path) != 1 || sub.GetMode() != gpb.SubscriptionMode_ON_CHANGE {
				return status.Error(codes.InvalidArgument, "a table, ON_CHANGE, is what a test subscribes to")
			}
			if synced && reflect.DeepEqual(seen[path[0]], db[path[0]]) {
				continue
			}
			seen[path[0]] = db[path[0]]
			n := &gpb.Notification{Prefix: list.GetPrefix(),
				Update: []*gpb.Update{{Path: sub.GetPath(), Val: jsonValue(db[path[0]])}}}
			if err := stream.Send(&gpb.SubscribeResponse{Response: &gpb.SubscribeResponse_Update{Update: n}}); err != nil {
				return err
			}
		}
		if !synced {
			if err := stream.Send(&gpb.SubscribeResponse{Response: &gpb.SubscribeResponse_SyncResponse{SyncResponse: true}}); err != nil {
				return err
			}
		}
		select {
		case <-news:
		case <-stream.Context().Done():
			return nil
		}
	}
}
