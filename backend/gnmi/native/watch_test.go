package native_test

import (
	"context"
	"errors"
	"testing"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/gnmi"
	"github.com/cellwarden/cellwarden/backend/gnmi/native"
	"github.com/cellwarden/cellwarden/internal/sonicfake"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/nos/sonic"
	"github.com/cellwarden/cellwarden/unit"
)

// A SONiC switch reports that a table has changed, and is compared again. It has tables without entries: it reports
// them by the target CONFIG_DB, and refuses them by the origin sonic-db, as a gateway asks for them.
func TestWatch(t *testing.T) {
	t.Run("switch", func(t *testing.T) { watchedOnce(t, gnmi.Options{}) })
	t.Run("gateway", func(t *testing.T) { watchedOnce(t, gnmi.Options{Target: "leaf1"}) })
}

func watchedOnce(t *testing.T, opt gnmi.Options) {
	s := sonicfake.New(shipped())
	s.ASIC, s.Version = "th", "SONiC.20251110.1"
	client := dialled(t, s, opt)
	l := language(t, 40*unit.Metre)
	l.Options.Release, _ = sonic.ParseRelease(s.Version) // a gateway does not tell it
	_, err := push(t, client, l)
	require.NoError(t, err)
	differs, looks := errors.New("it differs"), 0
	err = native.Watch(t.Context(), client, l, func(ctx context.Context) error {
		p, err := native.Look(ctx, client, l)
		require.NoError(t, err)
		if len(p.Report.Changes) > 0 {
			require.Equal(t, []string{"CABLE_LENGTH/AZURE/Ethernet0"}, changed(p))
			return differs
		}
		looks++
		db := s.Config()
		db["CABLE_LENGTH"]["AZURE"]["Ethernet0"] = "5m"
		s.Load(db)
		return nil
	}, func(err error) { t.Error(err) })
	require.ErrorIs(t, err, differs)
	require.Equal(t, 1, looks)
}

// reporting is a switch that reports changes of all that it has.
type reporting struct {
	*tree
	news chan struct{}
}

func (s *reporting) Subscribe(stream grpc.BidiStreamingServer[gpb.SubscribeRequest, gpb.SubscribeResponse]) error {
	first, err := stream.Recv()
	if err != nil {
		return err
	}
	list := first.GetSubscribe()
	path := list.GetSubscription()[0].GetPath()
	if list.GetMode() != gpb.SubscriptionList_STREAM || list.GetPrefix().GetOrigin() != s.origin ||
		len(path.GetElem()) != 1 || path.GetElem()[0].GetName() != "qos" {
		return status.Error(codes.InvalidArgument, "mode, origin or path")
	}
	answer := &gpb.SubscribeResponse{Response: &gpb.SubscribeResponse_SyncResponse{SyncResponse: true}}
	for {
		if err := stream.Send(answer); err != nil {
			return err
		}
		select {
		case <-s.news:
		case <-stream.Context().Done():
			return nil
		}
		answer = &gpb.SubscribeResponse{Response: &gpb.SubscribeResponse_Update{Update: &gpb.Notification{}}}
	}
}

// Every native configuration that is pushed can be watched, as drift --watch does: a value that another client changes
// ends the watching, and is named with its path.
func TestComparisonIsWatched(t *testing.T) {
	for name, c := range fixedDialects {
		t.Run(name, func(t *testing.T) {
			s := &reporting{&tree{module: c.module, origin: c.origin, root: map[string]any{}}, make(chan struct{}, 1)}
			client := served(t, s, 0)
			plan := planned(t, 40*unit.Metre, c.ports...)
			l := &native.Fixed{Rendering: c.render(plan)}
			_, err := push(t, client, l)
			require.NoError(t, err)
			last := l.Rendering.Updates[len(l.Rendering.Updates)-1]
			result, err := backend.WatchDrift(t.Context(), &native.Comparison{Client: client, Language: l, Layout: plan.Layout},
				func(e backend.DriftEvent, why error) {
					require.Equal(t, backend.DriftAsPlanned, e, "%v", why)
					s.mu.Lock()
					s.write(&gpb.Path{Elem: elems(last.Path)}, nil)
					s.mu.Unlock()
					s.news <- struct{}{}
				})
			require.NoError(t, err)
			require.Len(t, result.Differences, 1)
			require.Equal(t, nos.Text(last.Path), result.Differences[0].Path)
			require.Empty(t, result.Differences[0].Has)
		})
	}
}

func elems(path []nos.Elem) (out []*gpb.PathElem) {
	for _, e := range path {
		elem := &gpb.PathElem{Name: e.Name}
		if e.Key != "" {
			elem.Key = map[string]string{e.Key: e.Value}
		}
		out = append(out, elem)
	}
	return out
}
