package gnmi

import (
	"context"
	"errors"
	"fmt"
	"io"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc/codes"

	"github.com/cellwarden/cellwarden/backend/gnmi/oc"
)

// subscribe reads with Subscribe ONCE what is under some paths. The leaves come
// one by one, in PROTO, or in JSON_IETF if the target has no PROTO.
func (c *Client) subscribe(ctx context.Context, paths []*gpb.Path, try trying) (*oc.Root, error) {
	var notes []*gpb.Notification
	var err error
	for _, encoding := range []gpb.Encoding{gpb.Encoding_PROTO, gpb.Encoding_JSON_IETF} {
		notes, err = try(ctx, c, func(ctx context.Context) ([]*gpb.Notification, error) { return c.leaves(ctx, paths, encoding) })
		if codeOf(err) != codes.Unimplemented {
			break
		}
	}
	if err != nil {
		return nil, c.failure("Subscribe", err)
	}
	root, err := parse(notes)
	if err != nil {
		return nil, fmt.Errorf("%s answered what cannot be read: %w", c.name, err)
	}
	return root, nil
}

// trying is ask, or once.
type trying func(context.Context, *Client, func(context.Context) ([]*gpb.Notification, error)) ([]*gpb.Notification, error)

// leaves collects the notifications until the target says that it has told
// all.
func (c *Client) leaves(ctx context.Context, paths []*gpb.Path, encoding gpb.Encoding) ([]*gpb.Notification, error) {
	stream, err := c.stub.Subscribe(ctx, c.opt.limits()...)
	if err != nil {
		return nil, err
	}
	list := &gpb.SubscriptionList{Prefix: c.prefix(), Mode: gpb.SubscriptionList_ONCE, Encoding: encoding}
	for _, p := range paths {
		list.Subscription = append(list.Subscription, &gpb.Subscription{Path: p})
	}
	// What fails in sending shows in receiving, with its reason.
	_ = stream.Send(&gpb.SubscribeRequest{Request: &gpb.SubscribeRequest_Subscribe{Subscribe: list}})
	_ = stream.CloseSend()
	var out []*gpb.Notification
	for {
		answer, err := stream.Recv()
		switch {
		case errors.Is(err, io.EOF), err == nil && answer.GetSyncResponse():
			return out, nil
		case err != nil:
			return nil, err
		}
		if n := answer.GetUpdate(); n != nil {
			out = append(out, n)
		}
	}
}
