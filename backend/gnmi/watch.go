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

// errStreamEnded says that the switch closed a Subscribe STREAM, which only the client may do.
var errStreamEnded = errors.New("ended the stream")

// watch is WatchPaths of one stream: it ends when the stream breaks, too.
func (c *Client) watch(ctx context.Context, prefix *gpb.Path, paths []*gpb.Path,
	changed func(context.Context) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stream, err := c.subscribe(ctx, &gpb.SubscriptionList{Prefix: prefix, Mode: gpb.SubscriptionList_STREAM,
		Encoding: gpb.Encoding_JSON_IETF}, paths, gpb.SubscriptionMode_ON_CHANGE)
	if err != nil {
		return c.failure("Subscribe", err)
	}
	for synced := false; ; {
		answer, err := stream.Recv()
		switch {
		case errors.Is(err, io.EOF):
			return fmt.Errorf("%s %w", c.name, errStreamEnded)
		case err != nil:
			return c.failure("Subscribe", err)
		case answer.GetSyncResponse():
			synced = true
		case !synced: // the present state, in parts: it is read once it is complete
			continue
		}
		if err := changed(ctx); err != nil {
			return err
		}
	}
}

// WatchOn calls changed whenever the switch reports a change under /qos, by Subscribe STREAM ON_CHANGE, and once when
// the switch has reported its present state. What changed reads may be newer than the report, because several reports
// may arrive while it reads. The keepalive of the connection detects a switch that is gone.
//
// It subscribes again whenever the stream breaks, because the switch restarts or the network fails. Between attempts it
// waits as Options.Retry says, without a limit of attempts; the waits start again at the first one after every report.
// lost gets the reason each time. WatchOn ends when changed returns an error that is not an RPCError, which it returns,
// when the context ends, or when the switch refuses the subscription, which waiting does not change.
func (c *Client) WatchOn(ctx context.Context, changed func(context.Context) error, lost func(error)) error {
	return c.WatchPaths(ctx, c.prefix(), []*gpb.Path{qos.RootPath()}, changed, lost)
}

// WatchPaths is WatchOn of other paths, such as those of native configuration.
func (c *Client) WatchPaths(ctx context.Context, prefix *gpb.Path, paths []*gpb.Path,
	changed func(context.Context) error, lost func(error)) error {
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

// mayComeBack tells whether it is worth subscribing again after an error.
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
		return passing(broken.cause) // refused certificates do not pass
	case codes.ResourceExhausted:
		// The switch has too many streams, or this client was too slow. gRPC's own error
		// with this code is about the length of a message, which does not pass.
		return !strings.HasPrefix(broken.Message, "grpc: ")
	}
	return !slices.Contains(refusals, broken.Code)
}
