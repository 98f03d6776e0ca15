package gnmi

import (
	"context"
	"errors"
	"fmt"
	"io"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
)

// Watch calls changed whenever the switch reports that something under /qos
// has changed, by Subscribe STREAM ON_CHANGE, and once when it has told all
// that there is. It ends when changed returns an error, which it returns, when
// the context ends, or when the stream breaks. The connection's keepalive finds
// out when the switch is gone. What changed reads may be newer than what was
// reported; several reports may arrive while it reads.
func (c *Client) Watch(ctx context.Context, changed func(context.Context) error) error {
	ctx, cancel := context.WithCancel(c.opt.identified(ctx))
	defer cancel()
	stream, err := c.stub.Subscribe(ctx, c.opt.limits()...)
	if err != nil {
		return c.failure("Subscribe", c.opt.Password.hideError(err))
	}
	_ = stream.Send(&gpb.SubscribeRequest{Request: &gpb.SubscribeRequest_Subscribe{Subscribe: &gpb.SubscriptionList{
		Prefix: c.prefix(), Mode: gpb.SubscriptionList_STREAM, Encoding: gpb.Encoding_JSON_IETF,
		Subscription: []*gpb.Subscription{{Path: at("/qos"), Mode: gpb.SubscriptionMode_ON_CHANGE}}}}})
	for synced := false; ; {
		answer, err := stream.Recv()
		switch {
		case errors.Is(err, io.EOF):
			return fmt.Errorf("%s ended the stream", c.name)
		case err != nil:
			return c.failure("Subscribe", c.opt.Password.hideError(err))
		case answer.GetSyncResponse():
			synced = true
		case !synced:
			continue
		}
		if err := changed(ctx); err != nil {
			return err
		}
	}
}
