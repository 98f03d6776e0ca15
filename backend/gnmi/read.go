package gnmi

import (
	"context"
	"errors"
	"fmt"
	"io"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc/codes"

	"github.com/cellwarden/cellwarden/backend/gnmi/qos"
)

// errNothingSaid says that a switch answered a Get without a notification. The specification wants one for each path
// that was asked for (gnmi-specification 3.3.2), also if nothing is there: so what the switch holds is not known.
var errNothingSaid = errors.New("answered Get without a notification, so its configuration is unknown")

// errNotComplete says that a switch ended a Subscribe ONCE before it sent sync_response, which says
// that all was sent (gnmi-specification 3.5.1.4).
var errNotComplete = errors.New("the switch ended Subscribe ONCE without sync_response: its answer may not be complete")

// getQoS reads all of /qos with one Get. A switch that answers NOT_FOUND has nothing there.
func (s *session) getQoS(ctx context.Context, kind gpb.GetRequest_DataType) ([]*gpb.Notification, error) {
	answer, err := s.Get(ctx, &gpb.GetRequest{Prefix: s.prefix(), Path: []*gpb.Path{qos.RootPath()},
		Type: kind, Encoding: gpb.Encoding_JSON_IETF})
	switch {
	case err == nil && len(answer.GetNotification()) == 0:
		return nil, fmt.Errorf("%s %w", s.name, errNothingSaid)
	case err == nil:
		return answer.GetNotification(), nil
	case err.(*RPCError).Code == codes.NotFound:
		return nil, nil
	default:
		return nil, err
	}
}

// subscribeOnce reads with Subscribe ONCE what is under some paths. The leaves
// come one by one, in PROTO, or in JSON_IETF if the switch has no PROTO.
func (s *session) subscribeOnce(ctx context.Context, paths []*gpb.Path, send sending) ([]*gpb.Notification, error) {
	var notes []*gpb.Notification
	var err error
	for _, encoding := range []gpb.Encoding{gpb.Encoding_PROTO, gpb.Encoding_JSON_IETF} {
		notes, err = send(ctx, s, func(ctx context.Context) ([]*gpb.Notification, error) {
			return s.collect(ctx, paths, encoding)
		})
		if codeOf(err) != codes.Unimplemented {
			break
		}
	}
	return notes, s.failure("Subscribe", err)
}

// subscribe sends a subscription list with some paths, all in one mode. An error in sending is seen in receiving, with
// its reason.
func (s *session) subscribe(ctx context.Context, list *gpb.SubscriptionList, paths []*gpb.Path,
	mode gpb.SubscriptionMode) (gpb.GNMI_SubscribeClient, error) {
	stream, err := s.stub.Subscribe(ctx)
	if err != nil {
		return nil, err
	}
	for _, p := range paths {
		list.Subscription = append(list.Subscription, &gpb.Subscription{Path: p, Mode: mode})
	}
	_ = stream.Send(&gpb.SubscribeRequest{Request: &gpb.SubscribeRequest_Subscribe{Subscribe: list}})
	return stream, nil
}

// sending is the function retried, or attempt: with a retry or without one.
type sending func(context.Context, *session, receiving) ([]*gpb.Notification, error)

// receiving is one attempt to receive notifications.
type receiving = func(context.Context) ([]*gpb.Notification, error)

// collect collects the notifications of a Subscribe ONCE until the switch says that it has sent all.
func (s *session) collect(ctx context.Context, paths []*gpb.Path, encoding gpb.Encoding) ([]*gpb.Notification, error) {
	stream, err := s.subscribe(ctx, &gpb.SubscriptionList{Prefix: s.prefix(), Mode: gpb.SubscriptionList_ONCE,
		Encoding: encoding}, paths, gpb.SubscriptionMode_TARGET_DEFINED)
	if err != nil {
		return nil, err
	}
	_ = stream.CloseSend()
	var out []*gpb.Notification
	for {
		answer, err := stream.Recv()
		switch {
		case errors.Is(err, io.EOF):
			return nil, errNotComplete
		case err == nil && answer.GetSyncResponse():
			return out, nil
		case err != nil:
			return nil, err
		}
		if n := answer.GetUpdate(); n != nil {
			out = append(out, n)
		}
	}
}
