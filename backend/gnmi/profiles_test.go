package gnmi_test

import (
	"context"
	"strings"
	"testing"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/gnmi"
	"github.com/cellwarden/cellwarden/backend/gnmi/qos"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/oc"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/nos/registry"
	"github.com/cellwarden/cellwarden/unit"
)

func load(t testing.TB, name string) *nos.Profile {
	t.Helper()
	p, err := registry.LoadProfile(name)
	require.NoError(t, err)
	return p
}

// What a profile says is what goes over the wire, for the profiles that the
// simulated switch can play, and it reads back as it was said.
func TestProfilesOverTheWire(t *testing.T) {
	for name, test := range map[string]struct{ gaps int }{"openconfig": {4}, "simulated": {4},
		"arista": {7}, "srlinux": {7}, "cisco": {7}} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, chip(20000))
			client := l.with(t, gnmi.Options{Profile: load(t, name)})
			in := weighed("Ethernet1/1", "Ethernet1/2")
			in.Classes[0].ECN.PMax = 50
			plan := planned(t, in)
			s, err := qos.CheckCompatibility(plan, cell, load(t, name))
			require.NoError(t, err)
			report, err := backend.Converge(t.Context(), client, s.Layout, backend.Options{})
			require.NoError(t, err)
			require.Equal(t, backend.Applied, report.State)
			have, err := l.asic.Observe(t.Context())
			require.NoError(t, err)
			require.Equal(t, s.Layout, have)
			report, err = backend.Converge(t.Context(), client,
				plan.Only(func(r buffer.Register) bool { return r.Kind != buffer.QueueECNPMax }), backend.Options{DryRun: true})
			require.NoError(t, err)
			require.Len(t, report.Gaps, test.gaps)
		})
	}
}

// A switch that cannot express anything receives no Get and no Set.
func TestSONiCHasNoWords(t *testing.T) {
	l := serve(t, &canned{capabilities: &gpb.CapabilityResponse{GNMIVersion: "0.7.0",
		SupportedEncodings: []gpb.Encoding{gpb.Encoding_JSON, gpb.Encoding_JSON_IETF},
		SupportedModels:    []*gpb.ModelData{{Name: "openconfig-acl"}, {Name: "sonic-buffer-pool"}}}})
	met, err := l.client.Probe(t.Context())
	require.NoError(t, err)
	require.Equal(t, "profile sonic, it lists the model sonic-buffer-pool; gNMI 0.7.0, JSON_IETF, not JSON", met.String())
	report, err := backend.Converge(t.Context(), l.client, planned(t, intent("a")), backend.Options{})
	require.NoError(t, err)
	require.Equal(t, backend.Unchanged, report.State)
	require.Len(t, report.Gaps, 9)
	require.Zero(t, l.sets())
}

// A switch without Capabilities must be named a profile; one without Get is read by Subscribe.
func TestTargetOfSetAndSubscribeOnly(t *testing.T) {
	l := newLab(t, chip(20000))
	bare := serve(t, &setAndSubscribe{served: l.served})
	_, err := bare.client.Probe(t.Context())
	require.ErrorContains(t, err, "Capabilities failed (Unimplemented)")

	client := bare.with(t, gnmi.Options{Profile: load(t, "openconfig")})
	met, err := client.Probe(t.Context())
	require.NoError(t, err)
	require.Equal(t, "profile openconfig, as asked for; it does not answer Capabilities; encoding JSON_IETF", met.String())
	want := planned(t, intent("Ethernet1/1", "Ethernet1/2"))
	report, err := backend.Converge(t.Context(), client, want, backend.Options{})
	require.NoError(t, err)
	require.Equal(t, backend.Applied, report.State)
	have, err := l.asic.Observe(t.Context())
	require.NoError(t, err)
	require.Equal(t, carried(want), have)
}

// setAndSubscribe is a switch with neither Get nor Capabilities, nor results
// for each operation, as lemming's server is.
type setAndSubscribe struct {
	gpb.UnimplementedGNMIServer
	served gpb.GNMIServer
}

func (s *setAndSubscribe) Set(ctx context.Context, req *gpb.SetRequest) (*gpb.SetResponse, error) {
	_, err := s.served.Set(ctx, req)
	return &gpb.SetResponse{}, err
}

func (s *setAndSubscribe) Subscribe(stream gpb.GNMI_SubscribeServer) error {
	return s.served.Subscribe(stream)
}

func (s *setAndSubscribe) Get(context.Context, *gpb.GetRequest) (*gpb.GetResponse, error) {
	return nil, status.Error(codes.Unimplemented, "no Get")
}

// The quirks are in what is written.
func TestQuirksAreWritten(t *testing.T) {
	var set *gpb.SetRequest
	c := &recorder{canned: canned{capabilities: &gpb.CapabilityResponse{SupportedEncodings: []gpb.Encoding{gpb.Encoding_JSON_IETF},
		SupportedModels: append([]*gpb.ModelData{{Name: "junos-conf-root"}}, oc.ΓModelData...)},
		get: func(*gpb.GetRequest) (*gpb.GetResponse, error) {
			return answer([]*gpb.PathElem{{Name: "qos"}}, `{"interfaces":{"interface":[{"interface-id":"et-0/0/0","output":{"queues":{"queue":[{"name":"3","config":{"queue-management-profile":"cellwarden-ecn-old"}}]}}}]},
				"queue-management-profiles":{"queue-management-profile":[{"name":"cellwarden-ecn-old"},{"name":"cellwarden-ecn-older"}]},
				"buffer-allocation-profiles":{"buffer-allocation-profile":[{"name":"cellwarden-pg-old"}]}}`), nil
		}}, set: &set}
	l := serve(t, c)
	met, err := l.client.Probe(t.Context())
	require.NoError(t, err)
	require.Equal(t, "juniper", met.Profile.Name)
	s, err := qos.CheckCompatibility(planned(t, intent("et-0/0/0")), cell, met.Profile)
	require.NoError(t, err)
	before, err := l.client.Observe(t.Context())
	require.NoError(t, err)
	require.Empty(t, before, "another unit's")
	require.NoError(t, l.client.Apply(t.Context(), buffer.Diff(nil, s.Layout)), "this switch keeps nothing, and says yes")
	require.Len(t, set.GetReplace(), 1)
	text := set.String()
	require.Contains(t, text, `et-0/0/0.0`)
	require.Regexp(t, `\\"queue-id\\": ?3`, text)
	require.Regexp(t, `\\"subinterface\\": ?0`, text)
	require.NotContains(t, text, "buffer-allocation-profile", "it has no words for them")
	require.Len(t, set.GetDelete(), 1, "what nothing is bound to; not what another unit is bound to")
	require.NotContains(t, text, "cellwarden-ecn-old\"")
	require.Equal(t, "/qos/interfaces/interface[interface-id=et-0/0/0.0]/output/queues/queue[name=3]/config/queue-management-profile",
		s.BindingPath(buffer.Register{Kind: buffer.QueueECNMin, Port: "et-0/0/0", Index: 3}))
}

// Where an interface has to say which port it is, it does, and nowhere else; no scheduler has a sequence above 1.
func TestInterfaceRefs(t *testing.T) {
	for name, want := range map[string]struct{ ref, unit, id bool }{"cisco": {true, false, true},
		"srlinux": {true, false, true}, "juniper": {true, true, true},
		"arista": {}, "openconfig": {}, "simulated": {}} {
		var set *gpb.SetRequest
		c := &recorder{canned: canned{get: func(*gpb.GetRequest) (*gpb.GetResponse, error) {
			return answer([]*gpb.PathElem{{Name: "qos"}}, `{}`), nil
		}}, set: &set}
		client := serve(t, c).with(t, gnmi.Options{Profile: load(t, name)})
		s, err := qos.CheckCompatibility(planned(t, weighed("et-0/0/0")), cell, load(t, name))
		require.NoError(t, err)
		_ = client.Apply(t.Context(), buffer.Diff(nil, s.Layout)) // it keeps nothing
		text := set.String()
		require.Equal(t, want.ref, strings.Contains(text, "interface-ref"), name)
		require.Equal(t, want.unit, strings.Contains(text, "subinterface"), name)
		require.Equal(t, want.id, strings.Contains(text, "queue-id"), name)
		require.Contains(t, text, "sequence")
		require.NotRegexp(t, `sequence\\": ?[2-9]`, text)
	}
}

// recorder keeps the last Set.
type recorder struct {
	canned
	set **gpb.SetRequest
}

func (r *recorder) Set(_ context.Context, req *gpb.SetRequest) (*gpb.SetResponse, error) {
	*r.set = req
	return &gpb.SetResponse{}, nil
}

// Each phase is a Set of its own, and one that leaves something else is found out before the next is sent.
func TestPhases(t *testing.T) {
	l := newLab(t, chip(20000))
	client := l.with(t, gnmi.Options{Phased: true})
	_, err := backend.Converge(t.Context(), client, planned(t, intent("a", "b")), backend.Options{})
	require.NoError(t, err)
	require.Equal(t, 2, l.sets(), "thresholds, then cells")
	smaller := intent("a", "b")
	smaller.Classes[0].Reserved, smaller.Classes[1].Reserved, smaller.Classes[0].ECN.KMin = unit.Given[unit.Bytes](624),
		unit.Given[unit.Bytes](832), 50*unit.KiB
	report, err := backend.Converge(t.Context(), client, planned(t, smaller), backend.Options{})
	require.NoError(t, err)
	require.Equal(t, backend.Applied, report.State)
	require.Equal(t, 2+3, l.sets(), "shrink, move, grow")

	l.on(gpb.GNMI_Set_FullMethodName, func() grpc.UnaryServerInterceptor {
		first := true
		return func(ctx context.Context, req any, _ *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
			if first {
				first = false
				return &gpb.SetResponse{}, nil // it says yes and does nothing
			}
			return next(ctx, req)
		}
	}())
	report, err = backend.Converge(t.Context(), client, planned(t, intent("a", "b")), backend.Options{})
	require.ErrorIs(t, err, backend.ErrMismatch)
	require.ErrorContains(t, err, "phase 2 of 3 on gNMI target leaf1 was not sent: read back differs")
	require.Equal(t, backend.Refused, report.State, "nothing of it was made")
	require.Equal(t, 6, l.sets())
}
