package server_test

import (
	"context"
	"errors"
	"testing"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/openconfig/gnmi/proto/gnmi_ext"
	"github.com/openconfig/ygot/ygot"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/gnmi/server"
	"github.com/cellwarden/cellwarden/backend/sim"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/oc"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/nos/registry"
	"github.com/cellwarden/cellwarden/pg"
)

// newSwitch serves an ASIC with one slice of so many cells of 208 bytes.
func newSwitch(t testing.TB, n cells.Count) (*server.Server, *sim.ASIC) {
	t.Helper()
	asic, err := sim.New(buffer.Chip{Name: "small", Cell: 208, Slices: []buffer.Slice{{Cells: n}}, MinAlpha: -7,
		MaxAlpha: 3, Groups: pg.PerPort})
	require.NoError(t, err)
	s, err := server.New(asic, 208, server.Options{})
	require.NoError(t, err)
	return s, asic
}

func path(t testing.TB, text string) *gpb.Path {
	t.Helper()
	p, err := ygot.StringToStructuredPath(text)
	require.NoError(t, err)
	return p
}

func ietf(text string) *gpb.TypedValue {
	return &gpb.TypedValue{Value: &gpb.TypedValue_JsonIetfVal{JsonIetfVal: []byte(text)}}
}

func update(t testing.TB, where string, v *gpb.TypedValue) *gpb.SetRequest {
	return &gpb.SetRequest{Update: []*gpb.Update{{Path: path(t, where), Val: v}}}
}

// get reads one path and returns it as JSON that is easy to compare.
func get(t testing.TB, s *server.Server, where string, kind gpb.GetRequest_DataType) string {
	t.Helper()
	a, err := s.Get(t.Context(), &gpb.GetRequest{Path: []*gpb.Path{path(t, where)}, Encoding: gpb.Encoding_JSON_IETF,
		Type: kind})
	require.NoError(t, err)
	require.Len(t, a.GetNotification(), 1)
	require.Len(t, a.GetNotification()[0].GetUpdate(), 1)
	return string(a.GetNotification()[0].GetUpdate()[0].GetVal().GetJsonIetfVal())
}

// plan gives group 3 of two ports 5 cells and an eighth of what is free, and has queue 3 of one port marked.
const plan = `{"openconfig-qos:queues":{"queue":[{"name":"3","config":{"name":"3"}}]},
	"openconfig-qos:buffer-allocation-profiles":{"buffer-allocation-profile":[{"name":"p","config":{"name":"p"},
		"queues":{"queue":[{"name":"3","config":{"name":"3","dedicated-buffer":"1000","use-shared-buffer":true,
			"shared-buffer-limit-type":"openconfig-qos:DYNAMIC_BASED_ON_SCALING_FACTOR","dynamic-limit-scaling-factor":-3}}]}}]},
	"openconfig-qos:queue-management-profiles":{"queue-management-profile":[{"name":"w","config":{"name":"w"},
		"wred":{"uniform":{"config":{"enable-ecn":true,"min-threshold":"1000","max-threshold":"2000","max-drop-probability-percent":5}}}}]},
	"openconfig-qos:interfaces":{"interface":[
		{"interface-id":"Ethernet1/1","config":{"interface-id":"Ethernet1/1"},"interface-ref":{"config":{"interface":"Ethernet1/1"}},
			"input":{"config":{"buffer-allocation-profile":"p"}},
			"output":{"queues":{"queue":[{"name":"3","config":{"name":"3","queue-management-profile":"w"}}]}}},
		{"interface-id":"Ethernet1/2","config":{"interface-id":"Ethernet1/2"},"input":{"config":{"buffer-allocation-profile":"p"}}}]}}`

const (
	dedicated = "/qos/buffer-allocation-profiles/buffer-allocation-profile[name=p]/queues/queue[name=3]/config/dedicated-buffer"
	rounded   = "/qos/buffer-allocation-profiles/buffer-allocation-profile[name=p]/queues/queue[name=3]/state/dedicated-buffer"
	queueID   = "/qos/queues/queue[name=3]/config/queue-id"
)

// planned is a switch that has the plan.
func planned(t testing.TB) (*server.Server, *sim.ASIC) {
	t.Helper()
	s, asic := newSwitch(t, 1000)
	_, err := s.Set(t.Context(), &gpb.SetRequest{Replace: []*gpb.Update{{Path: path(t, "/qos"), Val: ietf(plan)}}})
	require.NoError(t, err)
	return s, asic
}

func TestSetWritesRegisters(t *testing.T) {
	_, asic := planned(t)
	have, err := asic.Observe(t.Context())
	require.NoError(t, err)
	var lines []string
	for _, s := range have {
		lines = append(lines, s.String())
	}
	require.Equal(t, []string{"Ethernet1/1 group 3 reserved 5 cells", "Ethernet1/1 group 3 alpha 2^-3",
		"Ethernet1/1 queue 3 ecn kmin 4 cells", "Ethernet1/1 queue 3 ecn kmax 9 cells", "Ethernet1/1 queue 3 ecn pmax 5.00%",
		"Ethernet1/2 group 3 reserved 5 cells", "Ethernet1/2 group 3 alpha 2^-3"}, lines)
}

func TestSetTakesAllKindsOfValues(t *testing.T) {
	for name, v := range map[string]*gpb.TypedValue{
		"json_ietf": ietf(`7`),
		"json":      {Value: &gpb.TypedValue_JsonVal{JsonVal: []byte(`7`)}},
		"uint":      {Value: &gpb.TypedValue_UintVal{UintVal: 7}},
		"int":       {Value: &gpb.TypedValue_IntVal{IntVal: 7}},
	} {
		t.Run(name, func(t *testing.T) {
			s, _ := planned(t)
			_, err := s.Set(t.Context(), update(t, queueID, v))
			require.NoError(t, err)
			require.Equal(t, `7`, get(t, s, queueID, gpb.GetRequest_CONFIG))
		})
	}
	s, _ := planned(t)
	_, err := s.Set(t.Context(), update(t, queueID, &gpb.TypedValue{Value: &gpb.TypedValue_IntVal{IntVal: -7}}))
	require.Equal(t, codes.InvalidArgument, status.Code(err))
	_, err = s.Set(t.Context(), update(t, "/qos/buffer-allocation-profiles/buffer-allocation-profile[name=p]",
		&gpb.TypedValue{Value: &gpb.TypedValue_JsonVal{JsonVal: []byte(
			`{"queues":{"queue":[{"name":"3","config":{"dedicated-buffer":2080}}]}}`)}}))
	require.NoError(t, err, "plain JSON has numbers of 64 bits")
	require.Equal(t, `"2080"`, get(t, s, dedicated, gpb.GetRequest_CONFIG))
}

// Deletions come first, then replacements, then updates, wherever they stand.
func TestOrderOfOperations(t *testing.T) {
	s, _ := planned(t)
	a, err := s.Set(t.Context(), &gpb.SetRequest{Prefix: &gpb.Path{Origin: "openconfig"},
		Update: []*gpb.Update{{Path: path(t, queueID), Val: ietf(`2`)}},
		Replace: []*gpb.Update{{Path: path(t, "/qos/queues/queue[name=3]"),
			Val: ietf(`{"config":{"name":"3","queue-id":1}}`)}},
		Delete: []*gpb.Path{path(t, "/qos/queues/queue[name=3]"), path(t, "/qos/queues/queue[name=nobody]")}})
	require.NoError(t, err)
	require.Equal(t, `2`, get(t, s, queueID, gpb.GetRequest_CONFIG))
	var ops []gpb.UpdateResult_Operation
	for _, r := range a.GetResponse() {
		ops = append(ops, r.GetOp())
	}
	require.Equal(t, []gpb.UpdateResult_Operation{gpb.UpdateResult_DELETE, gpb.UpdateResult_DELETE,
		gpb.UpdateResult_REPLACE, gpb.UpdateResult_UPDATE}, ops)
}

// TestSetRefuses checks that a Set which is refused says why and changes nothing.
func TestSetRefuses(t *testing.T) {
	const iface = "/qos/interfaces/interface[interface-id=Ethernet1/1]"
	const wred = "/qos/queue-management-profiles/queue-management-profile[name=w]/wred/uniform/config"
	const share = "/qos/buffer-allocation-profiles/buffer-allocation-profile[name=p]/queues/queue[name=3]/config"
	tests := []struct {
		name string
		req  *gpb.SetRequest
		code codes.Code
		want string
	}{
		{"no cells", update(t, dedicated, ietf(`"208000"`)), codes.ResourceExhausted,
			"ingress buffer allocation failed for interface Ethernet1/2: group 3 needs 1,000 cells in slice 0 and has 0: " +
				"1,000 short"},
		{"alpha", update(t, share+"/dynamic-limit-scaling-factor", ietf(`9`)), codes.InvalidArgument,
			"dynamic_th 9: want -7 to 3"},
		{"static", update(t, share+"/shared-buffer-limit-type", ietf(`"STATIC"`)), codes.InvalidArgument,
			"static-shared-buffer-limit: none: want bytes where the limit is static"},
		{"dangling", &gpb.SetRequest{Delete: []*gpb.Path{path(t, "/qos/buffer-allocation-profiles")}}, codes.InvalidArgument,
			"buffer-allocation-profile"},
		{"key", update(t, "/qos/queues/queue[name=4]", ietf(`{"config":{"name":"5"}}`)), codes.InvalidArgument,
			`/qos/queues/queue[name=4]/name: "4": want a value that /qos/queues/queue[name=4]/config/name has`},
		{"other key", update(t, "/qos/queues/queue[name=4]", ietf(`{"name":"5","config":{"name":"5"}}`)),
			codes.InvalidArgument, `/qos/queues/queue[name=4]/name: "5": want "4", the key of the entry`},
		{"empty entry", &gpb.SetRequest{Replace: []*gpb.Update{{Path: path(t, "/qos/queues/queue[name=4]"),
			Val: ietf(`{}`)}}}, codes.InvalidArgument, "/config/name"},
		{"no key", update(t, "/qos/queues/queue/config", ietf(`{}`)), codes.InvalidArgument, "every key"},
		{"wildcard", update(t, "/qos/queues/queue[name=*]", ietf(`{"config":{"queue-id":3}}`)), codes.InvalidArgument,
			"wildcard"},
		{"state", update(t, rounded, ietf(`"1"`)), codes.InvalidArgument, "read only"},
		{"state inside", update(t, "/qos/queues/queue[name=3]", ietf(`{"state":{"name":"3"}}`)), codes.InvalidArgument,
			"state"},
		{"unknown node", update(t, "/qos/packet-trim", ietf(`{}`)), codes.NotFound, "/qos/packet-trim"},
		{"unknown leaf", update(t, "/qos/queues/queue[name=3]", ietf(`{"config":{"colour":"blue"}}`)), codes.InvalidArgument,
			"colour"},
		{"null", update(t, queueID, ietf(`null`)), codes.InvalidArgument, "null"},
		{"no value", update(t, queueID, nil), codes.InvalidArgument, "no value"},
		{"no JSON", update(t, "/qos", ietf(`{`)), codes.InvalidArgument, "/qos: unexpected end of JSON input"},
		{"two JSONs", update(t, "/qos", ietf(`{} {}`)), codes.InvalidArgument, "after top-level value"},
		{"range", update(t, queueID, ietf(`256`)), codes.InvalidArgument, "256"},
		{"scalar for a container", update(t, "/qos", &gpb.TypedValue{Value: &gpb.TypedValue_UintVal{UintVal: 1}}),
			codes.InvalidArgument, "container"},
		{"union_replace", &gpb.SetRequest{UnionReplace: []*gpb.Update{{Path: path(t, "/"), Val: ietf(`{}`)}}},
			codes.Unimplemented, "union_replace"},
		{"arbitration", &gpb.SetRequest{Extension: []*gnmi_ext.Extension{{Ext: &gnmi_ext.Extension_MasterArbitration{}}}},
			codes.InvalidArgument, "no election_id"},
		{"depth", &gpb.SetRequest{Extension: []*gnmi_ext.Extension{{Ext: &gnmi_ext.Extension_Depth{}}}},
			codes.Unimplemented, "Extension_Depth: this switch knows commit"},
		{"empty extension", &gpb.SetRequest{Extension: []*gnmi_ext.Extension{{}}}, codes.Unimplemented,
			"this switch knows commit"},
		{"ascii", update(t, queueID, &gpb.TypedValue{Value: &gpb.TypedValue_AsciiVal{AsciiVal: "7"}}), codes.Unimplemented,
			"/qos/queues/queue[name=3]/config/queue-id: a value as"},
		{"long path", &gpb.SetRequest{Delete: []*gpb.Path{{Elem: make([]*gpb.PathElem, 65)}}}, codes.InvalidArgument,
			"65 elements"},
		{"wildcard name", &gpb.SetRequest{Delete: []*gpb.Path{path(t, "/*/nothing")}}, codes.NotFound, "/*/nothing"},
		{"egress profile", update(t, iface+"/output/config/buffer-allocation-profile", ietf(`"p"`)), codes.Unimplemented,
			"no limits of egress queues"},
		{"marking on the way in", update(t, iface+"/input/queues/queue[name=3]",
			ietf(`{"config":{"name":"3","queue-management-profile":"w"}}`)), codes.Unimplemented, "on the way out"},
		{"ninth egress queue", update(t, iface+"/output/queues/queue[name=8]",
			ietf(`{"config":{"name":"8","queue-management-profile":"w"}}`)), codes.Unimplemented, "eight egress queues"},
		{"ninth group", &gpb.SetRequest{Update: []*gpb.Update{{Path: path(t, "/qos/queues/queue[name=8]"),
			Val: ietf(`{"config":{"name":"8"}}`)},
			{Path: path(t, "/qos/buffer-allocation-profiles/buffer-allocation-profile[name=p]/queues/queue[name=8]"),
				Val: ietf(`{"config":{"name":"8"}}`)}}},
			codes.Unimplemented, "eight priority groups"},
		{"no marking", update(t, wred+"/enable-ecn", ietf(`false`)), codes.Unimplemented, "does not drop"},
		{"dropping", update(t, wred+"/drop", ietf(`true`)), codes.Unimplemented, "does not drop"},
		{"average", update(t, wred+"/weight", ietf(`3`)), codes.Unimplemented, "does not average"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s, asic := planned(t)
			tree, registers := get(t, s, "/", gpb.GetRequest_ALL), asic.String()
			_, err := s.Set(t.Context(), test.req)
			require.Equal(t, test.code, status.Code(err), "%v", err)
			require.ErrorContains(t, err, test.want)
			require.Equal(t, tree, get(t, s, "/", gpb.GetRequest_ALL))
			require.Equal(t, registers, asic.String())
		})
	}
}

// stubborn refuses to give a port more than it has, after it has let others
// give back: a device that fails in the second of two phases.
type stubborn struct {
	*sim.ASIC
	fail, undo error
}

func (d *stubborn) Apply(ctx context.Context, steps []buffer.Step) error {
	if d.fail != nil && !steps[0].Shrinks() {
		err := d.fail
		d.fail = d.undo
		return err
	}
	return d.ASIC.Apply(ctx, steps)
}

// swapped takes cells from one port and gives them to another.
const swapped = `{"queues":{"queue":[{"name":"3","config":{"name":"3"}}]},"buffer-allocation-profiles":{"buffer-allocation-profile":[{"name":"p","config":{"name":"p"},
	"queues":{"queue":[{"name":"3","config":{"name":"3","dedicated-buffer":"1000"}}]}}]},
	"interfaces":{"interface":[{"interface-id":"Ethernet9","config":{"interface-id":"Ethernet9"},"input":{"config":{"buffer-allocation-profile":"p"}}}]}}`

func TestSecondPhaseFails(t *testing.T) {
	tests := []struct {
		name       string
		fail, undo error
		code       codes.Code
		same       bool
	}{
		{"refused", backend.ErrRefused, nil, codes.FailedPrecondition, true},
		{"no cells", errors.Join(backend.ErrRefused, buffer.ErrNoFit), nil, codes.ResourceExhausted, true},
		{"broken", errors.New("the bus is dead"), nil, codes.Aborted, true},
		{"cannot be undone", backend.ErrRefused, errors.New("the bus is dead"), codes.Internal, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, asic := planned(t)
			device := &stubborn{ASIC: asic, fail: test.fail, undo: test.undo}
			s, err := server.New(device, 208, server.Options{})
			require.NoError(t, err)
			before, config := asic.String(), get(t, s, "/", gpb.GetRequest_CONFIG)
			_, err = s.Set(t.Context(), &gpb.SetRequest{Replace: []*gpb.Update{{Path: path(t, "/qos"), Val: ietf(swapped)}}})
			require.Equal(t, test.code, status.Code(err), "%v", err)
			require.Equal(t, test.same, before == asic.String())
			require.Equal(t, config, get(t, s, "/", gpb.GetRequest_CONFIG))
		})
	}
}

// lacking has no ECN.
type lacking struct{ *sim.ASIC }

func (lacking) Capabilities(context.Context) (backend.Capabilities, error) {
	return backend.Capabilities{Missing: map[buffer.Kind]string{buffer.QueueECNMin: "it cannot mark"}}, nil
}

func TestDeviceThatLacksRegisters(t *testing.T) {
	_, asic := newSwitch(t, 1000)
	s, err := server.New(lacking{asic}, 208, server.Options{})
	require.NoError(t, err)
	_, err = s.Set(t.Context(), update(t, "/qos", ietf(plan)))
	require.Equal(t, codes.Unimplemented, status.Code(err))
	require.ErrorContains(t, err, "it cannot mark")
	have, err := asic.Observe(t.Context())
	require.NoError(t, err)
	require.Empty(t, have)
}

// Registers that OpenConfig cannot say survive, and those that it can say and
// that were there before the server began are its first configuration.
func TestRegistersThatWereThere(t *testing.T) {
	_, asic := newSwitch(t, 1000)
	headroom := buffer.Register{Kind: buffer.GroupHeadroom, Port: "Ethernet1/1", Index: 3}
	require.NoError(t, asic.Apply(t.Context(), []buffer.Step{{Register: headroom, To: 50},
		{Register: buffer.Register{Kind: buffer.GroupReserved, Port: "Ethernet7", Index: 2}, To: 7}}))
	s, err := server.New(asic, 208, server.Options{})
	require.NoError(t, err)
	require.Contains(t, get(t, s, "/qos", gpb.GetRequest_CONFIG), `"dedicated-buffer":"1456"`)
	_, err = s.Set(t.Context(), &gpb.SetRequest{Replace: []*gpb.Update{{Path: path(t, "/"),
		Val: ietf(`{"openconfig-qos:qos":` + plan + `}`)}}})
	require.NoError(t, err)
	have, err := asic.Observe(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, 50, have.Value(headroom))
	require.Zero(t, have.Value(buffer.Register{Kind: buffer.GroupReserved, Port: "Ethernet7", Index: 2}))
}

// A register that is changed behind the server's back shows in state only.
func TestStateIsMeasured(t *testing.T) {
	s, asic := planned(t)
	for _, port := range []string{"Ethernet1/1", "Ethernet1/2"} {
		require.NoError(t, asic.Apply(t.Context(), []buffer.Step{{Register: buffer.Register{Kind: buffer.GroupReserved,
			Port: port, Index: 3}, To: 9}}))
	}
	require.Equal(t, `"1000"`, get(t, s, dedicated, gpb.GetRequest_ALL))
	require.Equal(t, `"1872"`, get(t, s, rounded, gpb.GetRequest_ALL))
	_, err := s.Set(t.Context(), update(t, queueID, ietf(`3`)))
	require.NoError(t, err)
	require.Equal(t, `"1040"`, get(t, s, rounded, gpb.GetRequest_ALL), "a Set puts it right")
}

func TestCapabilities(t *testing.T) {
	s, _ := newSwitch(t, 10)
	a, err := s.Capabilities(t.Context(), &gpb.CapabilityRequest{})
	require.NoError(t, err)
	require.Equal(t, "0.10.0", a.GetGNMIVersion())
	require.Equal(t, oc.ΓModelData, a.GetSupportedModels())
	require.Equal(t, []gpb.Encoding{gpb.Encoding_JSON, gpb.Encoding_JSON_IETF, gpb.Encoding_PROTO},
		a.GetSupportedEncodings())
	_, err = server.New(nil, 0, server.Options{})
	require.ErrorIs(t, err, buffer.ErrInvalid)
}

// text is a path as text.
func text(t testing.TB, p *gpb.Path) string {
	t.Helper()
	s, err := ygot.PathToString(p)
	require.NoError(t, err)
	return s
}

// A static limit reaches the registers, and state says what they hold: whole cells.
func TestStaticLimit(t *testing.T) {
	s, asic := planned(t)
	const share = "/qos/buffer-allocation-profiles/buffer-allocation-profile[name=p]/queues/queue[name=3]"
	_, err := s.Set(t.Context(), update(t, share+"/config",
		ietf(`{"shared-buffer-limit-type":"STATIC","static-shared-buffer-limit":2000}`)))
	require.NoError(t, err)
	require.Contains(t, asic.String(), "Ethernet1/1 group 3 static limit 9 cells")
	require.NotContains(t, asic.String(), "alpha")
	require.Equal(t, `1872`, get(t, s, share+"/state/static-shared-buffer-limit", gpb.GetRequest_STATE))
}

// A client finds out by the models that the switch is a simulated one.
func TestModels(t *testing.T) {
	_, asic := newSwitch(t, 1000)
	s, err := server.New(asic, 208, server.Options{Models: []*gpb.ModelData{server.Simulated()}})
	require.NoError(t, err)
	answer, err := s.Capabilities(t.Context(), &gpb.CapabilityRequest{})
	require.NoError(t, err)
	last := answer.GetSupportedModels()[len(answer.GetSupportedModels())-1]
	p, why := registry.FindProfile([]nos.Model{{Name: last.GetName(), Organization: last.GetOrganization()}})
	require.Equal(t, "simulated", p.Name)
	require.Equal(t, "it lists the model cellwarden-simulated", why)
}
