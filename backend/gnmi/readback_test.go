package gnmi_test

import (
	"slices"
	"testing"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/gnmi"
	"github.com/cellwarden/cellwarden/buffer"
)

const (
	capabilities = gpb.GNMI_Capabilities_FullMethodName
	getting      = gpb.GNMI_Get_FullMethodName
	setting      = gpb.GNMI_Set_FullMethodName
	subscribing  = gpb.GNMI_Subscribe_FullMethodName
)

// told is a switch whose Subscribe is another one's.
type told struct {
	gpb.GNMIServer
	subscribe func(gpb.GNMI_SubscribeServer) error
}

func (s told) Subscribe(stream gpb.GNMI_SubscribeServer) error { return s.subscribe(stream) }

// some passes on what of a switch's answers to Subscribe it keeps.
type some struct {
	gpb.GNMI_SubscribeServer
	keep func(*gpb.Update) bool
}

func (s some) Send(m *gpb.SubscribeResponse) error {
	if n := m.GetUpdate(); n != nil {
		var kept []*gpb.Update
		for _, u := range n.Update {
			if s.keep(u) {
				kept = append(kept, u)
			}
		}
		n.Update = kept
	}
	return s.GNMI_SubscribeServer.Send(m)
}

// A push asks for all by Get, and reads again by Subscribe ONCE, before a Set and after it. A switch that
// tells by it nothing, or not all, or not the truth, is asked by Get.
func TestReadBack(t *testing.T) {
	refusing := func(code codes.Code) func(gpb.GNMIServer, gpb.GNMI_SubscribeServer) error {
		return func(gpb.GNMIServer, gpb.GNMI_SubscribeServer) error { return status.Error(code, "words of the switch") }
	}
	keeping := func(keep func(*gpb.Update) bool) func(gpb.GNMIServer, gpb.GNMI_SubscribeServer) error {
		return func(s gpb.GNMIServer, stream gpb.GNMI_SubscribeServer) error { return s.Subscribe(some{stream, keep}) }
	}
	once, twice := []string{subscribing}, []string{subscribing, subscribing}
	get, both := []string{getting}, []string{subscribing, getting}
	tests := map[string]struct {
		subscribe func(gpb.GNMIServer, gpb.GNMI_SubscribeServer) error
		first     []string // how it is read before the Set
		back      []string // how it is read back
		second    []string // how it is read later
	}{
		"all":           {keeping(func(*gpb.Update) bool { return true }), once, once, once},
		"nothing":       {keeping(func(*gpb.Update) bool { return false }), once, both, both}, // it held nothing before
		"not all":       {keeping(func(u *gpb.Update) bool { return len(u.Path.Elem) < 8 }), once, both, both},
		"unimplemented": {refusing(codes.Unimplemented), append(twice, getting), get, get},
		"no wildcards":  {refusing(codes.InvalidArgument), both, get, get},
		"too many":      {refusing(codes.ResourceExhausted), both, get, get},
		"unavailable":   {refusing(codes.Unavailable), both, both, both},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, chip(20000))
			l.redirect(told{l.served, func(stream gpb.GNMI_SubscribeServer) error { return test.subscribe(l.served, stream) }})
			want := carried(planned(t, intent("Ethernet1/1", "Ethernet1/2")))
			report, err := backend.Converge(t.Context(), l.client, want, backend.Options{})
			require.NoError(t, err)
			require.Equal(t, backend.Applied, report.State)
			require.Equal(t, slices.Concat([]string{capabilities, getting}, test.first, []string{setting}, test.back), l.calls)

			l.calls = nil
			have, err := l.client.Observe(t.Context())
			require.NoError(t, err)
			require.Equal(t, want, have)
			require.Equal(t, test.second, l.calls)
		})
	}
}

// The read-back shows a value that another client has changed.
func TestReadBackKnowsNothingBetter(t *testing.T) {
	l := newLab(t, chip(20000))
	want := carried(planned(t, intent("Ethernet1/1", "Ethernet1/2")))
	_, err := backend.Converge(t.Context(), l.client, want, backend.Options{})
	require.NoError(t, err)
	less := want.Only(func(r buffer.Register) bool { return r.Port == "Ethernet1/2" })
	_, err = backend.Converge(t.Context(), l.with(t, gnmi.Options{}), less, backend.Options{Prune: true})
	require.NoError(t, err)
	for range 3 {
		have, err := l.client.Observe(t.Context())
		require.NoError(t, err)
		require.Equal(t, less, have)
	}
}
