package sonicfake

import (
	"reflect"
	"strings"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Subscribe reports what is in tables, that all is reported, and from then on each table that changes: mode STREAM,
// ON_CHANGE. An error of the stream has the code InvalidArgument, one before it NotFound or Unimplemented
// (gnmi_server/client_subscribe.go, Run). Of the origin sonic-db a table is refused that is empty, unless there are
// keys that begin with its name: KEYS SCHEDULER* (mixed_db_client.go, getDbtablePath). Of the target CONFIG_DB none
// is (db_client.go, dbTableKeySubscribe).
func (s *Switch) Subscribe(stream grpc.BidiStreamingServer[gpb.SubscribeRequest, gpb.SubscribeResponse]) error {
	first, err := stream.Recv()
	if err != nil {
		return err
	}
	list := first.GetSubscribe()
	if list.GetMode() != gpb.SubscriptionList_STREAM {
		return status.Errorf(codes.Unimplemented, "%v is not what a test asks for", list.GetMode())
	}
	origin, redis := list.GetPrefix().GetOrigin(), list.GetPrefix().GetTarget() == "CONFIG_DB"
	switch {
	case origin != "" && origin != "sonic-db":
		return status.Errorf(codes.Unimplemented, "Unsupported origin: %s", origin)
	case origin == "" && !redis:
		return status.Error(codes.Unimplemented, "Empty target data not supported")
	}
	for _, sub := range list.GetSubscription() {
		if err := s.blocks(list.GetPrefix(), sub.GetPath()); err != nil {
			return err
		}
	}
	seen := map[string]map[string]map[string]string{}
	for synced := false; ; synced = true {
		s.mu.Lock()
		db, news := clone(s.db), s.news
		s.mu.Unlock()
		for _, sub := range list.GetSubscription() {
			path, err := tableOf(list.GetPrefix(), sub.GetPath())
			if err != nil || len(path) != 1 || sub.GetMode() != gpb.SubscriptionMode_ON_CHANGE {
				return status.Error(codes.InvalidArgument, "a table, ON_CHANGE, is what a test subscribes to")
			}
			if synced && reflect.DeepEqual(seen[path[0]], db[path[0]]) {
				continue
			}
			if origin != "" && !synced && !hasKeys(db, path[0]) {
				return status.Errorf(codes.InvalidArgument,
					"streamOnChangeSubscription error:  Failed to find CONFIG_DB %s <nil> []", path[0])
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

// tableOf is what follows the database: all of a path of the target CONFIG_DB.
func tableOf(prefix, p *gpb.Path) (path []string, err error) {
	if prefix.GetOrigin() != "" {
		return inConfig(prefix, p)
	}
	for _, e := range p.GetElem() {
		path = append(path, e.GetName())
	}
	return path, nil
}

// hasKeys tells whether a key of the database begins with the name of a table, as KEYS of Redis does with NAME*.
func hasKeys(db DB, name string) bool {
	for table, entries := range db {
		if strings.HasPrefix(table, name) && len(entries) > 0 {
			return true
		}
	}
	return false
}
