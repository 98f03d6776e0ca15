package gnmi_test

import (
	"bytes"
	"context"
	"testing"
	"time"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/gnmi"
	"github.com/cellwarden/cellwarden/backend/gnmi/qos"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/oc"
	"github.com/cellwarden/cellwarden/unit"
)

func TestConvergeAppliesAPlan(t *testing.T) {
	l, want := newLab(t, chip(20000)), planned(t, intent("Ethernet1/1", "Ethernet1/2", "Ethernet1/3"))
	report, err := backend.Converge(t.Context(), l.client, want, backend.Options{})
	require.NoError(t, err)
	require.Equal(t, backend.Applied, report.State)
	require.Equal(t, "gNMI target leaf1", report.Device)
	gaps := map[buffer.Kind]int{}
	for _, g := range report.Gaps {
		gaps[g.Kind] = g.Count
		require.Contains(t, g.Why, "OpenConfig has no leaf ")
	}
	require.Equal(t, map[buffer.Kind]int{buffer.PoolShared: 1, buffer.GroupLossless: 6, buffer.GroupHeadroom: 6,
		buffer.GroupXONOffset: 6}, gaps)
	have, err := l.asic.Observe(t.Context())
	require.NoError(t, err)
	require.Equal(t, carried(want), have)
	require.Equal(t, 1, l.sets())

	report, err = backend.Converge(t.Context(), l.client, want, backend.Options{})
	require.NoError(t, err)
	require.Equal(t, backend.Unchanged, report.State)
	require.Equal(t, 4, l.sets(), "no change is sent for nothing: the switch is asked whether a commit waits")
	require.Equal(t, 4, l.client.Sets())
}

// profiles returns the names of the profiles on the switch.
func profiles(t *testing.T, l *lab) (pgs, ecns []string) {
	t.Helper()
	have, err := l.client.Observe(t.Context())
	require.NoError(t, err)
	root, err := qos.Encode(have, cell)
	require.NoError(t, err)
	if all := root.Qos.GetBufferAllocationProfiles(); all != nil {
		for name := range all.BufferAllocationProfile {
			pgs = append(pgs, name)
		}
	}
	if all := root.Qos.GetQueueManagementProfiles(); all != nil {
		for name := range all.QueueManagementProfile {
			ecns = append(ecns, name)
		}
	}
	return pgs, ecns
}

func TestPortsShareProfiles(t *testing.T) {
	l := newLab(t, chip(20000))
	_, err := backend.Converge(t.Context(), l.client, planned(t, intent("Ethernet1/1", "Ethernet1/2")), backend.Options{})
	require.NoError(t, err)
	pgs, ecns := profiles(t, l)
	require.Len(t, pgs, 1)
	require.Len(t, ecns, 1)
	require.Regexp(t, "^cellwarden-pg-[0-9a-f]{12}$", pgs[0])

	wider := intent("Ethernet1/2")
	wider.Classes[1].Reserved = unit.Given[unit.Bytes](4160)
	_, err = backend.Converge(t.Context(), l.client, planned(t, wider), backend.Options{})
	require.NoError(t, err)
	pgs, _ = profiles(t, l)
	require.Len(t, pgs, 2, "the other port keeps the profile that it shared")
}

func TestPruneDeletesProfiles(t *testing.T) {
	l := newLab(t, chip(20000))
	_, err := backend.Converge(t.Context(), l.client, planned(t, intent("Ethernet1/1", "Ethernet1/2")), backend.Options{})
	require.NoError(t, err)

	report, err := backend.Converge(t.Context(), l.client, nil, backend.Options{})
	require.NoError(t, err)
	require.Equal(t, []string{"Ethernet1/1", "Ethernet1/2"}, report.LeftAlone)

	var sent *gpb.SetRequest
	l.on(gpb.GNMI_Set_FullMethodName, func(ctx context.Context, req any, _ *grpc.UnaryServerInfo,
		next grpc.UnaryHandler) (any, error) {
		sent = req.(*gpb.SetRequest)
		return next(ctx, req)
	})
	report, err = backend.Converge(t.Context(), l.client, nil, backend.Options{Prune: true})
	require.NoError(t, err)
	require.Equal(t, backend.Applied, report.State)
	require.Len(t, sent.GetDelete(), 2+2*2+2, "two inputs, two queues on each of two outputs, one profile of each kind")
	require.Equal(t, "openconfig", sent.GetPrefix().GetOrigin())
	require.Empty(t, sent.GetReplace())
	require.Empty(t, sent.GetUpdate())
	have, err := l.asic.Observe(t.Context())
	require.NoError(t, err)
	require.Empty(t, have)
}

func TestWhatDoesNotFitIsRefused(t *testing.T) {
	l := newLab(t, chip(2200)) // a port needs two times 500 cells and a few
	in := intent("Ethernet1/1", "Ethernet1/2", "Ethernet1/3", "Ethernet1/4")
	in.Classes[0].Reserved = unit.Given[unit.Bytes](500 * 208)
	want := planned(t, in)
	report, err := backend.Converge(t.Context(), l.client, want, backend.Options{})
	require.ErrorIs(t, err, backend.ErrRefused)
	require.ErrorIs(t, err, buffer.ErrNoFit)
	require.ErrorContains(t, err, "ingress buffer allocation failed for interface Ethernet1/3")
	require.ErrorContains(t, err, "gNMI target leaf1 refused the Set and changed nothing (ResourceExhausted)")
	require.Equal(t, backend.Refused, report.State)
	var rpc *gnmi.RPCError
	require.ErrorAs(t, err, &rpc)
	require.Equal(t, codes.ResourceExhausted, rpc.Code)
	have, err := l.asic.Observe(t.Context())
	require.NoError(t, err)
	require.Empty(t, have)
}

func TestTargetDiesInsideSet(t *testing.T) {
	l := newLab(t, chip(20000))
	l.on(gpb.GNMI_Set_FullMethodName, func(ctx context.Context, req any, _ *grpc.UnaryServerInfo,
		next grpc.UnaryHandler) (any, error) {
		l.server.Stop()
		return next(ctx, req)
	})
	report, err := backend.Converge(t.Context(), l.client, planned(t, intent("Ethernet1/1")), backend.Options{})
	require.Equal(t, backend.Unknown, report.State)
	require.NotErrorIs(t, err, backend.ErrRefused)
	require.ErrorContains(t, err, "gNMI target leaf1 did not answer the Set (Unavailable)")
	require.ErrorContains(t, err, "the state of gNMI target leaf1 is unknown")
	require.Equal(t, 1, l.sets(), "a Set is never repeated")
}

func TestTargetThatNeverAnswers(t *testing.T) {
	l := newLab(t, chip(20000))
	l.on(gpb.GNMI_Get_FullMethodName, func(ctx context.Context, _ any, _ *grpc.UnaryServerInfo, _ grpc.UnaryHandler) (any,
		error) {
		<-ctx.Done()
		return nil, ctx.Err()
	})
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_, err := l.client.Observe(ctx)
	require.ErrorContains(t, err, "Get failed (DeadlineExceeded)")
}

// A target that says yes and stores something else is found out. What it stored could be
// another client's: it is named and left, and all else is undone.
func TestTargetThatLies(t *testing.T) {
	l := newLab(t, chip(20000))
	first := true
	l.on(gpb.GNMI_Set_FullMethodName, func(ctx context.Context, req any, _ *grpc.UnaryServerInfo,
		next grpc.UnaryHandler) (any, error) {
		for _, u := range req.(*gpb.SetRequest).GetReplace() {
			if v := u.GetVal().GetValue().(*gpb.TypedValue_JsonIetfVal); first {
				v.JsonIetfVal = bytes.ReplaceAll(v.JsonIetfVal, []byte(`"1248"`), []byte(`"1040"`))
			}
		}
		first = false
		return next(ctx, req)
	})
	report, err := backend.Converge(t.Context(), l.client, planned(t, intent("Ethernet1/1")), backend.Options{})
	require.ErrorIs(t, err, backend.ErrMismatch)
	require.Equal(t, backend.Partial, report.State)
	require.Equal(t, "Ethernet1/1 group 3 reserved 5 cells -> 0 cells", report.Others[0].String())
	have, err := l.asic.Observe(t.Context())
	require.NoError(t, err)
	require.Equal(t, buffer.Diff(have, nil), report.Others)
}

// What somebody wrote into a profile of cellwarden's is put right for the
// ports of the plan, and not for a port that is none of its business.
func TestChangedProfileIsNotForcedOnOthers(t *testing.T) {
	l := newLab(t, chip(20000))
	_, err := backend.Converge(t.Context(), l.client, planned(t, intent("Ethernet1/1", "Ethernet1/2")), backend.Options{})
	require.NoError(t, err)
	pgs, _ := profiles(t, l)
	changed := &gpb.Path{Elem: []*gpb.PathElem{{Name: "qos"}, {Name: "buffer-allocation-profiles"},
		{Name: "buffer-allocation-profile", Key: map[string]string{"name": pgs[0]}}, {Name: "queues"},
		{Name: "queue", Key: map[string]string{"name": "3"}}, {Name: "config"}, {Name: "dedicated-buffer"}}}
	_, err = l.served.Set(t.Context(), &gpb.SetRequest{Update: []*gpb.Update{{Path: changed,
		Val: &gpb.TypedValue{Value: &gpb.TypedValue_UintVal{UintVal: 2080}}}}})
	require.NoError(t, err)

	report, err := backend.Converge(t.Context(), l.client, planned(t, intent("Ethernet1/1")), backend.Options{})
	require.NoError(t, err)
	require.Equal(t, backend.Applied, report.State)
	have, err := l.asic.Observe(t.Context())
	require.NoError(t, err)
	reserved := func(port string) int64 {
		return have.Value(buffer.Register{Kind: buffer.GroupReserved, Port: port, Index: 3})
	}
	require.EqualValues(t, 6, reserved("Ethernet1/1"))
	require.EqualValues(t, 10, reserved("Ethernet1/2"))
}

// Undoing binds a port to the profile that it had before cellwarden came.
func TestForeignProfileIsRestored(t *testing.T) {
	l := newLab(t, chip(20000))
	replace(t, l, `{"openconfig-qos:queues":{"queue":[{"name":"3","config":{"name":"3"}}]},
		"openconfig-qos:buffer-allocation-profiles":{"buffer-allocation-profile":[{"name":"vendor","config":{"name":"vendor"},
			"queues":{"queue":[{"name":"3","config":{"name":"3","dedicated-buffer":"999"}}]}}]},
		"openconfig-qos:interfaces":{"interface":[{"interface-id":"Ethernet1/1","config":{"interface-id":"Ethernet1/1"},
			"input":{"config":{"buffer-allocation-profile":"vendor"}}}]}}`)
	before, err := l.client.Observe(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, 5, before.Value(buffer.Register{Kind: buffer.GroupReserved, Port: "Ethernet1/1", Index: 3}),
		"999 bytes round up")

	want := carried(planned(t, intent("Ethernet1/1")))
	require.NoError(t, l.client.Apply(t.Context(), buffer.Diff(before, want)))
	now, err := l.client.Observe(t.Context())
	require.NoError(t, err)
	require.Equal(t, want, now)

	require.NoError(t, l.client.Apply(t.Context(), buffer.Diff(now, before)))
	require.Equal(t, "vendor", *bound(t, l, "Ethernet1/1"))
}

// bound is the profile that an interface's input is bound to.
func bound(t *testing.T, l *lab, name string) *string {
	t.Helper()
	answer, err := l.served.Get(t.Context(), &gpb.GetRequest{Path: []*gpb.Path{{Elem: []*gpb.PathElem{{Name: "qos"}}}},
		Encoding: gpb.Encoding_JSON_IETF, Type: gpb.GetRequest_CONFIG})
	require.NoError(t, err)
	var qos oc.OpenconfigQos_Qos
	require.NoError(t, oc.Unmarshal(answer.GetNotification()[0].GetUpdate()[0].GetVal().GetJsonIetfVal(), &qos))
	return qos.GetInterfaces().GetInterface(name).GetInput().GetConfig().BufferAllocationProfile
}

// replace writes all of /qos.
func replace(t *testing.T, l *lab, json string) {
	t.Helper()
	_, err := l.served.Set(t.Context(), &gpb.SetRequest{Replace: []*gpb.Update{{Path: &gpb.Path{Elem: []*gpb.PathElem{{Name: "qos"}}},
		Val: &gpb.TypedValue{Value: &gpb.TypedValue_JsonIetfVal{JsonIetfVal: []byte(json)}}}}})
	require.NoError(t, err)
}

// What OpenConfig cannot say is refused before anything is sent.
func TestFractionsOfAPercentAreRefused(t *testing.T) {
	l := newLab(t, chip(20000))
	in := intent("Ethernet1/1")
	in.Classes[0].ECN.PMax = 50 // half a percent
	report, err := backend.Converge(t.Context(), l.client, planned(t, in), backend.Options{})
	require.ErrorIs(t, err, backend.ErrRefused)
	require.ErrorIs(t, err, qos.ErrInexpressible)
	require.ErrorContains(t, err, "Ethernet1/1 queue 3 ecn pmax: 0.50%: want 1 to 100 whole percents")
	require.Equal(t, backend.Refused, report.State)
	require.Zero(t, l.sets())

	err = l.client.Apply(t.Context(), []buffer.Step{{Register: buffer.Register{Kind: buffer.GroupHeadroom,
		Port: "Ethernet1/1", Index: 3}, To: 100}})
	require.ErrorIs(t, err, backend.ErrRefused)
	require.ErrorContains(t, err, "OpenConfig has no leaf for headroom (xoff)")
	require.Zero(t, l.sets())
}

func TestCodesOfSet(t *testing.T) {
	for code, want := range map[codes.Code]struct{ refused, noFit bool }{
		codes.ResourceExhausted: {true, true}, codes.InvalidArgument: {true, false}, codes.NotFound: {true, false},
		codes.Unimplemented: {true, false}, codes.FailedPrecondition: {true, false}, codes.PermissionDenied: {true, false},
		codes.Unauthenticated: {true, false}, codes.Unavailable: {}, codes.DeadlineExceeded: {}, codes.Aborted: {},
		codes.Internal: {}, codes.Unknown: {},
	} {
		t.Run(code.String(), func(t *testing.T) {
			l := newLab(t, chip(20000))
			l.on(gpb.GNMI_Set_FullMethodName, func(context.Context, any, *grpc.UnaryServerInfo, grpc.UnaryHandler) (any, error) {
				return nil, status.Error(code, "words of the switch")
			})
			err := l.client.Apply(t.Context(), buffer.Diff(nil, carried(planned(t, intent("Ethernet1/1")))))
			require.ErrorContains(t, err, "words of the switch")
			require.ErrorContains(t, err, "gNMI target leaf1")
			if want.refused {
				require.ErrorIs(t, err, backend.ErrRefused)
			} else {
				require.NotErrorIs(t, err, backend.ErrRefused)
			}
			if want.noFit {
				require.ErrorIs(t, err, buffer.ErrNoFit)
			} else {
				require.NotErrorIs(t, err, buffer.ErrNoFit)
			}
			require.Equal(t, code, status.Code(err))
		})
	}
}

// gRPC says ResourceExhausted of messages that are too long, and if the answer is, the Set was made.
func TestTooLongIsNoRefusal(t *testing.T) {
	l := newLab(t, chip(20000))
	l.on(gpb.GNMI_Set_FullMethodName, func(context.Context, any, *grpc.UnaryServerInfo, grpc.UnaryHandler) (any, error) {
		return nil, status.Error(codes.ResourceExhausted, "grpc: received message larger than max (5000000 vs. 4194304)")
	})
	err := l.client.Apply(t.Context(), buffer.Diff(nil, carried(planned(t, intent("Ethernet1/1")))))
	require.NotErrorIs(t, err, backend.ErrRefused)
	require.NotErrorIs(t, err, buffer.ErrNoFit)
}

func TestPasswordsAreSent(t *testing.T) {
	l := newLab(t, chip(20000))
	l.on(gpb.GNMI_Get_FullMethodName, func(ctx context.Context, req any, _ *grpc.UnaryServerInfo,
		next grpc.UnaryHandler) (any, error) {
		md, _ := metadata.FromIncomingContext(ctx)
		if len(md["username"]) != 1 || md["username"][0] != "operator" || len(md["password"]) != 1 ||
			md["password"][0] != "secret" {
			return nil, status.Error(codes.Unauthenticated, "who are you?")
		}
		return next(ctx, req)
	})
	_, err := l.client.Observe(t.Context())
	require.NoError(t, err)
}

func TestOptionsAreChecked(t *testing.T) {
	_, err := gnmi.Dial("127.0.0.1", gnmi.Options{Timeout: -1, Password: "x"})
	require.ErrorIs(t, err, buffer.ErrInvalid)
	require.ErrorContains(t, err, "cell: 0: want 1 to 1048576 bytes")
	require.ErrorContains(t, err, "timeout")
	require.ErrorContains(t, err, "username")
	c, err := gnmi.Dial("127.0.0.1", gnmi.Options{Cell: 208})
	require.NoError(t, err)
	require.Equal(t, "gNMI target 127.0.0.1:9339", c.Name())
	require.NoError(t, c.Close())
}
