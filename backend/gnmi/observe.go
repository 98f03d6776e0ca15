package gnmi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc/codes"

	"github.com/cellwarden/cellwarden/backend/gnmi/qos"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/jsontree"
)

// Observe reads the registers that the switch's profile has leaves for. A switch
// whose profile has none is not asked, and holds none.
func (c *Client) Observe(ctx context.Context) (buffer.Layout, error) {
	c.seen = nil
	if p := c.profile; p != nil && !p.ExpressesAny() {
		c.seen = qos.EmptySnapshot(c.opt.Cell, p)
		return nil, nil
	}
	if c.seen = c.readBack(ctx); c.seen != nil {
		c.original.Remember(c.seen)
		return *c.expected, nil
	}
	had := c.expected != nil && len(*c.expected) > 0 && c.held
	notes, err := c.readAll(ctx)
	if err == nil && had && saysNothing(notes) {
		// It should hold registers, and did when it was read first: a switch that is about to load its configuration answers
		// so. Where another way of reading says too that nothing is there, it is so.
		if notes, err = c.subscribeOnce(ctx, []*gpb.Path{qos.RootPath()}, retried); err != nil {
			err = fmt.Errorf("%s %w", c.name, errEmptied)
		}
	}
	if err != nil {
		if !errors.Is(err, errEmptied) {
			c.expected = nil
		}
		return nil, err
	}
	c.expected = nil
	root, err := qos.ParseNotifications(notes)
	if err != nil {
		return nil, fmt.Errorf("the answer of %s cannot be read: %w", c.name, err)
	}
	seen, err := qos.ReadSnapshot(root, c.opt.Cell, c.profile)
	if err != nil {
		return nil, fmt.Errorf("%s has configuration that cellwarden cannot read: %w", c.name, err)
	}
	c.seen = seen
	c.original.Remember(seen)
	have := seen.Layout()
	c.expected, c.held = &have, c.held || len(have) > 0
	return have, nil
}

// errEmptied says that a switch which held registers, and should hold some, answers that it has no configuration at
// all.
var errEmptied = errors.New("answers Get with an empty update, and held registers before: what it holds is unknown")

// saysNothing tells whether notifications have no update, or empty ones.
func saysNothing(notes []*gpb.Notification) bool {
	for _, v := range jsontree.Updates(notes) {
		if string(v.GetJsonIetfVal()) != "{}" && string(v.GetJsonVal()) != "{}" {
			return false
		}
	}
	return true
}

// readAll reads all of /qos by the first way that the switch implements.
func (c *Client) readAll(ctx context.Context) ([]*gpb.Notification, error) {
	notes, err := c.getQoS(ctx, gpb.GetRequest_CONFIG)
	if unimplemented(err) {
		notes, err = c.getQoS(ctx, gpb.GetRequest_ALL) // some switches have no other type
	}
	if unimplemented(err) || errors.Is(err, errNothingSaid) { // some have no Get, or one that says nothing
		asked := err
		notes, err = c.subscribeOnce(ctx, []*gpb.Path{qos.RootPath()}, retried)
		if unimplemented(err) && errors.Is(asked, errNothingSaid) {
			err = asked
		}
	}
	return notes, err
}

// readBack reads what the switch should hold, by Subscribe ONCE of the leaves alone, and returns nil if it does not get
// that. This is the fastest way, because the switch sends no more than these leaves. But the request has wildcards, and
// some switches answer those with nothing, or not with all. So the answer counts only if it is what was expected;
// otherwise the caller reads all of /qos.
func (c *Client) readBack(ctx context.Context) *qos.Snapshot {
	if c.expected == nil || c.noOnce {
		return nil
	}
	notes, err := c.subscribeOnce(ctx, qos.LeafPaths(), attempt)
	if err != nil {
		c.noOnce = !passing(err)
		return nil
	}
	root, err := qos.ParseNotifications(notes)
	if err != nil {
		c.noOnce = true
		return nil
	}
	seen, err := qos.ReadSnapshot(root, c.opt.Cell, c.profile)
	if err != nil || !slices.Equal(seen.Layout(), *c.expected) {
		return nil
	}
	return seen
}

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
