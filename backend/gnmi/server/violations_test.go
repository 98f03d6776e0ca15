package server_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/stretchr/testify/require"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/gnmi/server"
	"github.com/cellwarden/cellwarden/backend/sim"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
)

// fields are the paths in the details of an error.
func fields(t *testing.T, err error) (out []string) {
	t.Helper()
	for _, d := range status.Convert(err).Details() {
		request, ok := d.(*errdetails.BadRequest)
		require.True(t, ok)
		for _, v := range request.GetFieldViolations() {
			out = append(out, v.GetField())
			require.Contains(t, err.Error(), v.GetField(), "the text names it too")
			require.Contains(t, err.Error(), v.GetDescription())
		}
	}
	return out
}

const (
	leafOf  = "/qos/buffer-allocation-profiles/buffer-allocation-profile[name=p]/queues/queue[name=3]/config/"
	curveOf = "/qos/queue-management-profiles/queue-management-profile[name=w]/wred/uniform/config/"
	port1   = "/qos/interfaces/interface[interface-id=Ethernet1/1]"
	port2   = "/qos/interfaces/interface[interface-id=Ethernet1/2]"
	bound   = "/input/config/buffer-allocation-profile"
	marked  = "/output/queues/queue[name=3]/config/queue-management-profile"
)

// Every refusal names the paths because of which it is one, in its text and in its details.
func TestRefusalsNameTheirPaths(t *testing.T) {
	tests := []struct {
		name string
		req  *gpb.SetRequest
		want []string
	}{
		{"no cells", update(t, dedicated, ietf(`"208000"`)), []string{leafOf + "dedicated-buffer", port2 + bound}},
		{"more than the chip has", update(t, dedicated, ietf(`"208000000"`)),
			[]string{leafOf + "dedicated-buffer", port1 + bound}},
		{"alpha", update(t, leafOf+"dynamic-limit-scaling-factor", ietf(`9`)),
			[]string{leafOf + "dynamic-limit-scaling-factor", port1 + bound}},
		{"thresholds", update(t, curveOf+"min-threshold", ietf(`"4000"`)), []string{curveOf + "min-threshold"}},
		{"static", update(t, leafOf+"shared-buffer-limit-type", ietf(`"STATIC"`)),
			[]string{leafOf + "static-shared-buffer-limit"}},
		{"dangling", &gpb.SetRequest{Delete: []*gpb.Path{path(t, "/qos/buffer-allocation-profiles")}},
			[]string{port1 + bound, port2 + bound}},
		{"dangling queue", &gpb.SetRequest{Delete: []*gpb.Path{path(t, "/qos/queues")}}, []string{leafOf + "name"}},
		{"other key", update(t, "/qos/queues/queue[name=4]", ietf(`{"name":"5","config":{"name":"5"}}`)),
			[]string{"/qos/queues/queue[name=4]/name"}},
		{"empty entry", update(t, "/qos/queues/queue[name=4]", ietf(`{}`)), []string{"/qos/queues/queue[name=4]/name"}},
		{"state inside", update(t, "/qos/queues", ietf(`{"queue":[{"name":"3","state":{"name":"3"}}]}`)),
			[]string{"/qos/queues/queue[name=3]/state/name"}},
		{"average", update(t, curveOf+"weight", ietf(`3`)), []string{curveOf + "weight"}},
		{"unknown node", update(t, "/qos/packet-trim", ietf(`{}`)), []string{"/qos/packet-trim"}},
		{"key of another name", update(t, "/qos/queues/queue[nom=3]", ietf(`{}`)), []string{"/qos/queues/queue[nom=3]"}},
		{"no JSON", update(t, "/qos", ietf(`{`)), []string{"/qos"}},
		{"several in one value", update(t, "/qos", ietf(`{"openconfig-qos:queues":{"queue":[{"name":"5","config":{"name":"5","queue-id":256,"colour":1}},{"config":{"name":"6"}},7]},"interfaces":8}`)),
			[]string{"/qos/interfaces", "/qos/queues/queue[name=5]/config/colour", "/qos/queues/queue[name=5]/config/queue-id",
				"/qos/queues/queue", "/qos/queues/queue"}},
		{"identity", update(t, "/qos/buffer-allocation-profiles/buffer-allocation-profile[name=p]",
			ietf(`{"queues":{"queue":[{"name":"3","config":{"shared-buffer-limit-type":"SOMETIMES"}}]}}`)),
			[]string{leafOf + "shared-buffer-limit-type"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s, asic := planned(t)
			before := asic.String()
			_, err := s.Set(t.Context(), test.req)
			require.Error(t, err)
			require.Equal(t, test.want, fields(t, err), "%v", err)
			require.Equal(t, before, asic.String())
		})
	}
}

// A port that a Set takes its profile from is named by the profile that it had.
func TestRefusalOfWhatIsTakenAway(t *testing.T) {
	_, asic := planned(t)
	s, err := server.New(&broken{asic, &backend.RegisterError{Register: buffer.Register{Kind: buffer.GroupReserved,
		Port: "Ethernet1/2", Index: 3}, Err: backend.ErrRefused}}, 208, server.Options{})
	require.NoError(t, err)
	config := get(t, s, port2, gpb.GetRequest_CONFIG)
	_, err = s.Set(t.Context(), &gpb.SetRequest{Delete: []*gpb.Path{path(t, port2)}})
	require.Equal(t, codes.FailedPrecondition, status.Code(err))
	named := fields(t, err)
	require.Len(t, named, 2)
	require.Regexp(t, `profile\[name=cellwarden-pg-.*\]/queues/queue\[name=3\]/config/dedicated-buffer$`, named[0])
	require.Equal(t, port2+bound, named[1])
	require.Equal(t, config, get(t, s, port2, gpb.GetRequest_CONFIG))
}

// What a device says decides whose paths are named: the register that it names, those that want its cells, all that
// were to be changed, or none where it is broken.
func TestRefusalsOfDevices(t *testing.T) {
	r := func(k buffer.Kind, port string) buffer.Register {
		return buffer.Register{Kind: k, Port: port, Index: 3}
	}
	short := func(port string, group int) error {
		return errors.Join(backend.ErrRefused, buffer.NewRefusal(port,
			buffer.Shortfall{Reason: buffer.NoCells, Group: group, Needed: 1, Short: 1}))
	}
	// in the order of the steps
	all := []string{leafOf + "dynamic-limit-scaling-factor", port1 + bound, port2 + bound, leafOf + "dedicated-buffer"}
	tests := []struct {
		name string
		err  error
		code codes.Code
		want []string
	}{
		{"a register", errors.Join(backend.ErrRefused, &backend.RegisterError{Register: r(buffer.GroupAlpha, "Ethernet1/2"),
			Err: errors.New("no")}), codes.FailedPrecondition,
			[]string{leafOf + "dynamic-limit-scaling-factor", port2 + bound}},
		{"a register that OpenConfig cannot say", errors.Join(backend.ErrRefused,
			&backend.RegisterError{Register: r(buffer.GroupHeadroom, "Ethernet1/2"), Err: errors.New("no")}),
			codes.FailedPrecondition,
			[]string{port2}},
		{"a pool", errors.Join(backend.ErrRefused, &backend.RegisterError{Register: buffer.Register{Kind: buffer.PoolShared},
			Err: errors.New("no")}), codes.FailedPrecondition, nil},
		{"cells of a group", short("Ethernet1/2", 3), codes.ResourceExhausted,
			[]string{leafOf + "dedicated-buffer", port2 + bound}},
		{"cells of another group", short("Ethernet1/2", 5), codes.ResourceExhausted,
			[]string{leafOf + "dedicated-buffer", port2 + bound}},
		{"cells of nobody", short("", 0), codes.ResourceExhausted, nil},
		{"nothing in particular", backend.ErrRefused, codes.FailedPrecondition, all},
		{"no room for something", errors.Join(backend.ErrRefused, buffer.ErrNoFit), codes.ResourceExhausted, all},
		{"broken", errors.New("the bus is dead"), codes.Aborted, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, asic := planned(t)
			device := &broken{ASIC: asic}
			s, err := server.New(device, 208, server.Options{})
			require.NoError(t, err)
			_, err = s.Set(t.Context(), &gpb.SetRequest{Replace: []*gpb.Update{{Path: path(t, "/qos"), Val: ietf(plan)}}})
			require.NoError(t, err)
			device.err = test.err
			_, err = s.Set(t.Context(), update(t, strings.TrimSuffix(leafOf, "/"),
				ietf(`{"dedicated-buffer":"2000","dynamic-limit-scaling-factor":0}`)))
			require.Equal(t, test.code, status.Code(err), "%v", err)
			require.Equal(t, test.want, fields(t, err))
		})
	}
}

// forgetful stores another value than it is sent, and refuses to have it corrected.
type forgetful struct {
	*sim.ASIC
	applies int
}

func (d *forgetful) Apply(ctx context.Context, steps []buffer.Step) error {
	if d.applies++; d.applies > 1 {
		return errors.New("the bus is dead")
	}
	steps[0].To++
	return d.ASIC.Apply(ctx, steps)
}

// A device that is left half done is described by the paths of what differs.
func TestPartialNamesWhatDiffers(t *testing.T) {
	_, asic := planned(t)
	s, err := server.New(&forgetful{ASIC: asic}, 208, server.Options{})
	require.NoError(t, err)
	_, err = s.Set(t.Context(), &gpb.SetRequest{Delete: []*gpb.Path{path(t, port2+bound)}})
	require.Equal(t, codes.Internal, status.Code(err), "%v", err)
	require.Contains(t, fields(t, err), port2+bound)
	for _, f := range fields(t, err) {
		require.NotContains(t, f, "Ethernet1/1")
	}
}

// Whatever a Set does wrong, its error is short enough for a trailer.
func TestRefusalsAreShort(t *testing.T) {
	s, _ := newSwitch(t, cells.Count(1000))
	var ports []string
	for i := range 100 {
		ports = append(ports, fmt.Sprintf(`{"interface-id":"Ethernet1/%d","config":{"interface-id":"Ethernet1/%d"},"input":{"config":{"buffer-allocation-profile":"a-profile-that-is-not-there"}}}`, i, i))
	}
	_, err := s.Set(t.Context(), update(t, "/qos/interfaces", ietf(`{"interface":[`+strings.Join(ports, ",")+`]}`)))
	require.Equal(t, codes.InvalidArgument, status.Code(err))
	require.ErrorContains(t, err, " and 92 more")
	require.Less(t, proto.Size(status.Convert(err).Proto()), 6<<10)
}
