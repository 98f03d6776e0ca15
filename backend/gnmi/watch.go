package gnmi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc/codes"

	"github.com/cellwarden/cellwarden/backend/gnmi/qos"
)

// errStreamEnded says that a switch ended a stream that has no end.
var errStreamEnded = errors.New("ended the stream")

// Watch calls changed whenever the switch reports that something under /qos
// has changed, by Subscribe STREAM ON_CHANGE, and once when it has told all
// that there is. It ends when changed returns an error, which it returns, when
// the context ends, or when the stream breaks. The connection's keepalive finds
// out when the switch is gone. What changed reads may be newer than what was
// reported; several reports may arrive while it reads.
func (c *Client) Watch(ctx context.Context, changed func(context.Context) error) error {
	return c.watch(ctx, c.prefix(), []*gpb.Path{qos.RootPath()}, changed)
}

// watch is Watch of some paths.
func (c *Client) watch(ctx context.Context, prefix *gpb.Path, paths []*gpb.Path, changed func(context.Context) error) error {
	ctx, cancel := context.WithCancel(c.opt.identified(ctx))
	defer cancel()
	stream, err := c.stub.Subscribe(ctx, c.opt.limits()...)
	if err != nil {
		return c.failure("Subscribe", c.opt.Password.hideError(err))
	}
	list := &gpb.SubscriptionList{Prefix: prefix, Mode: gpb.SubscriptionList_STREAM, Encoding: gpb.Encoding_JSON_IETF}
	for _, p := range paths {
		list.Subscription = append(list.Subscription, &gpb.Subscription{Path: p, Mode: gpb.SubscriptionMode_ON_CHANGE})
	}
	_ = stream.Send(&gpb.SubscribeRequest{Request: &gpb.SubscribeRequest_Subscribe{Subscribe: list}})
	for synced := false; ; {
		answer, err := stream.Recv()
		switch {
		case errors.Is(err, io.EOF):
			return fmt.Errorf("%s %w", c.name, errStreamEnded)
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

// WatchOn is Watch that begins again when the stream breaks, because the switch
// restarts or the way to it is lost, for as long as it takes: after the waits of
// Options.Retry, which begin anew once the switch has told all that there is.
// lost is called each time with the reason. It ends when changed returns an
// error that is no RPC's, when the context ends, or when the switch refuses: that
// does not pass by waiting.
func (c *Client) WatchOn(ctx context.Context, changed func(context.Context) error, lost func(error)) error {
	return c.WatchPaths(ctx, c.prefix(), []*gpb.Path{qos.RootPath()}, changed, lost)
}

// WatchPaths is WatchOn of paths of the caller's, such as those of native
// configuration.
func (c *Client) WatchPaths(ctx context.Context, prefix *gpb.Path, paths []*gpb.Path, changed func(context.Context) error, lost func(error)) error {
	failed := 0
	for {
		err := c.watch(ctx, prefix, paths, func(ctx context.Context) error {
			err := changed(ctx)
			if err == nil {
				failed = 0
			}
			return err
		})
		if ctx.Err() != nil || !mayComeBack(err) {
			return err
		}
		failed++
		lost(err)
		if err := c.opt.Retry.pause(ctx, failed); err != nil {
			return err
		}
	}
}

// mayComeBack tells whether a stream that broke is worth another try.
func mayComeBack(err error) bool {
	var broken *RPCError
	switch {
	case errors.Is(err, errStreamEnded):
		return true
	case !errors.As(err, &broken):
		return false
	}
	switch broken.Code {
	case codes.Unavailable:
		return passing(broken.cause) // certificates are not
	case codes.ResourceExhausted: // of streams, or we were too slow; gRPC's own is about a message's length
		return !strings.HasPrefix(broken.Message, "grpc: ")
	}
	return !slices.Contains(refusals, broken.Code)
}
