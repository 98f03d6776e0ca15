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

// subscribe reads /qos with Subscribe ONCE, for targets without Get. Their
// leaves come one by one, in PROTO, or in JSON_IETF if the target has no PROTO.
func (c *Client) subscribe(ctx context.Context) (*oc.Root, error) {
	var answer *gpb.GetResponse
	var err error
	for _, encoding := range []gpb.Encoding{gpb.Encoding_PROTO, gpb.Encoding_JSON_IETF} {
		answer, err = ask(ctx, c, func(ctx context.Context) (*gpb.GetResponse, error) { return c.leaves(ctx, encoding) })
		if codeOf(err) != codes.Unimplemented {
			break
		}
	}
	if err != nil {
		return nil, c.failure("Subscribe", err)
	}
	root, err := parse(answer.GetNotification())
	if err != nil {
		return nil, fmt.Errorf("%s answered what cannot be read: %w", c.name, err)
	}
	return root, nil
}

// leaves collects the notifications until the target says that it has told
// all.
func (c *Client) leaves(ctx context.Context, encoding gpb.Encoding) (*gpb.GetResponse, error) {
	stream, err := c.stub.Subscribe(ctx, c.opt.limits()...)
	if err != nil {
		return nil, err
	}
	// What fails in sending shows in receiving, with its reason.
	_ = stream.Send(&gpb.SubscribeRequest{Request: &gpb.SubscribeRequest_Subscribe{Subscribe: &gpb.SubscriptionList{
		Prefix: c.prefix(), Mode: gpb.SubscriptionList_ONCE, Encoding: encoding,
		Subscription: []*gpb.Subscription{{Path: at("/qos")}}}}})
	_ = stream.CloseSend()
	out := &gpb.GetResponse{}
	for {
		answer, err := stream.Recv()
		switch {
		case errors.Is(err, io.EOF), err == nil && answer.GetSyncResponse():
			return out, nil
		case err != nil:
			return nil, err
		}
		if n := answer.GetUpdate(); n != nil {
			out.Notification = append(out.Notification, n)
		}
	}
}
