package gnmi

import (
	"context"
	"log/slog"
	"time"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc"
	"google.golang.org/grpc/status"

	"github.com/cellwarden/cellwarden/backend/gnmi/internal/asked"
)

// loggedRPCs logs how long every RPC took and its result: failures as warnings, the
// others for debugging. It logs neither the content of requests nor the credentials.
type loggedRPCs struct {
	gpb.GNMIClient
	log     *slog.Logger
	address string
	secret  Secret
}

func (l loggedRPCs) Capabilities(ctx context.Context, req *gpb.CapabilityRequest,
	opts ...grpc.CallOption) (*gpb.CapabilityResponse, error) {
	start := time.Now()
	answer, err := l.GNMIClient.Capabilities(ctx, req, opts...)
	l.record(ctx, "Capabilities", start, err)
	return answer, err
}

func (l loggedRPCs) Get(ctx context.Context, req *gpb.GetRequest, opts ...grpc.CallOption) (*gpb.GetResponse, error) {
	start := time.Now()
	answer, err := l.GNMIClient.Get(ctx, req, opts...)
	l.record(ctx, "Get", start, err)
	return answer, err
}

func (l loggedRPCs) Set(ctx context.Context, req *gpb.SetRequest, opts ...grpc.CallOption) (*gpb.SetResponse, error) {
	start := time.Now()
	answer, err := l.GNMIClient.Set(ctx, req, opts...)
	l.record(ctx, "Set", start, err, "deletes", len(req.GetDelete()), "replaces", len(req.GetReplace()),
		"updates", len(req.GetUpdate()), "extended", len(req.GetExtension()) > 0)
	return answer, err
}

func (l loggedRPCs) Subscribe(ctx context.Context, opts ...grpc.CallOption) (gpb.GNMI_SubscribeClient, error) {
	start := time.Now()
	stream, err := l.GNMIClient.Subscribe(ctx, opts...)
	l.record(ctx, "Subscribe", start, err)
	return stream, err
}

// record writes one line of the log.
func (l loggedRPCs) record(ctx context.Context, rpc string, start time.Time, err error, more ...any) {
	level := slog.LevelDebug
	more = append([]any{"target", l.address, "rpc", rpc, "took", time.Since(start)}, more...)
	if err != nil {
		if !asked.Once(ctx) {
			level = slog.LevelWarn
		}
		s := status.Convert(err)
		more = append(more, "code", s.Code().String(), "message", l.secret.hide(s.Message()))
	}
	l.log.Log(ctx, level, "gNMI", more...)
}
