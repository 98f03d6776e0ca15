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
	"github.com/cellwarden/cellwarden/backend/gnmi/oc"
	"github.com/cellwarden/cellwarden/backend/gnmi/profile"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/unit"
)

func load(t testing.TB, name string) *profile.Profile {
	t.Helper()
	p, err := profile.Load(name)
	require.NoError(t, err)
	return p
}

// Whatever the profile, every number of the plan has its fate, and what is to
// be held is what is sent.
func TestSayOmitsNothing(t *testing.T) {
	in := weighed("et-0/0/0", "et-0/0/1")
	in.Classes[0].ECN.PMax = 50
	in.Classes[0].QueueReserved = 416
	plan := planned(t, in)
	for _, p := range profile.All() {
		s, err := gnmi.Say(plan, cell, p)
		require.NoError(t, err, p.Name)
		require.Len(t, s.Numbers, len(plan), p.Name)
		require.Equal(t, len(plan), s.Count(gnmi.Sent, false)+s.Count(gnmi.Rounded, false)+s.Count(gnmi.Inexpressible, false))
		require.Len(t, s.Layout, s.Count(gnmi.Sent, false)+s.Count(gnmi.Rounded, false), p.Name)
		for i, n := range s.Numbers {
			require.Equal(t, plan[i], n.Setting)
			require.Equal(t, n.Fate != gnmi.Inexpressible, n.Path != "", "%v", n)
			require.Equal(t, n.Fate == gnmi.Sent, n.Why == "", "%v", n)
			require.Equal(t, n.Fate == gnmi.Rounded, n.Asked != n.Value, "%v", n)
			require.Equal(t, p.Rule(n.Kind).Where, n.Where)
		}
		require.False(t, s.Lossless(), "%s: nobody carries headroom", p.Name)
		again, err := gnmi.Say(s.Layout, cell, p)
		require.NoError(t, err)
		require.Equal(t, s.Layout, again.Layout, "%s: what is rounded stays", p.Name)
	}
}

// What is critical is critical for lossless groups only.
func TestCritical(t *testing.T) {
	s, err := gnmi.Say(planned(t, intent("a")), cell, load(t, profile.Arista))
	require.NoError(t, err)
	for _, n := range s.Numbers {
		lossless := n.Port == "a" && (n.Index == 3 || n.Index == 4)
		group := n.Kind == buffer.GroupLossless || n.Kind == buffer.GroupHeadroom || n.Kind == buffer.GroupReserved || n.Kind == buffer.GroupAlpha
		require.Equal(t, lossless && group, n.Critical, "%v", n)
	}
	lossy := intent("a")
	lossy.Classes = lossy.Classes[1:]
	s, err = gnmi.Say(planned(t, lossy), cell, load(t, profile.Arista))
	require.NoError(t, err)
	require.True(t, s.Lossless(), "there is nothing to lose")
}

// Cisco: multiples of 6,144 bytes, kmin and kmax apart. Asked for 80,000 and
// 80,000 the answer is said, not a hundred times as much.
func TestThresholdsApart(t *testing.T) {
	in := intent("a")
	in.Classes[0].ECN.KMin, in.Classes[0].ECN.KMax = 80000, 80000
	s, err := gnmi.Say(planned(t, in), cell, load(t, profile.Cisco))
	require.NoError(t, err)
	got := map[string][3]string{}
	for _, n := range s.Numbers {
		if n.Fate == gnmi.Rounded && n.Index == 3 {
			got[n.Kind.String()] = [3]string{n.Asked, n.Value, n.Why}
		}
	}
	require.Equal(t, map[string][3]string{
		"queue ecn kmin": {"79872", "79872", ""},
		"queue ecn kmax": {"79872", "86016", "kmin and kmax must differ, by 6144 bytes at least"},
	}, map[string][3]string{"queue ecn kmin": {"79872", "79872", ""}, "queue ecn kmax": got["queue ecn kmax"]})

	in.Classes[0].ECN.KMin, in.Classes[0].ECN.KMax = 100*unit.KiB, 400*unit.KiB
	s, err = gnmi.Say(planned(t, in), cell, load(t, profile.Cisco))
	require.NoError(t, err)
	for _, n := range s.Numbers {
		if n.Kind == buffer.QueueECNMin {
			require.Equal(t, "102336 104448 the leaf holds multiples of 6144 bytes; rounded up", n.Asked+" "+n.Value+" "+n.Why)
		}
	}
}

// What a profile says is what goes over the wire, for the profiles that the
// simulated switch can play, and it reads back as it was said.
func TestProfilesOverTheWire(t *testing.T) {
	for name, test := range map[string]struct{ gaps int }{profile.OpenConfig: {4}, profile.Simulated: {4}, profile.Arista: {7}, profile.SRLinux: {7}, profile.Cisco: {7}} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, chip(20000))
			client := l.with(t, gnmi.Options{Profile: load(t, name)})
			in := weighed("Ethernet1/1", "Ethernet1/2")
			in.Classes[0].ECN.PMax = 50
			plan := planned(t, in)
			s, err := gnmi.Say(plan, cell, load(t, name))
			require.NoError(t, err)
			report, err := backend.Converge(t.Context(), client, s.Layout, backend.Options{})
			require.NoError(t, err)
			require.Equal(t, backend.Applied, report.State)
			have, err := l.asic.Observe(t.Context())
			require.NoError(t, err)
			require.Equal(t, s.Layout, have)
			report, err = backend.Converge(t.Context(), client, plan.Only(func(r buffer.Register) bool { return r.Kind != buffer.QueueECNPMax }), backend.Options{DryRun: true})
			require.NoError(t, err)
			require.Len(t, report.Gaps, test.gaps)
		})
	}
}

// Nothing is asked of a switch that has no words, and nothing sent.
func TestSONiCHasNoWords(t *testing.T) {
	l := serve(t, &canned{capabilities: &gpb.CapabilityResponse{GNMIVersion: "0.7.0", SupportedEncodings: []gpb.Encoding{gpb.Encoding_JSON, gpb.Encoding_JSON_IETF},
		SupportedModels: []*gpb.ModelData{{Name: "openconfig-acl"}, {Name: "sonic-buffer-pool"}}}})
	met, err := l.client.Introduce(t.Context())
	require.NoError(t, err)
	require.Equal(t, "profile sonic, it lists the model sonic-buffer-pool; gNMI 0.7.0, JSON_IETF, not JSON", met.String())
	report, err := backend.Converge(t.Context(), l.client, planned(t, intent("a")), backend.Options{})
	require.NoError(t, err)
	require.Equal(t, backend.Unchanged, report.State)
	require.Len(t, report.Gaps, 9)
	require.Zero(t, l.sets())
}

// A switch without Capabilities must be named a profile; one without Get is
// read by Subscribe.
func TestTargetOfSetAndSubscribeOnly(t *testing.T) {
	l := newLab(t, chip(20000))
	bare := serve(t, &setAndSubscribe{served: l.served})
	_, err := bare.client.Introduce(t.Context())
	require.ErrorContains(t, err, "Capabilities failed (Unimplemented)")

	client := bare.with(t, gnmi.Options{Profile: load(t, profile.OpenConfig)})
	met, err := client.Introduce(t.Context())
	require.NoError(t, err)
	require.Equal(t, "profile openconfig, as asked for; it has no Capabilities; JSON_IETF is sent", met.String())
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
	met, err := l.client.Introduce(t.Context())
	require.NoError(t, err)
	require.Equal(t, profile.Juniper, met.Profile.Name)
	s, err := gnmi.Say(planned(t, intent("et-0/0/0")), cell, met.Profile)
	require.NoError(t, err)
	before, err := l.client.Observe(t.Context())
	require.NoError(t, err)
	require.Empty(t, before, "another unit's")
	require.ErrorIs(t, l.client.Apply(t.Context(), buffer.Diff(nil, s.Layout)), backend.ErrMismatch, "this switch keeps nothing")
	require.Len(t, set.GetReplace(), 1)
	text := set.String()
	require.Contains(t, text, `et-0/0/0.0`)
	require.Regexp(t, `\\"queue-id\\": ?3`, text)
	require.Regexp(t, `\\"subinterface\\": ?0`, text)
	require.NotContains(t, text, "buffer-allocation-profile", "it has no words for them")
	require.Len(t, set.GetDelete(), 1, "what nothing is bound to; not what another unit is bound to")
	require.NotContains(t, text, "cellwarden-ecn-old\"")
	require.Equal(t, "/qos/interfaces/interface[interface-id=et-0/0/0.0]/output/queues/queue[name=3]/config/queue-management-profile",
		s.Bindings(buffer.Register{Kind: buffer.QueueECNMin, Port: "et-0/0/0", Index: 3}))
}

// Where an interface has to say which port it is, it does, and nowhere else; no
// scheduler has a sequence above 1.
func TestInterfaceRefs(t *testing.T) {
	for name, want := range map[string]struct{ ref, unit, id bool }{profile.Cisco: {true, false, true}, profile.SRLinux: {true, false, true}, profile.Juniper: {true, true, true},
		profile.Arista: {}, profile.OpenConfig: {}, profile.Simulated: {}} {
		var set *gpb.SetRequest
		c := &recorder{canned: canned{get: func(*gpb.GetRequest) (*gpb.GetResponse, error) {
			return answer([]*gpb.PathElem{{Name: "qos"}}, `{}`), nil
		}}, set: &set}
		client := serve(t, c).with(t, gnmi.Options{Profile: load(t, name)})
		s, err := gnmi.Say(planned(t, weighed("et-0/0/0")), cell, load(t, name))
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

// Each phase is a Set of its own, and one that leaves something else is found
// out before the next is sent.
func TestPhases(t *testing.T) {
	l := newLab(t, chip(20000))
	client := l.with(t, gnmi.Options{Phased: true})
	_, err := backend.Converge(t.Context(), client, planned(t, intent("a", "b")), backend.Options{})
	require.NoError(t, err)
	require.Equal(t, 2, l.sets(), "thresholds, then cells")
	smaller := intent("a", "b")
	smaller.Classes[0].Reserved, smaller.Classes[1].Reserved, smaller.Classes[0].ECN.KMin = 624, 832, 50*unit.KiB
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
	require.ErrorContains(t, err, "phase 1 of 3")
	require.Equal(t, backend.Refused, report.State, "nothing of it was made")
	require.Equal(t, 6, l.sets())
}
