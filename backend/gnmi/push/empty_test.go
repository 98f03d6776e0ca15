package push_test

import (
	"context"
	"slices"
	"testing"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/gnmi/push"
	"github.com/cellwarden/cellwarden/buffer"
)

// A switch that did not make a Set, and answers Gets with an empty update from then on, still holds the previous
// values: no other client is said to have written. What Subscribe tells is what it holds.
func TestEmptyUpdate(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	p, err := plan("5m")
	require.NoError(t, err)
	on := false
	address, stop, err := serve(p, grpc.UnaryInterceptor(func(ctx context.Context, req any, _ *grpc.UnaryServerInfo,
		next grpc.UnaryHandler) (any, error) {
		if set, ok := req.(*gpb.SetRequest); ok && len(set.GetUpdate())+len(set.GetReplace()) > 0 && on {
			return &gpb.SetResponse{}, nil
		}
		answer, err := next(ctx, req)
		if get, ok := answer.(*gpb.GetResponse); ok && err == nil && on {
			get.Notification[0].Update = nil
		}
		return answer, err
	}))
	require.NoError(t, err)
	defer stop()
	to, opt := push.Target{Address: address}, committing()
	opt.Connection.Rollback = 0
	_, err = push.Apply(t.Context(), to, p, opt)
	require.NoError(t, err)
	before := holds(t, p, to)
	other := p
	other.Layout = slices.Clone(p.Layout)
	for i := range other.Layout {
		if other.Layout[i].Kind == buffer.GroupReserved {
			other.Layout[i].Value++
		}
	}
	opt.JournalCreated = func(string) { on = true }
	r, err := push.Apply(t.Context(), to, other, opt)
	on = false
	require.ErrorIs(t, err, backend.ErrMismatch)
	require.NotErrorIs(t, err, backend.ErrOthers)
	require.Empty(t, r.Others)
	require.Equal(t, backend.Refused, r.State)
	require.Equal(t, backend.HasBefore, r.Has)
	require.Equal(t, before, holds(t, p, to))
}
