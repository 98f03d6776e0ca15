package gnmi_test

import (
	"context"
	"errors"
	"testing"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

// reporter is a switch that reports what it is told to.
type reporter struct {
	gpb.UnimplementedGNMIServer
	reports []*gpb.SubscribeResponse
	end     error
	asked   *gpb.SubscriptionList
	who     metadata.MD
}

func (r *reporter) Subscribe(stream gpb.GNMI_SubscribeServer) error {
	req, err := stream.Recv()
	if err != nil {
		return err
	}
	r.who, _ = metadata.FromIncomingContext(stream.Context())
	r.asked = req.GetSubscribe()
	for _, report := range r.reports {
		if err := stream.Send(report); err != nil {
			return err
		}
	}
	return r.end
}

func TestWatch(t *testing.T) {
	update := &gpb.SubscribeResponse{Response: &gpb.SubscribeResponse_Update{Update: &gpb.Notification{}}}
	sync := &gpb.SubscribeResponse{Response: &gpb.SubscribeResponse_SyncResponse{SyncResponse: true}}
	enough := errors.New("enough")
	for name, test := range map[string]struct {
		reports []*gpb.SubscribeResponse
		end     error
		most    int // calls before changed has enough
		calls   int
		want    string
	}{
		"what there is, then changes": {[]*gpb.SubscribeResponse{update, update, sync, update, update}, nil, 3, 3, "enough"},
		"the switch ends it":          {[]*gpb.SubscribeResponse{update, sync}, nil, 9, 1, "gNMI target leaf1 ended the stream"},
		"the switch breaks it off":    {[]*gpb.SubscribeResponse{sync, update}, status.Error(codes.Aborted, "secret overflow"), 9, 2, "gNMI target leaf1: Subscribe failed (Aborted): *** overflow"},
	} {
		t.Run(name, func(t *testing.T) {
			r := &reporter{reports: test.reports, end: test.end}
			l, calls := serve(t, r), 0
			err := l.client.Watch(t.Context(), func(context.Context) error {
				if calls++; calls == test.most {
					return enough
				}
				return nil
			})
			require.EqualError(t, err, test.want)
			require.Equal(t, test.calls, calls)
			require.Equal(t, gpb.SubscriptionList_STREAM, r.asked.GetMode())
			require.Equal(t, "openconfig", r.asked.GetPrefix().GetOrigin())
			require.Equal(t, []string{"operator"}, r.who["username"])
		})
	}
}
